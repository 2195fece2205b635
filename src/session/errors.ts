/** What can go wrong with a session. */
import { AppError, type AppErrorOptions } from "../lib/errors.ts";

export type SessionErrorCode =
  /** Another process (or another opening in this one) writes it. */
  | "busy"
  /** It cannot be used at all; damage that can be read around is reported as `Damage` instead. */
  | "damaged"
  | "not_found"
  /** A newer program wrote it: it may be read, not continued. */
  | "newer_version"
  /** Disk full, no permission, a broken device. */
  | "io";

export class SessionError extends AppError<SessionErrorCode> {
  override readonly name = "SessionError";

  constructor(code: SessionErrorCode, message: string, options: AppErrorOptions = {}) {
    super(code, message, options);
  }
}
