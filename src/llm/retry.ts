/**
 * When a failed request is sent again, and the wrapper that does it.
 *
 * The schedule is pure: attempt n (from 1) waits base × 2^(n-1), at most
 * `maxMs`, of which the last half is random, so that many clients do not come
 * back at the same instant. With the defaults: 0.5, 1, 2, 4, 8, 16 s, each
 * between 50 and 100 % of that; six retries, about half a minute in all, which
 * outlasts six failures in a row. A server's Retry-After is obeyed exactly,
 * up to `maxRetryAfterMs` (2 min): beyond it waiting is the user's decision,
 * and the error says so. One of 0, or a date that has passed, says nothing:
 * six tries within a blink would outlast no failure. Some failures say
 * themselves how often they are worth it (`retryLimit`): a stall twice at most, since
 * each costs the idle time again.
 *
 * All requests of one provider share a limiter: what one is asked to wait, all
 * wait.
 *
 * Nothing is ever sent again after `done`, and nothing of a failed attempt
 * reaches the next: watchers drop what they saw when `retry` comes.
 */
import { LlmError } from "./errors.ts";
import type { StreamEvent } from "./event.ts";
import { createLimiter, type Limiter } from "./limiter.ts";
import type { LlmRequest, Provider } from "./provider.ts";

/** `retries` does not count the first attempt; the rest are milliseconds. */
export interface RetryPolicy {
  readonly retries: number;
  readonly baseMs: number;
  readonly maxMs: number;
  readonly maxRetryAfterMs: number;
}

/** What settings change member by member. */
export const DEFAULT_RETRY: RetryPolicy = {
  retries: 6,
  baseMs: 500,
  maxMs: 30_000,
  maxRetryAfterMs: 120_000,
};

/** Where time and chance come from; tests bring their own. */
export interface RetryDeps {
  /** From 0 to 1. */
  readonly random: () => number;
  /** Resolves after the time, or at once when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds, from any start. */
  readonly now?: () => number;
}

/** `error` is the one to be told, with the number of attempts in it. */
type RetryDecision =
  | { readonly again: true; readonly delayMs: number }
  | { readonly again: false; readonly error: LlmError };

/**
 * What to do after attempt number `attempt` (from 1) failed with `error`. Pure.
 * `limited` counts the failures so far that have a limit of their own, this one included.
 */
export function decideRetry(
  error: LlmError,
  attempt: number,
  policy: RetryPolicy,
  random: number,
  limited: number = attempt,
): RetryDecision {
  const spent = attempt > policy.retries || (error.retryLimit !== undefined && limited > error.retryLimit);
  if (!error.retryable || spent) return { again: false, error: afterAttempts(error, attempt) };
  if (error.retryAfterMs !== undefined && error.retryAfterMs > 0) {
    if (error.retryAfterMs > policy.maxRetryAfterMs) {
      return { again: false, error: tooLongToWait(error, error.retryAfterMs, policy) };
    }
    return { again: true, delayMs: Math.ceil(error.retryAfterMs) };
  }
  const full = Math.min(policy.maxMs, policy.baseMs * 2 ** (attempt - 1));
  return { again: true, delayMs: Math.round(full / 2 + random * full / 2) };
}

/** A provider that sends failed requests again, by the schedule above. */
export function retrying(
  provider: Provider,
  policy: RetryPolicy = DEFAULT_RETRY,
  deps: RetryDeps = { random: Math.random, wait },
): Provider {
  const limiter = createLimiter({ wait: deps.wait, now: deps.now ?? (() => performance.now()) });
  return { stream: (request, signal) => attempts(provider, request, signal, policy, deps, limiter) };
}

async function* attempts(
  provider: Provider,
  request: LlmRequest,
  signal: AbortSignal,
  policy: RetryPolicy,
  deps: RetryDeps,
  limiter: Limiter,
): AsyncGenerator<StreamEvent> {
  let limited = 0;
  for (let attempt = 1;; attempt++) {
    let failed: Extract<StreamEvent, { type: "error" }> | undefined;
    let leave: () => void;
    try {
      leave = await limiter.enter(signal, attempt > 1);
    } catch {
      // Cancelled while it waited for its turn.
      return;
    }
    try {
      for await (const event of provider.stream(request, signal)) {
        if (event.type === "error") {
          failed = event;
          break;
        }
        if (event.type === "start") limiter.resume();
        yield event;
        if (event.type === "done") return;
      }
    } finally {
      leave();
    }
    // Without a last event: cancelled, and so is this stream.
    if (failed === undefined || signal.aborted) return;
    if (failed.error.retryLimit !== undefined) limited++;
    const decision = decideRetry(failed.error, attempt, policy, deps.random(), limited);
    if (!decision.again) {
      yield { ...failed, error: decision.error };
      return;
    }
    // Others that are about to ask would be refused as well.
    const { code, retryAfterMs } = failed.error;
    if (code === "rate_limit" || (code === "overloaded" && retryAfterMs !== undefined)) {
      limiter.pause(decision.delayMs);
    }
    yield { type: "retry", attempt, delayMs: decision.delayMs, cause: failed.error };
    await deps.wait(decision.delayMs, signal);
    if (signal.aborted) return;
  }
}

function afterAttempts(error: LlmError, attempt: number): LlmError {
  if (attempt === 1) return error;
  return rephrased(error, `${error.message}; tried ${attempt} times`);
}

function tooLongToWait(error: LlmError, askedMs: number, policy: RetryPolicy): LlmError {
  const asked = duration(askedMs);
  const most = duration(policy.maxRetryAfterMs);
  return rephrased(
    error,
    `${error.message}; it asks to wait ${asked}, longer than the ${most} that are waited`,
  );
}

function rephrased(error: LlmError, message: string): LlmError {
  return new LlmError(error.code, message, {
    cause: error,
    retryable: error.retryable,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.status === undefined ? {} : { status: error.status }),
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
  });
}

/** "90 s", "5 min", "2 h": for messages. */
function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.ceil(seconds / 60)} min`;
  return `${Math.ceil(seconds / 3600)} h`;
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish, { once: true });
  });
}
