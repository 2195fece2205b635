/**
 * Closes what an earlier process left open: each call without a result gets
 * one, in the file. What may run again by itself does; nothing that may have
 * had an effect is repeated.
 */
import { artifactsPath, type OpenRun, outputsOf, planRecovery, type Session } from "../session/mod.ts";
import { AppError, describe } from "../lib/errors.ts";
import { errorResult, type ToolResult } from "../agent/tool.ts";
import type { EngineDeps } from "./deps.ts";

/**
 * Executes the plan; answers with the run that was left unfinished, if there is
 * one. `goesOn`: nobody has said anything new; then a run that was taken up too
 * often in vain is left alone (AppError "parked").
 */
export async function recover(
  deps: EngineDeps,
  signal: AbortSignal,
  goesOn = false,
): Promise<OpenRun | undefined> {
  const { session, tools, emit } = deps;
  const plan = planRecovery(
    session.projection,
    (name) => tools.entries.find((entry) => entry.name === name)?.replay,
    session.damages.some(({ used, gap }) => used !== true || gap === true),
  );
  if (goesOn && plan.parked) {
    throw new AppError("parked", "The run was taken up five times without getting on, and is left as it is", {
      hint: 'Say how it shall go on: myelin run -c "…"',
    });
  }
  for (const call of plan.calls) {
    const start = deps.now();
    const result = call.action === "close"
      ? errorResult(call.text + outputNote(session, call.callId))
      : await rerun(call, deps, signal);
    await session.append({
      kind: "result",
      callId: call.callId,
      name: call.name,
      parts: result.parts,
      isError: result.isError,
      durationMs: Math.round(deps.now() - start),
    });
  }
  if (plan.calls.length > 0) {
    await session.sync();
    const count = plan.calls.length === 1 ? "1 call was" : `${plan.calls.length} calls were`;
    emit({
      type: "notice",
      level: "info",
      text: `${count} open when the session ended: ${
        plan.calls.map((call) => call.name).join(", ")
      }; closed before going on`,
    });
  }
  return plan.run;
}

/** So many outputs of one call are named: the first, and the last ones. */
const NAMED_OUTPUTS = 5;

/** Names what the call had put out, where that was kept. */
function outputNote(session: Session, callId: string): string {
  const all = session.file === undefined ? [] : outputsOf(artifactsPath(session.file), callId);
  if (all.length === 0) return "";
  const named = all.length > NAMED_OUTPUTS ? [all[0], ...all.slice(1 - NAMED_OUTPUTS)] : all;
  const list = named.map(({ id, path }) => `artifact://${id} (the file ${path})`).join(", ");
  return ` What it had put out until then: ${list}.`;
}

async function rerun(
  call: { readonly callId: string; readonly name: string; readonly arguments: string },
  { tools }: EngineDeps,
  signal: AbortSignal,
): Promise<ToolResult> {
  try {
    const args: unknown = JSON.parse(call.arguments);
    return await tools.run(call.name, args, { callId: call.callId, signal, output: () => {} });
  } catch (error) {
    return errorResult(`${call.name} was interrupted and could not be repeated: ${describe(error)}`);
  }
}
