/** Undo of files, loaded when something may change or is to be put back: a run that only answers needs none of it. */
import type { ChangeRecorder, RecorderOptions } from "./change_recorder.ts";
import type { UndoReport, UndoWish } from "./put_back.ts";
import type { Session } from "./session.ts";
import type { Places } from "./snapshots/places.ts";
import type { Freed, GarbagePlaces } from "./snapshots/garbage.ts";

export type { ChangeRecorder, Freed, GarbagePlaces, Places, RecorderOptions, UndoReport, UndoWish };

/** See `createRecorder`. */
export async function openRecorder(options: RecorderOptions): Promise<ChangeRecorder> {
  const { createRecorder } = await import("./change_recorder.ts");
  return await createRecorder(options);
}

/** See `snapshots/garbage.ts`. */
export async function collectGarbage(places: GarbagePlaces): Promise<Freed> {
  const { collectGarbage: collect } = await import("./snapshots/garbage.ts");
  return collect(places);
}

/** See `put_back.ts`. */
export async function undoFiles(
  session: Session,
  root: string,
  wish: UndoWish,
  places?: Places,
): Promise<UndoReport | undefined> {
  const { undoFiles: carryOut } = await import("./put_back.ts");
  return await carryOut(session, root, wish, places);
}
