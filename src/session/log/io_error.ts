/** Errors of the file system in the words of the session layer: what, where, and what can be done. */
import { SessionError } from "../errors.ts";

const SPACE = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const RIGHTS = new Set(["EACCES", "EPERM", "EROFS"]);

/** An error of the file system as a `SessionError`; what is one already stays. */
export function ioError(error: unknown, what: string): SessionError {
  if (error instanceof SessionError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  const text = error instanceof Error ? error.message : String(error);
  const message = `${what}: ${text}`;
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
    return new SessionError("io", message, {
      cause: error,
      hint:
        "Check who owns the folder and its permissions, set MYELIN_HOME to another folder, or use --no-session",
    });
  }
  return new SessionError("io", message, { cause: error });
}
