/**
 * What calls change in files, for undo: the session's recorder behind the
 * port of the sheath, opened when the sheath is, and an entry after each call
 * that may have changed something, before its result is written.
 */
import type { Tools } from "../agent/tool.ts";
import { describe } from "../lib/errors.ts";
import type { FileKeeper, HeldPlaces } from "../sandbox/mod.ts";
import { type ChangeRecorder, openRecorder, type RecorderOptions, undoFiles } from "../session/mod.ts";
import type { UndoReport, UndoWish } from "../session/mod.ts";

/** What calls change in files, so that it can be undone. */
export interface FileChanges {
  /** The port for the sheath; undefined where nothing is recorded. `leaveOut`: folders that are not the user's. */
  keeper(leaveOut: readonly string[]): Promise<FileKeeper | undefined>;
  /** The same tools; what they change is written down after each call. */
  recording(tools: Tools): Tools;
  /** Puts files back; undefined where there is nothing to. */
  undo(wish: UndoWish): Promise<UndoReport | undefined>;
  close(): Promise<void>;
}

/** So long no call has run: the model thinks. A program that comes sooner waits for it. */
const PREPARE_AFTER_MS = 200;

export function recordChanges(
  options: Omit<RecorderOptions, "leaveOut" | "notice"> & { notice(text: string): void },
): FileChanges {
  const { session, root, notice } = options;
  /** Calls that may change something and run now. */
  let active = 0;
  let preparing: ReturnType<typeof setTimeout> | undefined;
  /** Calls that run now, and when the last one ended. */
  let running = 0;
  let quietSince = 0;
  let places: HeldPlaces | undefined;
  let opening: Promise<ChangeRecorder | undefined> | undefined;

  /** Where it cannot be opened, the run goes on without, and the user is told. */
  function open(leaveOut: readonly string[]): Promise<ChangeRecorder | undefined> {
    if (session.file === undefined) return Promise.resolve(undefined);
    return opening ??= openHeld(leaveOut).catch((error) => {
      notice(`Changes of files are not kept for undo: ${describe(error)}`);
      return undefined;
    });
  }

  /** Programs of the model may swap folders and links while files are kept and put back: so they are held. */
  async function openHeld(leaveOut: readonly string[]): Promise<ChangeRecorder> {
    const { loadHeldPlaces } = await import("../sandbox/mod.ts");
    places = await loadHeldPlaces();
    return await openRecorder({ ...options, leaveOut, places });
  }

  /** While the model thinks there is time to learn how files stand, before a program runs. */
  function prepareIn(ms: number): void {
    preparing = setTimeout(() => {
      const left = quietSince + PREPARE_AFTER_MS - performance.now();
      if (running > 0 || left > 0) return prepareIn(Math.max(left, PREPARE_AFTER_MS / 4));
      void opening?.then((recorder) => recorder?.prepare());
    }, ms);
  }

  return {
    keeper: open,
    recording: (tools) => ({
      entries: tools.entries,
      async run(name, args, context) {
        if (preparing === undefined) prepareIn(PREPARE_AFTER_MS);
        const writes = tools.entries.find((entry) => entry.name === name)?.effects === "write";
        running++;
        if (writes) active++;
        try {
          return await tools.run(name, args, context);
        } finally {
          running--;
          if (writes) {
            active--;
            await (await opening)?.flush(context.callId, active > 0);
          }
          quietSince = performance.now();
        }
      },
    }),
    async undo(wish) {
      if (session.file === undefined) return undefined;
      const recorder = await open([]);
      await recorder?.flush(null);
      const report = await undoFiles(session, root, wish, places);
      recorder?.forget();
      return report;
    },
    async close() {
      clearTimeout(preparing);
      await (await opening)?.close();
      places?.close();
    },
  };
}
