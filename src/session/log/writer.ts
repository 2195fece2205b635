/**
 * The ordered writer of a log: lines go to the file in the order in which
 * they were handed in, each whole, many in one write where many wait. What
 * was acknowledged stays; a write that fails is taken back, and with it all
 * that waited behind it.
 */
import { concatBytes } from "../../lib/bytes.ts";
import { type Damage, LF } from "./format.ts";
import type { LogFile } from "./disk.ts";
import { ioError } from "./io_error.ts";

export interface AppendOptions {
  /** Acknowledge only when the line survives a power cut. */
  readonly sync: boolean;
  /** Who waits for that has something to do until then. */
  readonly meanwhile?: boolean;
}

export interface LogStart {
  /** Where the last whole line ends. */
  readonly end: number;
  /** That line has no line feed yet. */
  readonly open: boolean;
}

/** Where a line stands in the file, without its line feed. */
export interface LinePlace {
  readonly byte: number;
  readonly length: number;
}

interface Waiting {
  readonly line: string | undefined;
  readonly sync: boolean;
  /** Who waits for the sync has something to do until then. */
  readonly meanwhile: boolean;
  readonly done: (place: LinePlace) => void;
  readonly failed: (error: unknown) => void;
}

const encoder = new TextEncoder();

export class LogWriter {
  readonly #file: LogFile;
  readonly #name: string;
  #end: number;
  #open: boolean;
  /** Written and not yet synced. */
  #dirty = false;
  /** Why the last sync failed: until more is written the system may call the next one done, though what the first was for is lost. */
  #unsafe: { readonly error: unknown } | undefined;
  #queue: Waiting[] = [];
  #running: Promise<void> | undefined;
  #closed = false;
  /** Called before the promises of a failed batch reject. */
  onFail: (() => void) | undefined;

  constructor(file: LogFile, name: string, start: LogStart) {
    this.#file = file;
    this.#name = name;
    this.#end = start.end;
    this.#open = start.open;
  }

  /** Appends a line (without its line feed). Rejects with a `SessionError`; then the line is not in the file. */
  append(line: string, options: AppendOptions): Promise<LinePlace> {
    return this.#enqueue(line, options.sync, options.meanwhile);
  }

  /** Resolves when everything appended so far survives a power cut. `meanwhile`: there is something to do until then. */
  async sync(meanwhile = false): Promise<void> {
    await this.#enqueue(undefined, true, meanwhile);
  }

  /** Writes out what waits and closes the file. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#running;
    this.#file.close();
  }

  #enqueue(line: string | undefined, sync: boolean, meanwhile = false): Promise<LinePlace> {
    if (this.#closed) {
      return Promise.reject(ioError(new Error("it is closed"), `Cannot write session file "${this.#name}"`));
    }
    return new Promise<LinePlace>((done, failed) => {
      this.#queue.push({ line, sync, meanwhile, done, failed });
      this.#running ??= this.#drain();
    });
  }

  async #drain(): Promise<void> {
    // Lines of the same turn of the event loop share a write.
    await null;
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      try {
        const places = await this.#write(batch);
        for (const [n, item] of batch.entries()) item.done(places[n]);
      } catch (error) {
        await this.#takeBack();
        const all = batch.concat(this.#queue);
        this.#queue = [];
        this.onFail?.();
        const wrapped = ioError(error, `Cannot write session file "${this.#name}"`);
        for (const item of all) item.failed(wrapped);
      }
    }
    this.#running = undefined;
  }

  /** Answers with where each line of the batch stands. */
  async #write(batch: readonly Waiting[]): Promise<LinePlace[]> {
    const places: LinePlace[] = [];
    const pieces: Uint8Array[] = [];
    let end = this.#end;
    if (this.#open && batch.some(({ line }) => line !== undefined)) {
      pieces.push(encoder.encode("\n"));
      end++;
    }
    for (const { line } of batch) {
      if (line === undefined) {
        places.push({ byte: end, length: 0 });
        continue;
      }
      const bytes = encoder.encode(line + "\n");
      places.push({ byte: end, length: bytes.length - 1 });
      pieces.push(bytes);
      end += bytes.length;
    }
    if (pieces.length > 0) {
      const bytes = pieces.length === 1 ? pieces[0] : concatBytes(pieces, end - this.#end);
      let written = 0;
      this.#dirty = true;
      while (written < bytes.length) {
        const count = await this.#file.append(bytes.subarray(written));
        if (count === 0) throw new Error("the device takes no more bytes");
        written += count;
      }
      await this.#sync(batch);
      this.#end += bytes.length;
      this.#open = false;
    } else await this.#sync(batch);
    return places;
  }

  async #sync(batch: readonly Waiting[]): Promise<void> {
    const waiting = batch.filter((item) => item.sync);
    if (!this.#dirty || waiting.length === 0) return;
    if (this.#unsafe !== undefined && batch.every(({ line }) => line === undefined)) throw this.#unsafe.error;
    try {
      await this.#file.syncData(waiting.every((item) => item.meanwhile));
    } catch (error) {
      this.#unsafe = { error };
      throw error;
    }
    this.#unsafe = undefined;
    this.#dirty = false;
  }

  /** Cuts off what a failed write left, so that the file ends with a whole line. */
  async #takeBack(): Promise<void> {
    try {
      await this.#file.truncate(this.#end);
    } catch {
      // It cannot be cut now. The next line begins with a line feed, so that readers skip only the remains.
      this.#open = true;
      this.#end = await this.#file.size().catch(() => this.#end);
    }
  }
}

/** What a writer does with the end of the file that it found: sets the cut one off. */
export async function cutTail(file: LogFile, damages: readonly Damage[]): Promise<void> {
  const torn = damages.find((damage) => damage.torn);
  if (torn) await file.truncate(torn.byte);
}

/** True where the byte before `end` is not a line feed, so that the next line must begin with one. */
export async function endsOpen(file: LogFile, end: number): Promise<boolean> {
  if (end === 0) return false;
  const last = new Uint8Array(1);
  await file.read(last, end - 1);
  return last[0] !== LF;
}
