/** The port of the `checkpoint` tool on a session: points with names, and files put back to what they were there. */
import { isKnown, type Session } from "../session/mod.ts";
import type { Checkpoints } from "../tools/mod.ts";
import type { FileChanges } from "./file_changes.ts";

export function sessionCheckpoints(session: Session, changes: Pick<FileChanges, "undo">): Checkpoints {
  /** The latest point of each name, by name. */
  function points(): Map<string, string> {
    const found = new Map<string, string>();
    for (const entry of session.entriesOf("checkpoint")) {
      if (isKnown(entry) && entry.kind === "checkpoint") found.set(entry.name, entry.id);
    }
    return found;
  }
  return {
    async mark(name) {
      await session.append({ kind: "checkpoint", name });
    },
    list: () => [...points().keys()],
    async restore(name) {
      const since = points().get(name);
      if (since === undefined) return undefined;
      return await changes.undo({ direction: "undo", since }) ?? { restored: [], conflicts: [], failed: [] };
    },
  };
}
