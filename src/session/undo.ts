/**
 * Which changes of files can be taken back, and what that means for each
 * path: pure, from the entries of a session in the order of the file. There is
 * one set of files, so the tree does not matter here.
 */
import { type AnyEntry, type Entry, type FileState, isKnown, type LostChange } from "./entry.ts";

type Changes = Entry & { readonly kind: "changes" };
type UndoEntry = Entry & { readonly kind: "undo" };

/** The changes that one undo takes back: those since something the user said. */
export interface UndoStep {
  /** The submission before them; null where there is none. */
  readonly submission: string | null;
  readonly changes: readonly Changes[];
}

export interface UndoHistory {
  /** What is in effect, oldest first. */
  readonly applied: readonly Changes[];
  /** What was undone and can be redone, the latest last. */
  readonly undone: readonly (readonly Changes[])[];
  /** An undo or redo that was cut off. */
  readonly open: UndoEntry | undefined;
  /** What `applied` is in steps, oldest first. */
  readonly steps: readonly UndoStep[];
}

/** The kinds of entries that the history is made of. */
export const UNDO_KINDS = ["submission", "changes", "undo", "undo_end"] as const;

/** Reads the history out of a session's entries. */
export function undoHistory(entries: Iterable<AnyEntry>): UndoHistory {
  const order = new Map<string, { entry: Changes; submission: string | null }>();
  let applied: Changes[] = [];
  let undone: Changes[][] = [];
  let open: UndoEntry | undefined;
  let submission: string | null = null;
  for (const entry of entries) {
    if (!isKnown(entry)) continue;
    if (entry.kind === "submission") submission = entry.id;
    else if (entry.kind === "changes") {
      order.set(entry.id, { entry, submission });
      applied.push(entry);
      // As in every editor: after a new change there is nothing to redo.
      undone = [];
    } else if (entry.kind === "undo") {
      const named = entry.changes.map((id) => order.get(id)?.entry).filter((one) => one !== undefined);
      if (entry.direction === "undo") {
        applied = applied.filter((one) => !named.includes(one));
        undone.push(named);
      } else {
        undone.pop();
        applied.push(...named);
      }
      open = entry;
    } else if (entry.kind === "undo_end" && entry.undo === open?.id) open = undefined;
  }
  const steps: { submission: string | null; changes: Changes[] }[] = [];
  for (const one of applied) {
    const from = order.get(one.id)?.submission ?? null;
    const last = steps.at(-1);
    if (last?.submission === from) last.changes.push(one);
    else steps.push({ submission: from, changes: [one] });
  }
  return { applied, undone, open, steps };
}

/** One path that is to be put back. */
export interface UndoMove {
  readonly path: string;
  /** What must stand there now; else somebody else has changed it. */
  readonly expected: FileState;
  readonly target: FileState;
}

export interface UndoPlan {
  readonly moves: readonly UndoMove[];
  /** Where somebody else's change lies between ours: `moves` goes back only to that. */
  readonly conflicts: readonly string[];
  /** What cannot be put back at all. */
  readonly lost: readonly LostChange[];
}

/** What undoing (or redoing) these changes means, path by path. `same` compares states. */
export function planUndo(
  changes: readonly Changes[],
  direction: "undo" | "redo",
  same: (a: FileState, b: FileState) => boolean,
): UndoPlan {
  const back = direction === "undo";
  const moves = new Map<string, UndoMove>();
  const conflicts = new Set<string>();
  for (const { files } of back ? [...changes].reverse() : changes) {
    for (const { path, before, after } of files) {
      const [expected, target] = back ? [after, before] : [before, after];
      const known = moves.get(path);
      if (known === undefined) moves.set(path, { path, expected, target });
      else if (conflicts.has(path)) continue;
      else if (same(known.target, expected)) moves.set(path, { ...known, target });
      else conflicts.add(path);
    }
  }
  return {
    moves: ordered([...moves.values()]),
    conflicts: [...conflicts].sort(),
    lost: back ? changes.flatMap(({ lost }) => lost) : [],
  };
}

/** What must go comes first, the deepest before the folder that it is in; folders are made before what is in them, from the top. */
function ordered(moves: UndoMove[]): UndoMove[] {
  const goes = moves.filter(({ target }) => target === null).sort((a, b) => a.path < b.path ? 1 : -1);
  const comes = moves.filter(({ target }) => target !== null).sort((a, b) => a.path < b.path ? -1 : 1);
  return [...goes, ...comes];
}
