/**
 * A session that is open: its log, its tree and its projection, kept in
 * step. Everything appended goes to the log first; what the log refuses is
 * in neither of the others. One opening at a time, held by a lock.
 */
import { newId } from "../lib/ids.ts";
import { toolCalls } from "../llm/message.ts";
import {
  type AnyEntry,
  asEntry,
  asHeader,
  encode,
  type Entry,
  FORMAT_VERSION,
  type HeaderEntry,
  type Payload,
} from "./entry.ts";
import { SessionError } from "./errors.ts";
import { type Lock, lockSession } from "./lock.ts";
import { type Disk, type LogFile, makeFolder, realDisk, realPath } from "./log/disk.ts";
import type { Damage } from "./log/format.ts";
import { readLog } from "./log/reader.ts";
import { setAside } from "./log/repair.ts";
import { type AppendOptions, cutTail, endsOpen, LogWriter } from "./log/writer.ts";
import { artifactsPath, fileName, folderName, idOf } from "./paths.ts";
import { project, type Projection } from "./project.ts";
import { Tree } from "./tree.ts";

/** A session as it was read. */
export interface SessionView {
  readonly id: string;
  /** Undefined where nothing is kept. */
  readonly file: string | undefined;
  readonly header: HeaderEntry;
  /** The workspace that it was made for; empty where that is lost. */
  readonly cwd: string;
  /** What could not be read as it should be; those with `known` were told before. */
  readonly damages: readonly Damage[];
  readonly leaf: string | null;
  /** From a root to the leaf. */
  path(): readonly AnyEntry[];
  /** From a root to that entry; empty for null or one that is not there. */
  pathTo(id: string | null): readonly AnyEntry[];
  /** All entries, in the order of the file. */
  entries(): Iterable<AnyEntry>;
  entry(id: string): AnyEntry | undefined;
  /** Of the path as it is now; the same object as long as the path only grows. */
  readonly projection: Projection;
}

export interface Session extends SessionView {
  /**
   * Appends to the path; resolves when it is written, and where its kind
   * needs it (or `sync` asks for it) durable. Rejects with a `SessionError`;
   * then the entry is in neither file nor path. A submission whose
   * `requestId` is there already is not appended: the first one is answered.
   */
  append(payload: Payload, options?: Partial<AppendOptions>): Promise<Entry>;
  /** Goes back (or across) in the tree: the path ends at `id` from now on. Null: before the first entry. */
  moveTo(id: string | null, reason?: string): Promise<void>;
  /** Appends entries of another session as they are, each following the one before: how a fork begins. */
  adopt(entries: readonly AnyEntry[]): Promise<void>;
  /** The submission of that `requestId`, where there is one. */
  submission(requestId: string): Entry | undefined;
  /** Resolves when everything appended is durable. */
  sync(): Promise<void>;
  /** The folder for large outputs, made on first use; undefined where nothing is kept. */
  artifactsDir(): Promise<string | undefined>;
  /** Writes out what waits and gives the lock back. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface CreateOptions {
  /** The folder of all sessions ($MYELIN_HOME/sessions). */
  readonly root: string;
  readonly cwd: string;
  readonly forkedFrom?: HeaderEntry["forkedFrom"];
  readonly disk?: Disk;
}

export interface OpenOptions {
  /** The workspace to assume where the file's header is lost. */
  readonly cwd?: string;
  readonly disk?: Disk;
}

