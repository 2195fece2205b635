/** What waits for the end of a run, read from the session, so that it is there after a crash as well. */
import { isKnown, type PromptPart, type Session } from "../session/mod.ts";

export interface Queued {
  readonly requestId: string;
  readonly parts: readonly PromptPart[];
}

/** In the order in which it was said. */
export function queueOf(session: Session): Queued[] {
  const waiting = new Map<string, Queued>();
  for (const entry of session.entriesOf("queued", "unqueued", "submission")) {
    if (!isKnown(entry)) continue;
    if (entry.kind === "queued") {
      waiting.set(entry.requestId, { requestId: entry.requestId, parts: entry.parts });
    } else if (entry.kind === "unqueued" || entry.kind === "submission") waiting.delete(entry.requestId);
  }
  return [...waiting.values()];
}
