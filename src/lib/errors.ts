/**
 * The base of every error that myelin throws. A thrown error means "this
 * operation cannot go on"; outcomes that a caller expects are values instead.
 */

/** Options of {@link AppError}. */
export interface AppErrorOptions {
  /** What the user can do about it; one sentence, shown after the message. */
  readonly hint?: string;
  /** The error that led to this one. */
  readonly cause?: unknown;
}

/** An error with a closed `code`, on which callers switch (never on text). */
export class AppError<Code extends string = string> extends Error {
  override readonly name: string = "AppError";
  readonly code: Code;
  readonly hint: string | undefined;

  constructor(code: Code, message: string, options: AppErrorOptions = {}) {
    super(
      message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.hint = options.hint;
  }
}

/** The message of anything that was thrown, without a stack trace. */
export function describe(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  return String(error);
}

/** The same for messages that name the file themselves: of what the system says, the words alone. */
export function describeBriefly(error: unknown): string {
  return describe(error).replace(/ \(os error \d+\)(?:: .*)?$/s, "");
}
