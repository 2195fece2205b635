/** Another model, or another depth of thinking, for the requests from here on. Allowed while a run works: its next request goes there. */
import type { EngineDeps } from "../deps.ts";
import type { Op } from "../op.ts";

export async function model(op: Op & { type: "model" }, { use, session, emit }: EngineDeps): Promise<void> {
  const warnings = await use.choose(op.model);
  await session.append({ kind: "model", model: use.name });
  emit({ type: "model_changed", model: use.name, thinking: use.thinking ?? null });
  for (const text of warnings) emit({ type: "notice", level: "warning", text });
}

export async function thinking(
  op: Op & { type: "thinking" },
  { use, session, emit }: EngineDeps,
): Promise<void> {
  use.think(op.level);
  await session.append({ kind: "thinking", level: op.level });
  emit({ type: "model_changed", model: use.name, thinking: op.level });
}
