/**
 * Sessions on disk: made, opened to go on with, and read. One opening for
 * writing at a time, held by a lock; reading needs none and changes nothing.
 */
import type { AttachmentStore } from "./blobs.ts";
import { newId } from "../lib/ids.ts";
import { type AnyEntry, asEntry, asHeader, encode, FORMAT_VERSION, type HeaderEntry } from "./entry.ts";
import { SessionError } from "./errors.ts";
import { type Lock, lockSession } from "./lock.ts";
import { type Disk, type LogFile, realDisk } from "./log/disk.ts";
import { realPath } from "./log/files.ts";
import type { Damage } from "./log/format.ts";
import { ioError, isFull } from "./log/io_error.ts";
import { readLog } from "./log/reader.ts";
import { parseDamaged, setAside } from "./log/repair.ts";
import { cutTail, endsOpen, LogWriter } from "./log/writer.ts";
import { fileName, folderName, idOf } from "./paths.ts";
import { Known, type Session, type SessionView, StoredSession } from "./session.ts";
import { Projection } from "./project.ts";
import { type LoadEntry, Tree } from "./tree.ts";

export interface CreateOptions {
  /** The folder of all sessions ($MYELIN_HOME/sessions). */
  readonly root: string;
  readonly cwd: string;
  readonly forkedFrom?: HeaderEntry["forkedFrom"];
  /** Keeps the bytes of images; absent: they stay in the entries. */
  readonly attachments?: AttachmentStore;
  readonly disk?: Disk;
}

export interface OpenOptions {
  /** The workspace to assume where the file's header is lost. */
  readonly cwd?: string;
  readonly attachments?: AttachmentStore;
  readonly disk?: Disk;
}

/** Makes a session: its file and header are there when this resolves. */
export async function createSession(options: CreateOptions): Promise<Session> {
  const header = newHeader(newId(), options.cwd, options.forkedFrom);
  const path = `${options.root}/${folderName(options.cwd)}/${fileName(header.id, new Date(header.at))}`;
  const lock = await lockSession(path);
  try {
    const disk = options.disk ?? realDisk;
    const file = await disk.create(path);
    const writer = new LogWriter(file, path, { end: 0, open: false });
    const tree = new Tree(loadFrom(file, path));
    const session = new StoredSession({ header, path, tree, damages: [], writer, lock, ...kept(options) });
    try {
      await writer.append(encode(header), { sync: false });
    } catch (error) {
      await writer.close();
      // An empty one would be the newest of its folder, and gone on with in place of what was said before.
      disk.discard(path);
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
    const read = await readAll(file, path, options.cwd, loadFrom(file, path));
    if (read.header.version > FORMAT_VERSION) throw newer(path, read.header.version);
    const damages = await setAside(disk, path, file, read.damages).catch((error) => {
      // What is not cut off stays in the file: it is set aside, and told again, when there is room.
      if (isFull(error) && !read.damages.some(({ torn }) => torn)) return read.damages;
      throw ioError(error, `Cannot set aside what is damaged in session "${path}"`);
    });
    await cutTail(file, damages);
    const end = await file.size();
    const writer = new LogWriter(file, path, { end, open: await endsOpen(file, end) });
    if (!read.hasHeader) await writer.append(encode(read.header), { sync: true });
    return new StoredSession({ ...read, path, damages, writer, lock, ...kept(options) });
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
    return new StoredSession({ ...await readAll(file, path, options.cwd), path });
  } finally {
    file.close();
  }
}

function kept({ attachments }: { readonly attachments?: AttachmentStore }) {
  return attachments === undefined ? {} : { attachments };
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
  readonly known: Known;
  /** Of the path, unless the tree has branches. */
  readonly projection: Projection | undefined;
}

/** Reads entries again from an open file. */
function loadFrom(file: LogFile, path: string): LoadEntry {
  return ({ byte, length }, id) => {
    const bytes = new Uint8Array(length);
    let entry: AnyEntry | undefined;
    try {
      entry = file.readSync(bytes, byte) === length ? asEntry(parseDamaged(bytes)?.value) : undefined;
    } catch (error) {
      throw new SessionError("damaged", `Cannot read session "${path}" at byte ${byte}`, { cause: error });
    }
    if (entry?.id === id) return entry;
    throw new SessionError("damaged", `Session "${path}" has changed at byte ${byte} since it was opened`);
  };
}

async function readAll(
  file: LogFile,
  path: string,
  cwd: string | undefined,
  load?: LoadEntry,
): Promise<ReadResult> {
  const tree = new Tree(load);
  const known = new Known();
  let projection: Projection | undefined = new Projection();
  const damages: Damage[] = [];
  let header: HeaderEntry | undefined;
  await readLog(file, {
    take(value, place) {
      const entry = asEntry(value);
      if (entry) {
        const { leaf } = tree;
        const added = tree.add(entry, place);
        if (added === "duplicate") damages.push({ ...place, what: "an id that was there before" });
        if (added === "adopted") {
          damages.push({ ...place, what: "the entry before it is missing", used: true });
        }
        if (added !== "duplicate") {
          known.add(entry);
          // As long as each entry follows the one before, the path is what was read; else it is worked out when asked for.
          if (added === "added" && entry.parentId !== leaf) projection = undefined;
          projection?.add(entry);
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
    known,
    projection,
  };
}
