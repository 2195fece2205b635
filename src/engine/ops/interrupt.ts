/** Ends what is running, whoever asks for it. */
import type { EngineDeps } from "../deps.ts";
import type { Op } from "../op.ts";

export function interrupt(op: Op & { type: "interrupt" }, { state }: EngineDeps): Promise<void> {
  const { running } = state;
  if (running !== undefined && !running.abort.signal.aborted) {
    running.endedBy = op.by;
    running.abort.abort();
  }
  return Promise.resolve();
}
