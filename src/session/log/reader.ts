/**
 * Reads a log: splits its bytes at line feeds, and hands each line to the
 * caller as a parsed value with its place. What cannot be read so goes
 * through `repair.ts`; nothing is dropped without a report.
 */
import { concatBytes } from "../../lib/bytes.ts";
import { CR, type Damage, LF, MAX_LINE } from "./format.ts";
import type { LogFile } from "./disk.ts";
import { salvage } from "./repair.ts";

/** Where a value stands in the file. */
export interface Place {
  readonly line: number;
  readonly byte: number;
  readonly length: number;
}

export interface LogSink {
  /** Takes a parsed line; false where it is nothing that belongs into the file. */
  take(value: unknown, place: Place): boolean;
  damage(damage: Damage): void;
}

const CHUNK = 1024 * 1024;
const BOM = [0xef, 0xbb, 0xbf];
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads all of `file`, or its first `limit` bytes. */
export async function readLog(file: LogFile, sink: LogSink, limit = Infinity): Promise<void> {
  // A byte more than there is tells the end without another round.
  const chunk = new Uint8Array(Math.min(CHUNK, limit, await file.size() + 1));
  const lines = new Lines(sink);
  let at = 0;
  while (at < limit) {
    const count = await file.read(chunk.subarray(0, Math.min(chunk.length, limit - at)), at);
    if (count === 0) break;
    lines.push(chunk.subarray(0, count));
    at += count;
  }
  lines.end();
}

/** The same over bytes in memory. */
export function readBytes(bytes: Uint8Array, sink: LogSink): void {
  const lines = new Lines(sink);
  lines.push(bytes);
  lines.end();
}

/** Puts lines together from chunks. */
class Lines {
  readonly #sink: LogSink;
  #line = 1;
  /** Offset of the first byte of the line that is being put together. */
  #start = 0;
  #parts: Uint8Array[] = [];
  #held = 0;
  /** The line is longer than any that may be kept: only counted until it ends. */
  #skipping = false;

  constructor(sink: LogSink) {
    this.#sink = sink;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    const last = chunk.lastIndexOf(LF);
    // The line that is held, and the first of all (which may begin with a mark), go the long way.
    if (last >= 0 && (this.#held > 0 || this.#line === 1)) {
      from = chunk.indexOf(LF) + 1;
      this.#finish(chunk.subarray(0, from - 1), true);
    }
    if (from < last) {
      const text = decode(chunk.subarray(from, last));
      if (text !== undefined) from = this.#pushText(text, chunk, from);
    }
    for (let lf = chunk.indexOf(LF, from); lf >= 0; lf = chunk.indexOf(LF, from)) {
      this.#finish(chunk.subarray(from, lf), true);
      from = lf + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
  }

  /** Whole lines, decoded at once: for each line alone that would take longer than the rest. */
  #pushText(text: string, chunk: Uint8Array, start: number): number {
    let from = start;
    for (const line of text.split("\n")) {
      const lf = chunk.indexOf(LF, from);
      const carriage = line.endsWith("\r") ? 1 : 0;
      const value = parse(carriage ? line.slice(0, -1) : line);
      const place = { line: this.#line, byte: this.#start, length: lf - from - carriage };
      if (value === undefined || !this.#sink.take(value, place)) {
        this.#finish(chunk.subarray(from, lf), true);
      } else {
        this.#line++;
        this.#start += lf - from + 1;
      }
      from = lf + 1;
    }
    return from;
  }

  end(): void {
    if (this.#held > 0) this.#finish(new Uint8Array(0), false);
  }

  #hold(bytes: Uint8Array): void {
    this.#held += bytes.length;
    if (this.#held > MAX_LINE) {
      this.#skipping = true;
      this.#parts = [];
    }
    // A copy: the chunk is filled again.
    if (!this.#skipping) this.#parts.push(bytes.slice());
  }

  #finish(rest: Uint8Array, closed: boolean): void {
    const length = this.#held + rest.length;
    const place = { line: this.#line, byte: this.#start, length };
    if (this.#skipping) {
      this.#sink.damage({ ...place, what: "a line too long to be one of a session" });
    } else {
      readLine(
        this.#parts.length > 0 ? concatBytes([...this.#parts, rest], length) : rest,
        place,
        closed,
        this.#sink,
      );
    }
    this.#line++;
    this.#start += length + 1;
    this.#parts = [];
    this.#held = 0;
    this.#skipping = false;
  }
}

function readLine(raw: Uint8Array, place: Place, closed: boolean, sink: LogSink): void {
  let bytes = raw;
  let byte = place.byte;
  if (byte === 0 && BOM.every((value, at) => bytes[at] === value)) {
    bytes = bytes.subarray(BOM.length);
    byte += BOM.length;
  }
  if (bytes.length > 0 && bytes[bytes.length - 1] === CR) bytes = bytes.subarray(0, -1);
  if (bytes.length === 0) return;
  const text = decode(bytes);
  const value = text === undefined ? undefined : parse(text);
  if (value !== undefined && sink.take(value, { line: place.line, byte, length: bytes.length })) return;
  for (
    const piece of salvage(
      bytes,
      (found, at, length) => sink.take(found, { line: place.line, byte: byte + at, length }),
    )
  ) {
    const atEnd = piece.at + piece.length === bytes.length;
    sink.damage({
      line: place.line,
      byte: byte + piece.at,
      length: piece.length,
      what: closed || !atEnd || piece.used ? piece.what : `an unfinished last line (${piece.what})`,
      ...(piece.used ? { used: true } : {}),
      ...(piece.gap ? { gap: true } : {}),
      ...(!closed && atEnd && !piece.used ? { torn: true } : {}),
    });
  }
}

/** Undefined for what is not UTF-8. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Undefined for what is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
