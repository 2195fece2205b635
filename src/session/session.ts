/**
 * A session that is open: its log, its tree and its projection, kept in
 * step. Everything appended goes to the log first; what the log refuses is
 * in neither of the others. Made by store.ts.
 */
import { newId } from "../lib/ids.ts";
import { toolCalls } from "../llm/message.ts";
import { type AnyEntry, encode, type Entry, type HeaderEntry, isKnown, type Payload } from "./entry.ts";
import { SessionError } from "./errors.ts";
import type { Lock } from "./lock.ts";
import { makeFolder } from "./log/files.ts";
import type { Damage } from "./log/format.ts";
import type { AppendOptions, LogWriter } from "./log/writer.ts";
import { withReferences } from "./attachments.ts";
import type { AttachmentStore } from "./blobs.ts";
import { artifactsPath } from "./paths.ts";
import { project, type Projection } from "./project.ts";
import type { EntryPlace, Tree } from "./tree.ts";

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
  /** All entries of these kinds, in the order of the file, without reading others. */
  entriesOf(...kinds: readonly Payload["kind"][]): Iterable<AnyEntry>;
  /** Those after the first `count`, in the order of the file. */
  entriesSince(count: number): Iterable<AnyEntry>;
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
  /** Appends entries of another session as they are, each where it is in its tree. */
  adoptTree(entries: readonly AnyEntry[]): Promise<void>;
  /** Calls back for each entry that is written from now on, with its number in the order of the file, from 1; until the answer is called. */
  watch(written: (entry: AnyEntry, seq: number) => void): () => void;
  /** The submission of that `requestId`, where there is one. */
  submission(requestId: string): Entry | undefined;
  /** Resolves when everything appended is durable. `meanwhile`: there is something to do until then. */
  sync(meanwhile?: boolean): Promise<void>;
  /** The folder for large outputs, made on first use; undefined where nothing is kept. */
  artifactsDir(): Promise<string | undefined>;
  /** Writes out what waits and gives the lock back. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a session is made of; without a writer it cannot be appended to, unless it has no file at all. */
export interface Parts {
  readonly header: HeaderEntry;
  readonly path?: string;
  readonly tree: Tree;
  readonly damages: readonly Damage[];
  readonly writer?: LogWriter;
  readonly lock?: Lock;
  /** Keeps the bytes of images; absent: they stay in the entries. */
  readonly attachments?: Pick<AttachmentStore, "put">;
  /** Of the path, where it was worked out while the file was read. */
  readonly projection?: Projection;
  /** The submissions and the calls that must not repeat, in the order of the file. */
  readonly known?: Known;
}

const SYNCED: AppendOptions = { sync: true };

/** What a session must know of all its entries, wherever they are. */
export class Known {
  /** Submissions by `requestId`: their ids. */
  readonly submissions = new Map<string, string>();
  /** Calls whose intent says that they must not repeat. */
  readonly never = new Set<string>();

  add(entry: AnyEntry): void {
    if (!isKnown(entry)) return;
    if (entry.kind === "submission" && !this.submissions.has(entry.requestId)) {
      this.submissions.set(entry.requestId, entry.id);
    }
    if (entry.kind === "intent" && entry.replay === "never") this.never.add(entry.callId);
  }
}

export class StoredSession implements Session {
  readonly id: string;
  readonly file: string | undefined;
  readonly header: HeaderEntry;
  readonly cwd: string;
  readonly damages: readonly Damage[];
  readonly #tree: Tree;
  readonly #writer: LogWriter | undefined;
  readonly #lock: Lock | undefined;
  readonly #attachments: Parts["attachments"];
  /** The entry that the next one follows: ahead of the tree while writes are on their way. */
  #tip: string | null;
  #projection: Projection | undefined;
  /** Submissions that are being written. */
  readonly #arriving = new Map<string, Promise<Entry>>();
  readonly #known: Known;
  readonly #watchers = new Set<(entry: AnyEntry, seq: number) => void>();

