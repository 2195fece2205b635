/** Errors of the file system in the words of the session layer: what, where, and what can be done. */
import { describeBriefly } from "../../lib/errors.ts";
import { SessionError } from "../errors.ts";

const SPACE = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const RIGHTS = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "ELOOP"]);

const FOLDER_HINT = "Check who owns the file and its folder, and their permissions; " +
  "or set MYELIN_HOME to another folder, or use --no-session";

/** Whether there was no room for what was to be written; also where a `SessionError` says so. */
export function isFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "string" && SPACE.has(code)) return true;
  return error instanceof SessionError && error.cause !== undefined && isFull(error.cause);
}

/** The same for something that could not be made: that a folder is missing is then an error like others. */
export function makeError(error: unknown, what: string): SessionError {
  return error instanceof Deno.errors.NotFound
    ? new SessionError("io", `${what}: ${describeBriefly(error)}`, { cause: error, hint: FOLDER_HINT })
    : ioError(error, what);
}

/** An error of the file system as a `SessionError`; what is one already stays. */
export function ioError(error: unknown, what: string): SessionError {
  if (error instanceof SessionError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  const message = `${what}: ${describeBriefly(error)}`;
  if (error instanceof Deno.errors.NotFound) return new SessionError("not_found", message, { cause: error });
  if (typeof code === "string" && SPACE.has(code)) {
    return new SessionError("io", message, {
      cause: error,
      hint: "Free some disk space and go on with --continue; nothing that was acknowledged is lost",
    });
  }
  if (
    (typeof code === "string" && RIGHTS.has(code)) || error instanceof Deno.errors.PermissionDenied
  ) {
    return new SessionError("io", message, { cause: error, hint: FOLDER_HINT });
  }
  return new SessionError("io", message, { cause: error });
}
