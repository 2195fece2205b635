/**
 * Carries out undo and redo. What is about to happen is written down before
 * the first file is touched and its end after the last, so that one that was
 * cut off is carried to its end by the next. A path that somebody else has
 * changed since is left as it is and named.
 */
import type { FileChange, LostChange } from "./entry.ts";
import { newId } from "../lib/ids.ts";
import { SessionError } from "./errors.ts";
import { isFull } from "./log/io_error.ts";
import type { Session } from "./session.ts";
import {
  clear,
  folderOf,
  freshName,
  isStraight,
  lookAt,
  putBack,
  sameState,
  stateOf,
} from "./snapshots/file_state.ts";
import { whole } from "./snapshots/hidden_names.ts";
import { ObjectStore } from "./snapshots/object_store.ts";
import { BY_NAME, type Places } from "./snapshots/places.ts";
import { planUndo, UNDO_KINDS, undoHistory, type UndoMove } from "./undo.ts";

export interface UndoReport {
  /** What was put back. */
  readonly restored: readonly string[];
  /** What others have changed since: left alone. */
  readonly conflicts: readonly string[];
  /** What could not be put back, with the reason. */
  readonly failed: readonly LostChange[];
}

/** What the entry says that is written before the first file is touched. */
interface Begun {
  readonly id: string;
  readonly direction: "undo" | "redo";
  readonly changes: readonly string[];
  readonly conflicts: readonly string[];
}

export interface UndoWish {
  readonly direction: "undo" | "redo";
  /** Everything since that entry; absent: the latest step. */
  readonly since?: string;
}

/**
 * Undoes or redoes; undefined where there is nothing to. Rejects with
 * "not_found" for an entry that the session has not, and with "io" where the
 * session cannot be written (then no file was touched).
 */
export async function undoFiles(
  session: Session,
  root: string,
  wish: UndoWish,
  places: Places = BY_NAME,
): Promise<UndoReport | undefined> {
  const store = new ObjectStore(`${root}/objects`);
  await finishOpen(session, store, places);
  const changes = chosen(session, wish);
  if (changes.length === 0) return undefined;
  return await carryOut(session, store, wish.direction, changes.map(({ id }) => id), places);
}

/** Carries an undo to its end that was cut off: before anything else changes files. */
export async function finishOpen(session: Session, store: ObjectStore, places: Places): Promise<void> {
  const { open } = undoHistory(session.entriesOf(...UNDO_KINDS));
  if (open === undefined) return;
  clearFresh(session, store, open, places);
  const { failed } = restore(session, store, open, places);
  await end(session, open.id, failed);
}

function chosen(session: Session, { direction, since }: UndoWish) {
  const { steps, applied, undone } = undoHistory(session.entriesOf(...UNDO_KINDS));
  if (direction === "redo") return undone.at(-1) ?? [];
  if (since === undefined) return steps.at(-1)?.changes ?? [];
  if (!session.entry(since)) {
    throw new SessionError("not_found", `Cannot undo to entry "${since}": the session has none of that id`);
  }
  const later = new Set<string>();
  let seen = false;
  for (const { id } of session.entries()) {
    if (seen) later.add(id);
    seen ||= id === since;
  }
  return applied.filter(({ id }) => later.has(id));
}

async function carryOut(
  session: Session,
  store: ObjectStore,
  direction: "undo" | "redo",
  changes: readonly string[],
  places: Places,
): Promise<UndoReport> {
  const conflicts = findConflicts(session, store, direction, changes, places);
  const fields = { kind: "undo", direction, changes, conflicts: [...conflicts].sort() } as const;
  const write = () => session.append(fields, { sync: true });
  let gone: UndoMove | undefined;
  const { id } = await write().catch(async (full) => {
    if (!isFull(full)) throw full;
    gone = freeOne(session, store, fields, places);
    if (gone === undefined) throw noRoom(session, direction, full);
    return await write().catch((error) => {
      putBack(gone!.path, gone!.expected, newId(), store, places);
      throw noRoom(session, direction, error);
    });
  });
  const { restored, ...rest } = restore(session, store, { ...fields, id }, places);
  const report = gone === undefined
    ? { restored, ...rest }
    : { restored: [...restored, gone.path].sort(), ...rest };
  try {
    await end(session, id, report.failed);
  } catch (error) {
    // The files are as they should be. The next undo finds it open, looks again and writes its end.
    if (!isFull(error)) throw error;
  }
  return report;
}

/** More is not read again where freeing it does not help. */
const MOST_FREED = 16 * 1024 * 1024;

/**
 * On a full disk there may be no room to write down what is about to happen.
 * A file that is to go anyway goes first then; its content is kept, so that
 * it can come back. Should the program die just then, the undo is not begun
 * and may be asked for again.
 */
function freeOne(
  session: Session,
  store: ObjectStore,
  { direction, changes, conflicts }: Omit<Begun, "id">,
  places: Places,
): UndoMove | undefined {
  const { moves, shown } = planOf(session, store, direction, changes);
  const sizeOf = ({ expected }: UndoMove) => expected?.type === "file" ? expected.size : 0;
  return moves
    .filter((move) => {
      const { path, expected, target } = move;
      return target === null && expected?.type === "file" && store.has(expected.hash) &&
        sizeOf(move) > 0 && sizeOf(move) <= MOST_FREED && shown(path) === path && !conflicts.includes(path);
    })
    .sort((a, b) => sizeOf(b) - sizeOf(a))
    .find(({ path, expected }) => {
      try {
        return isStraight(path) && sameState(stateOf(path, undefined, places), expected) &&
          clear(path, places);
      } catch {
        return false; // it cannot go: perhaps another one can
      }
    });
}

