/**
 * What the user says while a run works: to the run (steering), or for when it
 * is over (a follow-up). Durable before it is told. Both wait in the session
 * until the loop takes them: what a model is saying answers what came before.
 */
import type { EngineDeps } from "../deps.ts";
import type { Op } from "../op.ts";
import type { PromptPart } from "../../session/mod.ts";
import { nameContents } from "../local_content.ts";
import { queueOf } from "../queue.ts";
import { runPrompt } from "../run_prompt.ts";

export async function steer(op: Op & { type: "steer" }, deps: EngineDeps): Promise<void> {
  const { session, state, emit } = deps;
  const { running } = state;
  if (running?.steerable === undefined) return await runPrompt({ ...op, type: "prompt" }, deps);
  if (!await wait(op, deps, true)) return;
  // The run may have ended while this was being written.
  if (state.running !== running && queueOf(session).some(({ requestId }) => requestId === op.requestId)) {
    await runPrompt({ ...op, type: "prompt" }, deps);
    emit({ type: "queue", items: queueOf(session) });
  }
}

export async function followUp(op: Op & { type: "follow_up" }, deps: EngineDeps): Promise<void> {
  if (deps.state.running?.steerable === undefined) return await runPrompt({ ...op, type: "prompt" }, deps);
  await wait(op, deps, false);
}

/** False where it was said before. */
async function wait(
  { requestId, parts }: { readonly requestId: string; readonly parts: readonly PromptPart[] },
  { session, emit }: EngineDeps,
  steer: boolean,
): Promise<boolean> {
  const known = queueOf(session).some((item) => item.requestId === requestId);
  if (known || session.submission(requestId) !== undefined) return false;
  const named = nameContents(parts, session);
  await session.append({ kind: "queued", requestId, parts: named, ...(steer ? { steer } : {}) }, {
    sync: true,
  });
  emit({ type: "queue", items: queueOf(session) });
  return true;
}

export async function unqueue(op: Op & { type: "unqueue" }, { session, emit }: EngineDeps): Promise<void> {
  if (!queueOf(session).some(({ requestId }) => requestId === op.requestId)) return;
  await session.append({ kind: "unqueued", requestId: op.requestId });
  emit({ type: "queue", items: queueOf(session) });
}
