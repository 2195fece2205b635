/** What the system throws, as the errors of a host: a code that callers switch on. */
import { ERROR_TEXT, HostError, type HostErrorCode } from "../shell/host.ts";

/** Errors of Deno's that carry no code of the system. */
const BY_NAME: Readonly<Record<string, HostErrorCode>> = {
  NotFound: "ENOENT",
  PermissionDenied: "EACCES",
  AlreadyExists: "EEXIST",
  NotADirectory: "ENOTDIR",
  IsADirectory: "EISDIR",
  FilesystemLoop: "ELOOP",
  InvalidData: "EINVAL",
  BrokenPipe: "EPIPE",
  Busy: "EBUSY",
  BadResource: "EBADF",
  NotSupported: "ENOTSUP",
};

/** Turns what the system threw into a HostError. */
export function hostError(error: unknown, path?: string): HostError {
  if (error instanceof HostError) return error;
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (name === "NotCapable") {
    return new HostError("EDENIED", path, "Not allowed: the sandbox does not reach there", error);
  }
  if (code !== undefined && Object.hasOwn(ERROR_TEXT, code)) {
    return new HostError(code as HostErrorCode, path, undefined, error);
  }
  const known = BY_NAME[name ?? ""];
  if (known) return new HostError(known, path, undefined, error);
  const number = /os error (\d+)/.exec(message ?? "")?.[1];
  const byNumber = number === undefined ? undefined : BY_NUMBER[number];
  return new HostError(byNumber ?? "EIO", path, byNumber ? undefined : message, error);
}

const BY_NUMBER: Readonly<Record<string, HostErrorCode>> = {
  "1": "EPERM",
  "2": "ENOENT",
  "6": "ENXIO",
  "8": "ENOEXEC",
  "9": "EBADF",
  "13": "EACCES",
  "16": "EBUSY",
  "17": "EEXIST",
  "18": "EXDEV",
  "20": "ENOTDIR",
  "21": "EISDIR",
  "22": "EINVAL",
  "24": "EMFILE",
  "28": "ENOSPC",
  "30": "EROFS",
  "36": "ENAMETOOLONG",
  "39": "ENOTEMPTY",
  "40": "ELOOP",
  "66": "ENOTEMPTY",
};

/** The error for a number that a call of the system has left. */
export function systemError(number: number, path?: string): HostError {
  return new HostError(BY_NUMBER[String(number)] ?? "EIO", path);
}

/** Runs `work`; whatever it throws comes out as a HostError about `path`. */
export function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw hostError(error, path);
  }
}
