/**
 * Keeps what calls change in the workspace, so that it can be put back. Two
 * sources: the sheath says of each path that it is about to change (`keep`,
 * which is done when it returns), and around external programs the shadow of
 * the workspace is compared. `flush` makes one `changes` entry of both.
 *
 * What is kept and not yet in the session stands in a file beside it, so that
 * a crash in the middle of a call leaves that undoable, too. A failure to keep
 * something never stops a call: it is written down as not restorable.
 */
import type { FileChange, FileState, LostChange } from "./entry.ts";
import { isKnown } from "./entry.ts";
import { artifactsPath, folderName, PENDING } from "./paths.ts";
import { finishOpen } from "./put_back.ts";
import type { Session } from "./session.ts";
import { hidden, type Mask, whole } from "./snapshots/hidden_names.ts";
import { sameState, stateOf, type Unkept, unkept } from "./snapshots/file_state.ts";
import { LineFile } from "./snapshots/line_file.ts";
import { ObjectStore } from "./snapshots/object_store.ts";
import { BY_NAME, type Places } from "./snapshots/places.ts";
import { type Remembered, Shadow, type ShadowLimits } from "./snapshots/shadow.ts";
import { sizeOf, walkTree } from "./snapshots/tree_walk.ts";

export interface RecorderOptions {
  readonly session: Session;
  /** Absolute and free of links, with `/`. */
  readonly workspace: string;
  /** Where contents are kept ($MYELIN_HOME/snapshots). */
  readonly root: string;
  /** Folders whose files are nobody's to put back: the private one for temporary files, the program's own. */
  readonly leaveOut: readonly string[];
  readonly limits?: ShadowLimits;
  /** So many paths are kept for one change; default 10,000. */
  readonly maxPaths?: number;
  /** How files are reached while programs may swap them; default: by name. */
  readonly places?: Places;
  /** Hides secrets in names; default: none are known. */
  readonly mask?: Mask;
  /** Something that the user should know. */
  notice?(text: string): void;
}

export interface ChangeRecorder {
  /** A path (free of links, but for the last part) is about to be changed; `tree`: with all that is in it. Never throws. */
  keep(path: string, tree?: boolean): void;
  /** A program is about to be started; resolves when the workspace's state before it is known. */
  beforeProgram(): Promise<void>;
  programStarted(): void;
  programEnded(): void;
  /** Starts to learn the workspace's state, so that the first program need not wait for it. */
  prepare(): void;
  /**
   * Writes down what has changed since the last time; answers with the entry's
   * id, undefined where nothing has. `others`: other calls run, which may be
   * about to change what they had kept.
   */
  flush(callId: string | null, others?: boolean): Promise<string | undefined>;
  /** What has changed in the workspace until now was somebody else's doing, or is written down already. */
  forget(): void;
  close(): Promise<void>;
}

/** Larger files are not kept when they are removed or overwritten, either. */
const KEEP_BYTES = 512 * 1024 * 1024;
/** Bytes of files that are kept for one call. */
const CALL_BYTES = 1024 * 1024 * 1024;
const MAX_PATHS = 10_000;
/** What the system makes up is no content, and reading it may never end. */
const SYSTEM = /^\/(proc|sys|dev)\//;

const TOO_LARGE = "it is too large to be kept";

/** Paths with what stood and what stands there. */
type States = Map<string, { before: FileState | Unkept; after: FileState | Unkept }>;

/** A line of the file of what is being changed. */
type PendingLine =
  | { readonly path: string; readonly before: FileState | Unkept }
  | { readonly programs: true };

