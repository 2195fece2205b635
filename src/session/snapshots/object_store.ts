/**
 * Contents of files by their SHA-256, each once, for all sessions and
 * workspaces: small ones in packs, a large one in a file of its own, put there
 * whole under another name first. What is read back is checked against its name, so that a content torn by a
 * power cut is a failure that is told, never wrong bytes. Synchronous: whoever
 * is about to change a file waits for it.
 */
import { createHash } from "node:crypto";
import { Buffer } from "node:buffer";
import { ioError } from "../log/io_error.ts";
import { SessionError } from "../errors.ts";
import { Packs } from "./pack.ts";

/** Contents up to so many bytes go into packs. */
const SMALL = 256 * 1024;
/** Bytes that are read at once; larger files are hashed and copied in pieces. */
const PIECE = 4 * 1024 * 1024;

export class ObjectStore {
  readonly #root: string;
  /** Folders that are known to be there. */
  readonly #folders = new Set<string>();
  readonly #packs: Packs;
  #count = 0;

  /** `root`: the folder of all objects; made on first use. */
  constructor(root: string) {
    this.#root = root;
    this.#packs = new Packs(`${root}/packs`);
  }

  #pathOf(hash: string): string {
    return `${this.#root}/${hash.slice(0, 2)}/${hash}`;
  }

  has(hash: string): boolean {
    return this.#packs.has(hash) || this.#hasFile(hash);
  }

  /** Gives up the right to append to a pack. */
  close(): void {
    this.#packs.close();
  }

  #hasFile(hash: string): boolean {
    try {
      return Deno.lstatSync(this.#pathOf(hash)).isFile;
    } catch {
      return false; // not there: then it is put there
    }
  }

  /** Keeps a content; answers with its hash. Rejects with "io". */
  put(bytes: Uint8Array): string {
    const hash = hashOf(bytes);
    if (bytes.length <= SMALL) {
      try {
        if (!this.#packs.has(hash)) this.#packs.put(hash, bytes);
      } catch (error) {
        throw ioError(error, `Cannot keep a content in "${this.#root}"`);
      }
    } else if (!this.#hasFile(hash)) {
      this.#place(hash, (path) => Deno.writeFileSync(path, bytes, { mode: 0o600 }));
    }
    return hash;
  }

  /**
   * Keeps the content of a file of any size; answers with hash and length of
   * what was there. `at`: where it is reached, if that is not its path.
   */
  putFile(path: string, at = path): { hash: string; size: number } {
    using file = Deno.openSync(at);
    const { size } = file.statSync();
    if (size <= PIECE) {
      const bytes = readAll(file, size);
      return { hash: this.put(bytes), size: bytes.length };
    }
    // Too large for the memory: copied first, so that what is hashed is what is kept.
    const copy = this.#fresh();
    try {
      copyInto(file, copy);
      const { hash, size } = hashFile(copy);
      if (this.#hasFile(hash)) Deno.removeSync(copy);
      else this.#place(hash, (target) => Deno.renameSync(copy, target));
      return { hash, size };
    } catch (error) {
      remove(copy);
      throw ioError(error, `Cannot keep a copy of "${path}"`);
    }
  }

  /** The content, checked. Rejects with "damaged" or "not_found". */
  get(hash: string): Uint8Array {
    let bytes: Uint8Array;
    try {
      bytes = this.#packs.get(hash) ?? Deno.readFileSync(this.#pathOf(hash));
    } catch (error) {
      throw ioError(error, `Cannot read the kept content ${hash.slice(0, 12)}`);
    }
    if (hashOf(bytes) !== hash) throw this.#torn(hash);
    return bytes;
  }

  /** Puts the content into a new file, checked. */
  copyTo(hash: string, path: string): void {
    const kept = this.#pathOf(hash);
    try {
      if (this.#packs.has(hash) || !this.#hasFile(hash) || Deno.statSync(kept).size <= PIECE) {
        Deno.writeFileSync(path, this.get(hash), { createNew: true, mode: 0o600 });
        return;
      }
      if (hashFile(kept).hash !== hash) throw this.#torn(hash);
      using file = Deno.openSync(kept);
      copyInto(file, path);
    } catch (error) {
      throw ioError(error, `Cannot put back "${path}"`);
    }
  }

  #torn(hash: string): SessionError {
    return new SessionError("damaged", `The kept content ${hash.slice(0, 12)} is damaged`);
  }

  #fresh(): string {
    this.#folder(`${this.#root}/new`);
    return `${this.#root}/new/${Deno.pid}.${this.#count++}.${crypto.randomUUID().slice(0, 8)}`;
  }

  #place(hash: string, write: (path: string) => void): void {
    const target = this.#pathOf(hash);
    this.#folder(target.slice(0, target.lastIndexOf("/")));
    const path = this.#fresh();
    try {
      write(path);
      Deno.renameSync(path, target);
    } catch (error) {
      remove(path);
      throw ioError(error, `Cannot keep a content in "${this.#root}"`);
    }
  }

  #folder(path: string): void {
    if (this.#folders.has(path)) return;
    Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
    this.#folders.add(path);
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).digest("hex");
}

/** Hash and length of a file, read in pieces. */
export function hashFile(path: string): { hash: string; size: number } {
  using file = Deno.openSync(path);
  const hash = createHash("sha256");
  const piece = new Uint8Array(PIECE);
  let size = 0;
  for (let count = file.readSync(piece); count !== null; count = file.readSync(piece)) {
    hash.update(piece.subarray(0, count));
    size += count;
  }
  return { hash: hash.digest("hex"), size };
}

/** What is left in a file; `size`: what it is said to be, and it may be more by now, or less. */
function readAll(file: Deno.FsFile, size: number): Uint8Array {
  // One byte more than needed, so that the end is seen without another piece.
  let bytes = new Uint8Array(size + 1);
  let length = 0;
  for (
    let count = file.readSync(bytes);
    count !== null;
    count = file.readSync(bytes.subarray(length))
  ) {
    length += count;
    if (length < bytes.length) continue;
    const larger = new Uint8Array(bytes.length * 2);
    larger.set(bytes);
    bytes = larger;
  }
  return bytes.subarray(0, length);
}

/** Into a file that is new. */
function copyInto(file: Deno.FsFile, path: string): void {
  using copy = Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
  const piece = new Uint8Array(PIECE);
  for (let count = file.readSync(piece); count !== null; count = file.readSync(piece)) {
    for (let at = 0; at < count;) at += copy.writeSync(piece.subarray(at, count));
  }
}

function remove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It was not made, or is gone already.
  }
}
