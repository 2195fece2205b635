/** The one classification of what can go wrong between myelin and a model. */
import { AppError, type AppErrorOptions } from "../lib/errors.ts";

/** Callers decide by it, never by the text. */
export type LlmErrorCode =
  /** The key is missing, wrong or has no right to the model. Never retried. */
  | "auth"
  /** Too many requests, or too much at once. */
  | "rate_limit"
  /** The server is there but cannot answer now (5xx, 529). */
  | "overloaded"
  /** The request is larger than the model's context window. */
  | "overflow"
  /** The server refuses the request as it is. Never retried. */
  | "bad_request"
  /** No connection, or it broke, or it fell silent. */
  | "network"
  /** The answer is not what the protocol says: cut off, empty, not an event stream. */
  | "protocol";

/** What a server says beside the failure itself. */
export interface LlmErrorOptions extends AppErrorOptions {
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Whether the same request may well succeed later. Default: by code. */
  readonly retryable?: boolean;
  /** How often this failure is worth another attempt, where that is less than usual. */
  readonly retryLimit?: number;
  /** With "overflow": the window in tokens, where the server says it. */
  readonly contextWindow?: number;
}

/** What ends a stream or an attempt. Whether it is worth another try is in `retryable`, not in the code. */
export class LlmError extends AppError<LlmErrorCode> {
  override readonly name = "LlmError";
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly retryable: boolean;
  readonly retryLimit: number | undefined;
  readonly contextWindow: number | undefined;

  constructor(
    code: LlmErrorCode,
    message: string,
    options: LlmErrorOptions = {},
  ) {
    super(code, message, options);
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.retryLimit = options.retryLimit;
    this.contextWindow = options.contextWindow;
    this.retryable = options.retryable ??
      (code !== "auth" && code !== "overflow" && code !== "bad_request");
  }
}