/** Makes a session: its file and header are there when this resolves. */
export async function createSession(options: CreateOptions): Promise<Session> {
  const header = newHeader(newId(), options.cwd, options.forkedFrom);
  const path = `${options.root}/${folderName(options.cwd)}/${fileName(header.id, new Date(header.at))}`;
  const lock = await lockSession(path);
  try {
    const file = await (options.disk ?? realDisk).create(path);
    const writer = new LogWriter(file, path, { end: 0, open: false });
    const session = new StoredSession({ header, path, tree: new Tree(), damages: [], writer, lock });
    try {
      await writer.append(encode(header), { sync: false });
    } catch (error) {
      await writer.close();
      throw error;
    }
    return session;
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A session that is kept in memory only. */
export function createMemorySession(options: { readonly cwd: string }): Session {
  return new StoredSession({ header: newHeader(newId(), options.cwd), tree: new Tree(), damages: [] });
}

/** Opens a session to go on with it. Rejects with code "busy", "not_found", "newer_version" or "io". */
export async function openSession(name: string, options: OpenOptions = {}): Promise<Session> {
  const disk = options.disk ?? realDisk;
  // A link to a session must meet the same lock as the session.
  const path = realPath(name);
  const file = await disk.open(path);
  let lock: Lock | undefined;
  try {
    lock = await lockSession(path);
    const read = await readAll(file, path, options.cwd);
    if (read.header.version > FORMAT_VERSION) throw newer(path, read.header.version);
    const damages = await setAside(disk, path, file, read.damages);
    await cutTail(file, damages);
    const end = await file.size();
    const writer = new LogWriter(file, path, { end, open: await endsOpen(file, end) });
    if (!read.hasHeader) await writer.append(encode(read.header), { sync: true });
    return new StoredSession({ header: read.header, path, tree: read.tree, damages, writer, lock });
  } catch (error) {
    lock?.release();
    file.close();
    throw error;
  }
}

/** Reads a session without a lock and without changing anything, while somebody may be writing it. */
export async function readSession(path: string, options: OpenOptions = {}): Promise<SessionView> {
  const file = await (options.disk ?? realDisk).open(path, { readOnly: true });
  try {
    const { header, tree, damages } = await readAll(file, path, options.cwd);
    return new StoredSession({ header, path, tree, damages });
  } finally {
    file.close();
  }
}

function newHeader(id: string, cwd: string, forkedFrom?: HeaderEntry["forkedFrom"]): HeaderEntry {
  return {
    kind: "session",
    version: FORMAT_VERSION,
    id,
    cwd,
    at: new Date().toISOString(),
    ...(forkedFrom ? { forkedFrom } : {}),
  };
}

function newer(path: string, version: number): SessionError {
  return new SessionError(
    "newer_version",
    `Cannot continue session "${path}": it has format ${version}, and this program writes ${FORMAT_VERSION}`,
    { hint: "Use a newer myelin for it, or read it with `myelin sessions show`" },
  );
}

interface ReadResult {
  readonly header: HeaderEntry;
  readonly hasHeader: boolean;
  readonly tree: Tree;
  readonly damages: Damage[];
}

async function readAll(file: LogFile, path: string, cwd: string | undefined): Promise<ReadResult> {
  const tree = new Tree();
  const damages: Damage[] = [];
  let header: HeaderEntry | undefined;
  await readLog(file, {
    take(value, place) {
      const entry = asEntry(value);
      if (entry) {
        const added = tree.add(entry);
        if (added === "duplicate") damages.push({ ...place, what: "an id that was there before" });
        if (added === "adopted") {
          damages.push({ ...place, what: "the entry before it is missing", used: true });
        }
        if ("unfit" in entry) {
          damages.push({ ...place, what: `"${entry.kind}" without all that it needs`, used: true });
        }
        return true;
      }
      const found = asHeader(value);
      if (found) header ??= found;
      return found !== undefined;
    },
    damage: (damage) => damages.push(damage),
  });
  if (!header && damages.length === 0) damages.push({ line: 1, byte: 0, length: 0, what: "no header" });
  return {
    header: header ?? newHeader(idOf(path) ?? newId(), cwd ?? ""),
    hasHeader: header !== undefined,
    tree,
    damages,
  };
}

interface Parts {
  readonly header: HeaderEntry;
  readonly path?: string;
  readonly tree: Tree;
  readonly damages: readonly Damage[];
  readonly writer?: LogWriter;
  readonly lock?: Lock;
}

class StoredSession implements Session {
  readonly id: string;
  readonly file: string | undefined;
  readonly header: HeaderEntry;
  readonly cwd: string;
  readonly damages: readonly Damage[];
  readonly #tree: Tree;
  readonly #writer: LogWriter | undefined;
  readonly #lock: Lock | undefined;
  /** The entry that the next one follows: ahead of the tree while writes are on their way. */
  #tip: string | null;
  #projection: Projection | undefined;
  readonly #submissions = new Map<string, Entry>();
  /** Submissions that are being written. */
  readonly #arriving = new Map<string, Promise<Entry>>();
  /** Calls whose intent says that they must not repeat. */
  readonly #never = new Set<string>();

  constructor(parts: Parts) {
    this.header = parts.header;
    this.id = parts.header.id;
    this.cwd = parts.header.cwd;
    this.file = parts.path;
    this.damages = parts.damages;
    this.#tree = parts.tree;
    this.#writer = parts.writer;
    this.#lock = parts.lock;
    this.#tip = parts.tree.leaf;
    if (this.#writer) this.#writer.onFail = () => this.#tip = this.#tree.leaf;
    for (const entry of parts.tree.entries()) this.#remember(entry as Entry);
  }

  get leaf(): string | null {
    return this.#tree.leaf;
  }

  path(): readonly AnyEntry[] {
    return this.#tree.path();
  }

  pathTo(id: string | null): readonly AnyEntry[] {
    return this.#tree.pathTo(id);
  }

  entries(): Iterable<AnyEntry> {
    return this.#tree.entries();
  }

  entry(id: string): AnyEntry | undefined {
    return this.#tree.get(id);
  }

  get projection(): Projection {
    return this.#projection ??= project(this.#tree.path());
  }

  submission(requestId: string): Entry | undefined {
    return this.#submissions.get(requestId);
  }

  async append(payload: Payload, options: Partial<AppendOptions> = {}): Promise<Entry> {
    const sync = options.sync ?? this.#needsSync(payload);
    if (payload.kind !== "submission") return await this.#append(payload, this.#tip, sync);
    const { requestId } = payload;
    const first = this.#submissions.get(requestId) ?? this.#arriving.get(requestId);
    if (first) return await first;
    const arriving = this.#append(payload, this.#tip, sync);
    this.#arriving.set(requestId, arriving);
    try {
      return await arriving;
    } finally {
      this.#arriving.delete(requestId);
    }
  }

  async moveTo(id: string | null, reason?: string): Promise<void> {
    if (id !== null && !this.#tree.get(id)) {
      throw new SessionError("not_found", `Cannot go to entry "${id}": the session has none of that id`);
    }
    await this.#append({ kind: "leaf", ...(reason === undefined ? {} : { reason }) }, id, true);
  }

  async sync(): Promise<void> {
    await this.#writer?.sync();
  }

  async artifactsDir(): Promise<string | undefined> {
    if (this.file === undefined) return undefined;
    const folder = artifactsPath(this.file);
    await makeFolder(folder);
    return folder;
  }

  async close(): Promise<void> {
    await this.#writer?.close();
    this.#lock?.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async adopt(entries: readonly AnyEntry[]): Promise<void> {
    await Promise.all(entries.map((entry) => this.#write({ ...entry, parentId: this.#tip }, false)));
  }

  async #append(payload: Payload, parentId: string | null, sync: boolean): Promise<Entry> {
    const { kind, ...rest } = payload;
    const entry = { kind, id: newId(), parentId, at: new Date().toISOString(), ...rest } as Entry;
    await this.#write(entry, sync);
    return entry;
  }

  async #write(entry: AnyEntry, sync: boolean): Promise<void> {
    if (this.#writer) {
      this.#tip = entry.id;
      await this.#writer.append(encode(entry), { sync });
    } else if (this.file !== undefined) {
      throw new SessionError("io", `Cannot write session "${this.file}": it was opened for reading`);
    } else {
      this.#tip = entry.id;
    }
    const grew = this.#tree.leaf === entry.parentId;
    this.#tree.add(entry);
    this.#remember(entry as Entry);
    if (grew) this.#projection?.add(entry);
    else this.#projection = undefined;
  }

  #remember(entry: Entry): void {
    if (entry.kind === "submission" && !this.#submissions.has(entry.requestId)) {
      this.#submissions.set(entry.requestId, entry);
    }
    if (entry.kind === "intent" && entry.replay === "never") this.#never.add(entry.callId);
  }

  #needsSync(payload: Payload): boolean {
    switch (payload.kind) {
      case "submission":
      case "run_end":
        return true;
      case "assistant":
        return toolCalls(payload.message).length > 0;
      case "intent":
        return payload.replay === "never";
      case "result":
        return this.#never.has(payload.callId);
      default:
        return false;
    }
  }
}
