/**
 * Storage as the log sees it: a tiny port, so that tests can own the disk
 * (forget what was not synced, run full), and the real one over Deno. All
 * contact of the session layer with the file system is in this folder, in
 * `lock.ts` and in `blobs.ts`.
 */
import { folderOf } from "./files.ts";
import { ioError } from "./io_error.ts";

/** A file that is read anywhere and written at its end. */
export interface LogFile {
  /** Fills `into` from offset `at`; less only at the end of the file. */
  read(into: Uint8Array, at: number): Promise<number>;
  /** The same at once, for what must not wait. */
  readSync(into: Uint8Array, at: number): number;
  /** Writes at the end; may write less than all. */
  append(bytes: Uint8Array): Promise<number>;
  /** Resolves when what was written survives a power cut. `meanwhile`: there is something else to do until then. */
  syncData(meanwhile?: boolean): Promise<void>;
  truncate(length: number): Promise<void>;
  size(): Promise<number>;
  close(): void;
}

export interface Disk {
  /** Makes a new file, and its folder; rejects where it is there already. */
  create(path: string): Promise<LogFile>;
  /** Opens for reading and appending; `make`: a missing one is made. */
  open(path: string, options?: { readonly make?: boolean; readonly readOnly?: boolean }): Promise<LogFile>;
  /** Takes a file away that was just made and holds nothing. Never throws. */
  discard(path: string): void;
}

/** Bytes that are written at once. */
const SMALL = 64 * 1024;
/** A sync of up to so many milliseconds may be waited for in place. */
const QUICK_MS = 4;
/** After a slower one so many do not hold anything up, before that is tried again: a new file's first is slow anywhere. */
const UNHURRIED = 8;

class RealFile implements LogFile {
  readonly #file: Deno.FsFile;
  /** A folder whose list of names must be synced once, with the file's first sync. */
  #folder: string | undefined;
  /** So many of the next syncs hold nothing up. */
  #unhurried = 0;

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

  readSync(into: Uint8Array, at: number): number {
    this.#file.seekSync(at, Deno.SeekMode.Start);
    let filled = 0;
    while (filled < into.length) {
      const count = this.#file.readSync(into.subarray(filled));
      if (count === null) break;
      filled += count;
    }
    return filled;
  }

  async append(bytes: Uint8Array): Promise<number> {
    // A few lines go to the system's memory faster than a promise comes back.
    return bytes.length <= SMALL ? this.#file.writeSync(bytes) : await this.#file.write(bytes);
  }

  async syncData(meanwhile = false): Promise<void> {
    if (!meanwhile && this.#unhurried === 0) {
      // Where the disk answers sooner than a promise would, waiting for it in place is the shorter way.
      const start = performance.now();
      this.#file.syncDataSync();
      if (performance.now() - start > QUICK_MS) this.#unhurried = UNHURRIED;
    } else {
      if (!meanwhile) this.#unhurried--;
      await this.#file.syncData();
    }
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
  discard(path) {
    try {
      Deno.removeSync(path);
    } catch {
      // It stays, empty: readers take it for an empty session.
    }
  },
};
