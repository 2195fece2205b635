/**
 * Small contents, many to a file: making a file for each costs more than all
 * the rest. A pack is only appended to, by one process at a time (a lock);
 * its index tells where each content lies, and is written after it.
 */

export interface PackPlace {
  readonly pack: string;
  readonly offset: number;
  readonly length: number;
}

/** A pack of this size is not appended to any more. */
const FULL = 256 * 1024 * 1024;
const LINE = /^([0-9a-f]{64}) (\d+) (\d+)$/;

export class Packs {
  readonly #folder: string;
  readonly #places = new Map<string, PackPlace>();
  #loaded = false;
  #own: { path: string; data: Deno.FsFile; index: Deno.FsFile; lock: Deno.FsFile; end: number } | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  has(hash: string): boolean {
    this.#load();
    return this.#places.has(hash);
  }

  /** Every content with its place. */
  all(): Iterable<[hash: string, place: PackPlace]> {
    this.#load();
    return this.#places.entries();
  }

  put(hash: string, bytes: Uint8Array): void {
    this.#load();
    const own = this.#own ??= this.#open();
    writeAll(own.data, bytes);
    const place = { pack: own.path, offset: own.end, length: bytes.length };
    own.end += bytes.length;
    writeAll(own.index, new TextEncoder().encode(`${hash} ${place.offset} ${place.length}\n`));
    this.#places.set(hash, place);
    if (own.end >= FULL) this.close();
  }

  /** The bytes that are said to be there, unchecked; undefined where nothing is. */
  get(hash: string): Uint8Array | undefined {
    this.#load();
    // Another process may have put it there since.
    if (!this.#places.has(hash)) this.#read();
    const place = this.#places.get(hash);
    if (place === undefined) return undefined;
    using file = Deno.openSync(place.pack);
    file.seekSync(place.offset, Deno.SeekMode.Start);
    const bytes = new Uint8Array(place.length);
    for (let at = 0; at < bytes.length;) {
      const count = file.readSync(bytes.subarray(at));
      if (count === null) break;
      at += count;
    }
    return bytes;
  }

  close(): void {
    this.#own?.data.close();
    this.#own?.index.close();
    this.#own?.lock.close();
    this.#own = undefined;
  }

  #load(): void {
    if (this.#loaded) return;
    this.#loaded = true;
    this.#read();
  }

  #read(): void {
    for (const name of this.#names()) {
      const pack = `${this.#folder}/${name}.pack`;
      for (const line of Deno.readTextFileSync(`${this.#folder}/${name}.idx`).split("\n")) {
        const match = LINE.exec(line);
        if (match) this.#places.set(match[1], { pack, offset: Number(match[2]), length: Number(match[3]) });
      }
    }
  }

  #names(): string[] {
    try {
      return Array.from(Deno.readDirSync(this.#folder), ({ name }) => name)
        .filter((name) => name.endsWith(".idx")).map((name) => name.slice(0, -".idx".length)).sort();
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  }

  /** A pack that nobody appends to; a new one where all are taken or full. */
  #open() {
    Deno.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    for (const name of [...this.#names().reverse(), crypto.randomUUID()]) {
      const path = `${this.#folder}/${name}.pack`;
      // A file of its own: where locks hinder readers, packs stay readable.
      const lock = open(`${this.#folder}/${name}.lock`);
      if (!lock.tryLockSync(true)) {
        lock.close();
        continue;
      }
      const data = open(path);
      const end = data.statSync().size;
      if (end < FULL) {
        const index = open(`${this.#folder}/${name}.idx`);
        // A line that a crash has cut ends here.
        if (index.statSync().size > 0) writeAll(index, new Uint8Array([10]));
        return { path, data, index, lock, end };
      }
      data.close();
      lock.close();
    }
    throw new Error(`no pack can be opened in "${this.#folder}"`);
  }
}

function open(path: string): Deno.FsFile {
  return Deno.openSync(path, { create: true, append: true, mode: 0o600 });
}

function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
}
