/** What the user says while a run works: to the run (steering), or for when it is over (a follow-up). Durable before it is told. */
import type { EngineDeps } from "../deps.ts";
import type { Op } from "../op.ts";
import { nameContents } from "../local_content.ts";
import { queueOf } from "../queue.ts";
import { runPrompt } from "../run_prompt.ts";

export async function steer(op: Op & { type: "steer" }, deps: EngineDeps): Promise<void> {
  const { session, state, emit } = deps;
  const { running } = state;
  if (running?.steering === undefined) return await runPrompt({ ...op, type: "prompt" }, deps);
  if (session.submission(op.requestId) !== undefined) return;
  const parts = nameContents(op.parts, session);
  const message = await deps.prompts.message(parts);
  await session.append({ kind: "submission", requestId: op.requestId, parts, message });
  running.steering.push({ role: "user", parts: message });
  emit({ type: "steered", requestId: op.requestId, parts: op.parts });
  // The run may have ended while this was being written.
  if (state.running !== running) {
    await runPrompt({ type: "prompt", requestId: op.requestId, parts: [] }, deps);
  }
}

export async function followUp(op: Op & { type: "follow_up" }, deps: EngineDeps): Promise<void> {
  const { session, state, emit } = deps;
  const { running } = state;
  if (running?.steering === undefined) return await runPrompt({ ...op, type: "prompt" }, deps);
  const known = queueOf(session).some(({ requestId }) => requestId === op.requestId);
  if (known || session.submission(op.requestId) !== undefined) return;
  const parts = nameContents(op.parts, session);
  await session.append({ kind: "queued", requestId: op.requestId, parts }, { sync: true });
  emit({ type: "queue", items: queueOf(session) });
}

export async function unqueue(op: Op & { type: "unqueue" }, { session, emit }: EngineDeps): Promise<void> {
  if (!queueOf(session).some(({ requestId }) => requestId === op.requestId)) return;
  await session.append({ kind: "unqueued", requestId: op.requestId });
  emit({ type: "queue", items: queueOf(session) });
}
