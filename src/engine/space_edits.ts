/**
 * References in place of old outputs: those that are old enough, those that
 * the pruner calls stale, and what a person shakes out. A reference is written
 * down when the text that it stands for is kept, so that a cancelled pass
 * changes nothing.
 */
import type { KeepText, ShakeMode } from "../context/compact/mod.ts";
import type { ContentPart, Usage } from "../llm/message.ts";
import type { Payload, Session } from "../session/mod.ts";
import type { EngineEvent } from "./event.ts";
import { type AskPruner, findStale } from "./space_passes.ts";
import type { SpaceSize } from "./space_size.ts";

/** The small model that names stale outputs, and what it costs. */
export interface Pruner {
  readonly ask: AskPruner;
  readonly costOf: (usage: Usage) => number | undefined;
}

/** What the edits work with. */
export interface EditDeps {
  readonly session: Session;
  readonly size: Pick<SpaceSize, "limits" | "measure">;
  /** Keeps a text among the session's artifacts. */
  readonly keep: KeepText;
  /** Writes down what a request has used. */
  readonly book: (usage: Usage, purpose: string, costUsd: number | undefined) => Promise<void>;
  /** Is called when the conversation was changed. */
  readonly changed: () => void;
  readonly emit: (event: EngineEvent) => void;
}

type Edits = Extract<Payload, { kind: "context_edit" }>["edits"];

/** Puts aside what the pruner calls stale, where that is worth the broken cache and enough. */
export async function park(
  deps: EditDeps,
  { ask, costOf }: Pruner,
  before: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { size, keep, emit } = deps;
  const { parkedResult, worthGoing } = await import("../context/compact/mod.ts");
  const { projection } = deps.session;
  const { stale, usage, why } = await findStale(projection.messages, ask, signal);
  if (usage !== undefined) await deps.book(usage, "pruner", costOf(usage));
  if (why !== undefined) {
    emit({ type: "notice", level: "warning", text: `The pruner could not be asked: ${why}` });
  }
  if (!worthGoing(stale, before, size.limits())) return false;
  const edits = await editsOf(projection, stale, (parts, block) => parkedResult(parts, block, keep));
  signal.throwIfAborted();
  return await replace(deps, edits, before);
}

/** Clears the results at these places. */
export async function clear(
  deps: EditDeps,
  results: readonly { readonly at: number }[],
  before: number,
): Promise<void> {
  const { elidedResult } = await import("../context/compact/mod.ts");
  const edits = await editsOf(
    deps.session.projection,
    results,
    (parts) => elidedResult(parts, deps.keep),
  );
  await replace(deps, edits, before);
}

/** Shakes out what `mode` names; the tokens freed. */
export async function shake(deps: EditDeps, mode: ShakeMode): Promise<number> {
  const { planShake } = await import("../context/compact/mod.ts");
  const { messages, origins } = deps.session.projection;
  const { edits, freed } = await planShake(mode, messages, origins, deps.keep);
  if (edits.length > 0) {
    await deps.session.append({ kind: "context_edit", edits, reason: `shake ${mode}` });
    deps.changed();
  }
  return freed;
}

async function editsOf<T extends { readonly at: number }>(
  { messages, origins }: Session["projection"],
  places: readonly T[],
  reference: (parts: readonly ContentPart[], place: T) => Promise<ContentPart[] | undefined>,
): Promise<Edits> {
  const edits: Edits[number][] = [];
  for (const place of places) {
    const message = messages[place.at];
    if (message.role !== "tool_result") continue;
    const parts = await reference(message.parts, place);
    if (parts !== undefined) edits.push({ entry: origins[place.at], parts });
  }
  return edits;
}

/** Writes references down in place of results; false where there are none. */
async function replace(
  { session, size, changed, emit }: EditDeps,
  edits: Edits,
  before: number,
): Promise<boolean> {
  if (edits.length === 0) return false;
  await session.append({ kind: "context_edit", edits, reason: "clear" });
  changed();
  const { tokens } = await size.measure();
  emit({ type: "compaction", action: "clear", tokensBefore: before, tokensAfter: tokens });
  return true;
}
