/** The one place that knows exit statuses (docs/headless.md). */
import type { RunReason } from "../engine/event.ts";

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  limit: 4,
  busy: 5,
  timeout: 124,
  interrupted: 130,
  /** The reader of stdout has gone, as for any program in a pipe. */
  unread: 141,
  terminated: 143,
} as const;

const BY_REASON: Readonly<Record<RunReason, number>> = {
  stop: EXIT.ok,
  error: EXIT.failed,
  denied: EXIT.denied,
  max_steps: EXIT.limit,
  budget: EXIT.limit,
  timeout: EXIT.timeout,
  cancelled: EXIT.interrupted,
};

/** The status for the reason of a run's end. */
export function exitCode(reason: RunReason): number {
  return BY_REASON[reason];
}
