/**
 * Storage as the log sees it: a tiny port, so that tests can own the disk
 * (forget what was not synced, run full), and the real one over Deno. All
 * contact of the session layer with the file system is in this folder, in
 * `lock.ts` and in `blobs.ts`.
 */
import { SessionError } from "../errors.ts";

/** A file that is read anywhere and written at its end. */
export interface LogFile {
  /** Fills `into` from offset `at`; less only at the end of the file. */
  read(into: Uint8Array, at: number): Promise<number>;
  /** Writes at the end; may write less than all. */
  append(bytes: Uint8Array): Promise<number>;
  /** Resolves when what was written survives a power cut. */
  syncData(): Promise<void>;
  truncate(length: number): Promise<void>;
  size(): Promise<number>;
  close(): void;
}

export interface Disk {
  /** Makes a new file, and its folder; rejects where it is there already. */
  create(path: string): Promise<LogFile>;
  /** Opens for reading and appending; `make`: a missing one is made. */
  open(path: string, options?: { readonly make?: boolean; readonly readOnly?: boolean }): Promise<LogFile>;
}

class RealFile implements LogFile {
  readonly #file: Deno.FsFile;
  /** A folder whose list of names must be synced once, with the file's first sync. */
  #folder: string | undefined;

  constructor(file: Deno.FsFile, folder?: string) {
    this.#file = file;
    this.#folder = folder;
  }

  async read(into: Uint8Array, at: number): Promise<number> {
    this.#file.seekSync(at, Deno.SeekMode.Start);
    let filled = 0;
    while (filled < into.length) {
      const count = await this.#file.read(into.subarray(filled));
      if (count === null) break;
      filled += count;
    }
    return filled;
  }

  append(bytes: Uint8Array): Promise<number> {
    return this.#file.write(bytes);
  }

  async syncData(): Promise<void> {
    await this.#file.syncData();
    if (this.#folder === undefined) return;
    const folder = this.#folder;
    this.#folder = undefined;
    await syncFolder(folder);
  }

  truncate(length: number): Promise<void> {
    return this.#file.truncate(length);
  }

  async size(): Promise<number> {
    return (await this.#file.stat()).size;
  }

  close(): void {
    this.#file.close();
  }
}

/** A new name is durable only when its folder is. Not every system can open folders; those that cannot need no sync. */
async function syncFolder(folder: string): Promise<void> {
  try {
    using file = await Deno.open(folder, { read: true });
    await file.sync();
  } catch {
    // Windows refuses to open folders; its file system journals names itself.
  }
}

export const realDisk: Disk = {
  async create(path) {
    const folder = folderOf(path);
    try {
      await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
      const file = await Deno.open(path, { read: true, append: true, createNew: true, mode: 0o600 });
      return new RealFile(file, folder);
    } catch (error) {
      throw ioError(error, `Cannot create session file "${path}"`);
    }
  },
  async open(path, options = {}) {
    try {
      const file = await Deno.open(
        path,
        options.readOnly
          ? { read: true }
          : { read: true, append: true, create: options.make === true, mode: 0o600 },
      );
      return new RealFile(file);
    } catch (error) {
      throw ioError(error, `Cannot open session file "${path}"`);
    }
  },
};

/** The folder that a path stands in. */
export function folderOf(path: string): string {
  const end = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return end <= 0 ? path.slice(0, end + 1) || "." : path.slice(0, end);
}

const SPACE = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const RIGHTS = new Set(["EACCES", "EPERM", "EROFS"]);

/** An error of the file system as a `SessionError`; what is one already stays. */
export function ioError(error: unknown, what: string): SessionError {
  if (error instanceof SessionError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  const text = error instanceof Error ? error.message : String(error);
  const message = `${what}: ${text}`;
  if (error instanceof Deno.errors.NotFound) return new SessionError("not_found", message, { cause: error });
  if (typeof code === "string" && SPACE.has(code)) {
    return new SessionError("io", message, {
      cause: error,
      hint: "Free some disk space and go on with --continue; nothing that was acknowledged is lost",
    });
  }
  if (
    (typeof code === "string" && RIGHTS.has(code)) || error instanceof Deno.errors.PermissionDenied
  ) {
    return new SessionError("io", message, {
      cause: error,
      hint:
        "Check who owns the folder and its permissions, set MYELIN_HOME to another folder, or use --no-session",
    });
  }
  return new SessionError("io", message, { cause: error });
}

/** Where a path really leads, absolute; itself where that cannot be told. */
export function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    // Not there, or on no real disk: whoever opens it is told.
    return path;
  }
}

/** Makes a folder that only its owner may enter. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw ioError(error, `Cannot create folder "${path}"`);
  }
}

/** A file as a listing sees it. */
export interface Found {
  readonly path: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** The names in a folder; none where it is not there. */
export function names(folder: string): { readonly name: string; readonly isFolder: boolean }[] {
  try {
    return Array.from(
      Deno.readDirSync(folder),
      (entry) => ({ name: entry.name, isFolder: entry.isDirectory }),
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return [];
    throw ioError(error, `Cannot read folder "${folder}"`);
  }
}

/** What is at `path`; undefined where no file is (any longer). */
export function find(path: string): Found | undefined {
  try {
    const stat = Deno.statSync(path);
    return stat.isFile ? { path, size: stat.size, changedAt: stat.mtime?.getTime() ?? 0 } : undefined;
  } catch {
    // Gone meanwhile, or not to be looked at: for a listing the same.
    return undefined;
  }
}

/** Up to `length` bytes from `at`, at once: thousands of small reads are faster so. */
export function peek(path: string, at: number, length: number): Uint8Array {
  try {
    using file = Deno.openSync(path);
    if (at > 0) file.seekSync(at, Deno.SeekMode.Start);
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const count = file.readSync(bytes.subarray(filled));
      if (count === null) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  } catch (error) {
    throw ioError(error, `Cannot read session file "${path}"`);
  }
}

/** Moves a file or folder into a folder, which is made; answers with its new path, undefined where there was nothing to move. */
export async function moveInto(path: string, folder: string): Promise<string | undefined> {
  const name = path.slice(folderOf(path).length).replace(/^[/\\]/, "");
  let target = `${folder}/${name}`;
  for (let copy = 2; await exists(target); copy++) target = `${folder}/${name}.${copy}`;
  try {
    await makeFolder(folder);
    await Deno.rename(path, target);
    return target;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw ioError(error, `Cannot move "${path}"`);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch {
    // Whatever keeps it from being looked at also keeps it from being overwritten unseen: the rename reports it.
    return false;
  }
}

/** Copies the files of a folder (not of those in it) into another; nothing where there is no such folder. */
export async function copyFolder(from: string, to: string): Promise<void> {
  const files = names(from).filter((entry) => !entry.isFolder);
  if (files.length === 0) return;
  await makeFolder(to);
  try {
    for (const { name } of files) await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  } catch (error) {
    throw ioError(error, `Cannot copy "${from}"`);
  }
}
