/** Room that is asked for: a summary of the older part, a turn to prepare for it, or a shake. Not while a run works. */
import { AppError } from "../../lib/errors.ts";
import { counted } from "../../lib/text/count.ts";
import type { EngineDeps } from "../deps.ts";
import type { Op } from "../op.ts";

export async function compact(op: Op & { type: "compact" }, deps: EngineDeps): Promise<void> {
  const { space, emit } = deps;
  const pass = await alone(deps, (signal) => space.compact(signal, op.focus));
  if (pass.type === "failed") throw new AppError("summary_failed", pass.why);
  if (pass.type === "nothing") {
    const { older, summary } = pass;
    const text = older === 0
      ? "There is nothing to summarise yet"
      : `Nothing to gain: what would be summarised is only ~${counted(older, "token")}` +
        (summary === undefined ? "" : `, and its summary ~${counted(summary, "token")}`) +
        ". The conversation stays as it is";
    emit({ type: "notice", level: "info", text });
  }
}

export async function shake(op: Op & { type: "shake" }, deps: EngineDeps): Promise<void> {
  const freed = await alone(deps, () => deps.space.shake(op.mode));
  const text = freed === 0 ? "Nothing was found that could go" : `About ${freed} tokens were freed`;
  deps.emit({ type: "notice", level: "info", text });
}

/** Maintenance is like a run: one at a time, and an interrupt ends it. */
async function alone<T>(deps: EngineDeps, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { state } = deps;
  if (state.running !== undefined) {
    throw new AppError("busy", "A run is under way in this session", { hint: "Interrupt it first" });
  }
  const running = { runId: "", abort: new AbortController() };
  state.running = running;
  try {
    return await work(running.abort.signal);
  } catch (error) {
    if (!running.abort.signal.aborted) throw error;
    throw new AppError("cancelled", "Interrupted: the conversation stays as it was", { cause: error });
  } finally {
    state.running = undefined;
  }
}