/** Rejects where what an earlier process left cannot be written down. */
export async function createRecorder(options: RecorderOptions): Promise<ChangeRecorder> {
  const { session, workspace, places = BY_NAME, mask = (text: string) => text } = options;
  const store = new ObjectStore(`${options.root}/objects`);
  const shadow = new Shadow(workspace, store, options.limits, options.leaveOut, places);
  const memory = new LineFile(`${options.root}/workspaces/${folderName(workspace)}.jsonl`);
  const pendingFile = session.file === undefined
    ? undefined
    : new LineFile(`${artifactsPath(session.file)}/${PENDING}`);
  const pending = new Map<string, FileState | Unkept>();
  const maxPaths = options.maxPaths ?? MAX_PATHS;
  /** Folders of which not everything was kept. */
  const overfull = new Set<string>();
  let programsRan = false;
  let running = 0;
  let kept = 0;
  let remembered = 0;
  let toldUnwatched = false;
  let preparing: Promise<void> | undefined;
  /** Changes of the shadow one after the other. */
  let turn: Promise<unknown> = Promise.resolve();

  function note(line: PendingLine): void {
    try {
      pendingFile?.append([line]);
    } catch {
      // Without it only a crash in this very call loses the knowledge; the call must go on.
    }
  }

  function set(path: string, before: FileState | Unkept): void {
    pending.set(path, before);
    note({ path, before });
  }

  function keepOne(path: string): void {
    if (pending.has(path)) return;
    const size = sizeOf(path, places);
    if (size > KEEP_BYTES || kept + size > CALL_BYTES) {
      return set(path, unkept(path, TOO_LARGE, places));
    }
    kept += size;
    set(path, stateOf(path, store, places));
  }

  function prepare(): Promise<void> {
    return preparing ??= (async () => {
      const lines = rememberedLines();
      remembered = lines.length;
      shadow.remember(lines);
      await shadow.prepare();
      saveNews();
      if (shadow.overflowed) {
        options.notice?.(
          "There are too many files here to watch: what external programs change cannot be undone. " +
            "What tools and the shell itself change can.",
        );
      }
    })();
  }

  function rememberedLines(): Remembered[] {
    return (memory.read() as Remembered[]).filter((line) =>
      Array.isArray(line) && typeof line[0] === "string" && typeof line[6] === "string"
    );
  }

  /** What was learned is of use to the next process; not keeping it costs only time. */
  function saveNews(): void {
    const news = shadow.news();
    try {
      memory.append(news);
      remembered += news.length;
    } catch {
      // Disk full or no right: the next process reads the files again.
    }
  }

  function inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work, work);
    turn = done.catch(() => {});
    return done;
  }

  async function beforeProgram(): Promise<void> {
    await prepare();
    await inOrder(() => {
      // What has changed since a program ran is its doing as long as one runs; else it is somebody else's, or known.
      if (programsRan || shadow.overflowed) return Promise.resolve();
      shadow.look();
      saveNews();
      programsRan = true;
      note({ programs: true });
      return Promise.resolve();
    });
  }

  function flush(callId: string | null, others = false): Promise<string | undefined> {
    return inOrder(async () => {
      const lost: LostChange[] = [];
      const states: States = new Map();
      const differences = programsRan ? shadow.look() : [];
      for (const one of differences) states.set(one.path, one);
      for (const [path, before] of pending) {
        const after = states.get(path)?.after ?? stateNow(path);
        states.set(path, { before, after });
        addNewTree(path, before, after, states);
      }
      if (programsRan && !toldUnwatched && shadow.unwatched.length > 0) {
        toldUnwatched = true;
        const why = "git ignores it, and there is too much in it to watch: programs may have changed it";
        lost.push(...shadow.unwatched.map((path) => ({ path, why })));
      }
      const files = collect(states, lost);
      for (const path of overfull) lost.push({ path, why: "there is too much in it to be kept" });
      overfull.clear();
      saveNews();
      let id: string | undefined;
      if (files.length > 0 || lost.length > 0) {
        id = (await session.append(told(callId, files, lost))).id;
      }
      const open = others ? [...pending.keys()].map((path) => [path, states.get(path)!.after] as const) : [];
      pending.clear();
      kept = 0;
      programsRan = running > 0;
      forgetPending();
      // What they go on to change is held against what stands there now.
      for (const [path, after] of open) set(path, after);
      return id;
    });
  }

  /** What the session is to say. */
  function told(callId: string | null, files: readonly FileChange[], lost: readonly LostChange[]) {
    return {
      kind: "changes",
      callId,
      files: files.map((change) => hidden(change, mask, store)),
      lost: lost.map(({ path, why }) => ({ path: mask(path), why: mask(why) })),
    } as const;
  }

  function forgetPending(): void {
    try {
      pendingFile?.clear();
      if (programsRan) note({ programs: true });
    } catch {
      // What is left there is compared with the session at the next start.
    }
  }

  function stateNow(path: string): FileState | Unkept {
    return sizeOf(path, places) > KEEP_BYTES ? unkept(path, TOO_LARGE, places) : stateOf(path, store, places);
  }

  /** Everything in a folder that was not there before is new. */
  function addNewTree(
    path: string,
    before: FileState | Unkept,
    after: FileState | Unkept,
    states: States,
  ): void {
    if (after?.type !== "folder" || before?.type === "folder") return;
    for (const inner of walkTree(path, places)) {
      if (inner === path || states.has(inner) || pending.has(inner)) continue;
      states.set(inner, { before: null, after: stateNow(inner) });
      if (states.size >= maxPaths) {
        overfull.add(path);
        return;
      }
    }
  }

  /** Takes up what an earlier process was changing when it ended. */
  async function recover(): Promise<void> {
    await finishOpen(session, store, places);
    const lines = (pendingFile?.read() ?? []) as PendingLine[];
    if (lines.length === 0) return;
    const states: States = new Map();
    if (lines.some((line) => "programs" in line)) await compareRemembered(states);
    for (const line of lines) {
      if (!("path" in line) || typeof line.path !== "string") continue;
      const after = stateNow(line.path);
      states.set(line.path, { before: line.before, after });
      addNewTree(line.path, line.before, after, states);
    }
    for (const path of alreadyTold()) states.delete(path);
    const lost: LostChange[] = [];
    const files = collect(states, lost);
    if (files.length > 0 || lost.length > 0) {
      await session.append(told(null, files, lost), { sync: true });
    }
    pendingFile?.clear();
  }

  /** The workspace now against what was known of it when a program was started. */
  async function compareRemembered(states: States): Promise<void> {
    const known = new Map<string, FileState>();
    for (const [path, size, , , , mode, hash] of rememberedLines()) {
      if (hash === "") known.delete(path);
      else known.set(path, { type: "file", hash, size, mode });
    }
    await prepare();
    if (shadow.overflowed) return;
    for (const [path, after] of shadow.kept()) {
      states.set(path, { before: known.get(path) ?? null, after });
      known.delete(path);
    }
    for (const [path, before] of known) states.set(path, { before, after: stateNow(path) });
  }

  /** The paths of the last changes: they were written down before the file beside was cleared. */
  function alreadyTold(): string[] {
    const last = [...session.entriesOf("changes")].at(-1);
    if (last === undefined || !isKnown(last) || last.kind !== "changes") return [];
    return last.files.map((change) => whole(change, store))
      .filter((change) => "after" in change && sameState(change.after, stateNow(change.path)))
      .map(({ path }) => path);
  }

  await recover();
  return {
    keep(path, tree = false) {
      if (options.leaveOut.some((folder) => path === folder || path.startsWith(folder + "/"))) return;
      if (SYSTEM.test(path)) return;
      for (const one of tree ? walkTree(path, places) : [path]) {
        if (pending.size >= maxPaths && !pending.has(one)) {
          overfull.add(path);
          return;
        }
        keepOne(one);
      }
    },
    beforeProgram,
    programStarted: () => void running++,
    programEnded: () => void running--,
    prepare: () => void prepare().catch(() => {/* told when a program needs it */}),
    flush,
    forget() {
      if (!shadow.ready) return;
      shadow.look();
      saveNews();
    },
    async close() {
      // What background commands have done since the last call.
      await flush(null).catch(() => {});
      if (shadow.ready && remembered > 50_000) {
        try {
          memory.clear();
        } catch {
          // Too long a file costs time at the next start, nothing else.
        }
      }
      memory.close();
      store.close();
      pendingFile?.close();
    },
  };
}

/** What can be put back, and what cannot, sorted by path. */
function collect(states: States, lost: LostChange[]): FileChange[] {
  const files: FileChange[] = [];
  for (const path of [...states.keys()].sort()) {
    const { before, after } = states.get(path)!;
    if (sameState(before, after)) continue;
    if (before?.type === "unkept") lost.push({ path, why: before.why });
    else if (after?.type === "unkept") lost.push({ path, why: after.why });
    else files.push({ path, before, after });
  }
  return files;
}