function noRoom({ file }: Session, direction: "undo" | "redo", cause: unknown): SessionError {
  return new SessionError("io", `Cannot begin the ${direction}: no space is left on the disk of "${file}"`, {
    cause,
    hint: "No file was changed. Free some space there (`myelin sessions gc` frees what no session needs), " +
      `then ${direction} again`,
  });
}

/** Takes away what the process that was cut off may have left beside a file. */
function clearFresh(session: Session, store: ObjectStore, open: Begun, places: Places): void {
  const fresh = freshName(open.id);
  const { moves } = planOf(session, store, open.direction, open.changes);
  const folders = moves.filter(({ target }) => target?.type === "file").map(({ path }) => folderOf(path));
  for (const folder of new Set(folders)) {
    const path = `${folder}/${fresh}`;
    try {
      if (isStraight(path)) clear(path, places);
    } catch {
      // The folder cannot be changed: what is to be put back there says so.
    }
  }
}

async function end(session: Session, undo: string, failed: readonly LostChange[]): Promise<void> {
  const paths = failed.map(({ path }) => path);
  await session.append({ kind: "undo_end", undo, ...(paths.length > 0 ? { failed: paths } : {}) }, {
    sync: true,
  });
}

/** The plan by real names. `shown`: what is to be said of a path, which may hold a secret. */
function planOf(
  session: Session,
  store: ObjectStore,
  direction: "undo" | "redo",
  ids: readonly string[],
) {
  const wanted = new Set(ids);
  const names = new Map<string, string>();
  const real = (entry: Changes): Changes => {
    if (!entry.files.some((change) => change.whole !== undefined)) return entry;
    const files: FileChange[] = [];
    const lost = [...entry.lost];
    for (const change of entry.files) {
      const one = whole(change, store);
      names.set(one.path, change.path);
      if ("before" in one) files.push(one);
      else lost.push(one);
    }
    return { ...entry, files, lost };
  };
  const changes = [...session.entriesOf("changes")].filter((entry) => wanted.has(entry.id)) as Changes[];
  const plan = planUndo(changes.map(real), direction, sameState);
  return { ...plan, shown: (path: string) => names.get(path) ?? path };
}

type Changes = Parameters<typeof planUndo>[0][number];

/** Paths where neither what we left nor what we want stands, as they are shown. */
function findConflicts(
  session: Session,
  store: ObjectStore,
  direction: "undo" | "redo",
  ids: readonly string[],
  places: Places,
): Set<string> {
  const plan = planOf(session, store, direction, ids);
  const out = new Set<string>();
  for (const move of plan.moves) {
    // Behind a link nothing of it stands; and it may be gone when this path has its turn.
    const now = isStraight(move.path) ? stateOf(move.path, undefined, places) : null;
    if (!sameState(now, move.expected) && !sameState(now, move.target)) out.add(plan.shown(move.path));
  }
  return out;
}

/** The way to the whole of it, where only a part found room. */
const NO_ROOM = {
  undo: "no space is left on the disk: free some, then take this undo back with --redo and undo again",
  redo: "no space is left on the disk: free some, then undo, and redo again",
} as const;

function restore(session: Session, store: ObjectStore, begun: Begun, places: Places): UndoReport {
  const plan = planOf(session, store, begun.direction, begun.changes);
  const { shown } = plan;
  const failure = (path: string, error: unknown): LostChange => ({
    path: shown(path),
    why: isFull(error)
      ? NO_ROOM[begun.direction]
      : (error instanceof Error ? error.message : String(error)).replaceAll(path, shown(path)),
  });
  const conflicts = new Set(begun.conflicts);
  const restored: string[] = [];
  const failed: LostChange[] = [];
  const left = new Set([...conflicts, ...plan.conflicts.map(shown)]);
  const folders: UndoMove[] = [];
  for (const move of plan.moves) {
    if (conflicts.has(shown(move.path))) continue;
    try {
      const done = moveOne(move, begun.id, store, places);
      if (done === "conflict") left.add(shown(move.path));
      else if (done) restored.push(shown(move.path));
      if (move.target?.type === "folder") folders.unshift(move);
    } catch (error) {
      failed.push(failure(move.path, error));
    }
  }
  // Last, and the deepest first: a folder may be closed to whoever puts files into it.
  for (const { path, target } of folders) {
    if (!lookAt(path, places)?.isDirectory) continue;
    try {
      putBack(path, target, begun.id, store, places);
    } catch (error) {
      failed.push(failure(path, error));
    }
  }
  return { restored: restored.sort(), conflicts: [...left].sort(), failed: [...failed, ...plan.lost] };
}

/** True where something was put back, false where it was so already. */
function moveOne(
  { path, expected, target }: UndoMove,
  undo: string,
  store: ObjectStore,
  places: Places,
): boolean | "conflict" {
  const now = stateOf(path, undefined, places);
  if (sameState(now, target)) return false;
  if (!sameState(now, expected) || !isStraight(path)) return "conflict";
  if (target === null) {
    // A folder in which somebody else has put something stays.
    return clear(path, places);
  }
  const replaces = now !== null && (now.type !== target.type || target.type === "link");
  if (replaces && !clear(path, places)) return "conflict";
  if (target.type === "folder") putBack(path, { ...target, mode: target.mode | 0o700 }, undo, store, places);
  else putBack(path, target, undo, store, places);
  return true;
}
