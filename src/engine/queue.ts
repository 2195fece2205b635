/** What waits for a run's next request or for its end, read from the session, so that it is there after a crash as well. */
import { isKnown, type PromptPart, type Session } from "../session/mod.ts";

/** A message that waits for its turn. */
export interface Queued {
  readonly requestId: string;
  readonly parts: readonly PromptPart[];
  /** Said to the run itself. */
  readonly steer?: true;
}

/** In the order in which it was said. */
export function queueOf(session: Session): Queued[] {
  const waiting = new Map<string, Queued>();
  for (const entry of session.entriesOf("queued", "unqueued", "submission")) {
    if (!isKnown(entry)) continue;
    if (entry.kind === "queued") {
      const { requestId, parts, steer } = entry;
      waiting.set(requestId, { requestId, parts, ...(steer ? { steer } : {}) });
    } else if (entry.kind === "unqueued" || entry.kind === "submission") waiting.delete(entry.requestId);
  }
  return [...waiting.values()];
}
