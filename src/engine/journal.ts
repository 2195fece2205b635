/** The loop's journal on a session: each thing that happens becomes an entry. */
import type { Journal } from "../agent/journal.ts";
import { noteMessage, type Session } from "../session/mod.ts";

/** The loop hands calls over meanwhile. */
const WHILE_CALLS_GET_READY = { meanwhile: true } as const;

/** A journal that appends to the session's path. */
export function sessionJournal(session: Session): Journal {
  return {
    async assistant(message, costUsd) {
      await session.append(
        { kind: "assistant", message, ...(costUsd === undefined ? {} : { costUsd }) },
        WHILE_CALLS_GET_READY,
      );
    },
    async intent(call, replay) {
      await session.append(
        { kind: "intent", callId: call.id, name: call.name, replay },
        WHILE_CALLS_GET_READY,
      );
    },
    async result(call, result, durationMs) {
      await session.append(
        {
          kind: "result",
          callId: call.id,
          name: call.name,
          parts: result.parts,
          isError: result.isError,
          ...(result.view === undefined ? {} : { view: result.view }),
          durationMs,
        },
        // One wait for the disk before the next request, not one for each result.
        { sync: false },
      );
    },
    async note(text) {
      await session.append({ kind: "note", text });
      return noteMessage(text);
    },
    sync: () => session.sync(true),
  };
}