  constructor(parts: Parts) {
    this.header = parts.header;
    this.id = parts.header.id;
    this.cwd = parts.header.cwd;
    this.file = parts.path;
    this.damages = parts.damages;
    this.#tree = parts.tree;
    this.#writer = parts.writer;
    this.#lock = parts.lock;
    this.#attachments = parts.attachments;
    this.#tip = parts.tree.leaf;
    if (this.#writer) this.#writer.onFail = () => this.#tip = this.#tree.leaf;
    this.#known = parts.known ?? new Known();
    this.#projection = parts.projection;
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

  entriesOf(...kinds: readonly Payload["kind"][]): Iterable<AnyEntry> {
    return this.#tree.entriesOf(...kinds);
  }

  entriesSince(count: number): Iterable<AnyEntry> {
    return this.#tree.entriesSince(count);
  }

  watch(written: (entry: AnyEntry, seq: number) => void): () => void {
    this.#watchers.add(written);
    return () => this.#watchers.delete(written);
  }

  entry(id: string): AnyEntry | undefined {
    return this.#tree.get(id);
  }

  get projection(): Projection {
    return this.#projection ??= project(this.#tree.seen());
  }

  submission(requestId: string): Entry | undefined {
    const id = this.#known.submissions.get(requestId);
    return id === undefined ? undefined : this.#tree.get(id) as Entry;
  }

  async append(given: Payload, options: Partial<AppendOptions> = {}): Promise<Entry> {
    const put = this.#attachments?.put;
    const payload = put ? withReferences(given, put) : given;
    const how = { sync: options.sync ?? this.#needsSync(payload), meanwhile: options.meanwhile === true };
    if (payload.kind !== "submission") return await this.#append(payload, this.#tip, how);
    const { requestId } = payload;
    const first = this.submission(requestId) ?? this.#arriving.get(requestId);
    if (first) return await first;
    const arriving = this.#append(payload, this.#tip, how);
    this.#arriving.set(requestId, arriving);
    try {
      return await arriving;
    } finally {
      this.#arriving.delete(requestId);
    }
  }

  async moveTo(id: string | null, reason?: string): Promise<void> {
    if (id !== null && !this.#tree.has(id)) {
      throw new SessionError("not_found", `Cannot go to entry "${id}": the session has none of that id`);
    }
    await this.#append({ kind: "leaf", ...(reason === undefined ? {} : { reason }) }, id, SYNCED);
  }

  async sync(meanwhile = false): Promise<void> {
    await this.#writer?.sync(meanwhile);
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
    await Promise.all(
      entries.map((entry) => this.#write({ ...entry, parentId: this.#tip }, { sync: false })),
    );
  }

  async adoptTree(entries: readonly AnyEntry[]): Promise<void> {
    await Promise.all(entries.map((entry) => this.#write(entry, { sync: false })));
  }

  async #append(payload: Payload, parentId: string | null, how: AppendOptions): Promise<Entry> {
    const { kind, ...rest } = payload;
    const entry = { kind, id: newId(), parentId, at: new Date().toISOString(), ...rest } as Entry;
    await this.#write(entry, how);
    return entry;
  }

  async #write(entry: AnyEntry, how: AppendOptions): Promise<void> {
    let place: EntryPlace | undefined;
    if (this.#writer) {
      this.#tip = entry.id;
      place = await this.#writer.append(encode(entry), how);
    } else if (this.file !== undefined) {
      throw new SessionError("io", `Cannot write session "${this.file}": it was opened for reading`);
    } else {
      this.#tip = entry.id;
    }
    const grew = this.#tree.leaf === entry.parentId;
    this.#tree.add(entry, place);
    this.#known.add(entry);
    if (grew) this.#projection?.add(entry);
    else this.#projection = undefined;
    for (const written of this.#watchers) written(entry, this.#tree.size);
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
        return this.#known.never.has(payload.callId);
      default:
        return false;
    }
  }
}
