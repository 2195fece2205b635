/**
 * Goes to another place in the session's tree. From something that the user
 * said the path goes on before it, and its parts come back to be edited.
 * Where it is asked for, what is left is summarised first, for the model.
 */
import { AppError } from "../../lib/errors.ts";
import { textOf } from "../../llm/message.ts";
import { isKnown, resolveEntry } from "../../session/mod.ts";
import type { EngineDeps } from "../deps.ts";
import type { Op } from "../op.ts";

export async function navigate(op: Op & { type: "navigate" }, deps: EngineDeps): Promise<void> {
  const { session, state, emit } = deps;
  if (state.running !== undefined) {
    throw new AppError("busy", "A run is under way in this session", { hint: "Interrupt it first" });
  }
  const wanted = op.to === null ? null : resolveEntry(session, op.to);
  const entry = wanted === null ? undefined : session.entry(wanted);
  const submission = entry && isKnown(entry) && entry.kind === "submission" ? entry : undefined;
  const target = submission ? submission.parentId : wanted;
  const left = session.leaf;
  const summary = op.summarize && left !== null ? await summarize(deps) : undefined;
  await session.moveTo(target);
  if (summary !== undefined && left !== null) {
    await session.append({ kind: "branch_summary", summary, from: left }, { sync: true });
  }
  emit({
    type: "navigated",
    to: target,
    editable: submission?.parts ?? null,
    summary: summary ?? null,
  });
}

/** What is worth knowing of the path as it is; undefined, with a notice, where no summary is to be had. */
async function summarize(deps: EngineDeps): Promise<string | undefined> {
  const { session, state, emit } = deps;
  const running = { runId: "", abort: new AbortController() };
  state.running = running;
  try {
    const request = await deps.branchPrompt?.();
    if (request === undefined) return undefined;
    const messages = [
      ...session.projection.messages,
      { role: "user" as const, parts: [{ type: "text" as const, text: request }] },
    ];
    for await (const event of deps.stream(messages, running.abort.signal)) {
      if (event.type === "done") return textOf(event.message.parts).trim() || undefined;
      if (event.type === "error") throw event.error;
    }
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    emit({ type: "notice", level: "warning", text: `There is no summary of what was left: ${why}` });
    return undefined;
  } finally {
    state.running = undefined;
  }
}
