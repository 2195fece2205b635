/**
 * The lines of a file that a model asked for, from bytes: numbered, bounded,
 * with notes that say what was left out and how to go on. Works on pieces of
 * the file, so that only what is shown has to be in memory.
 */
import { concatBytes } from "../../lib/bytes.ts";
import { visible } from "../../lib/text/visible.ts";
import { clipBytes, utf8Length } from "../shared/limit_output.ts";
import { decodeText, type Encoding, encodingLabel, isPlain } from "../shared/text_codec.ts";
import { grouped } from "../../lib/text/count.ts";

/** Which part of a file is to be shown. */
export interface Wanted {
  /** First line, from 1. */
  readonly offset: number;
  readonly limit: number;
  /** First character of each line that is shown, from 1. */
  readonly column: number;
  readonly maxBytes: number;
}

/** Characters of one line among many. A line that is asked for alone may fill the whole result. */
const LINE_CHARS = 2000;
/** Room for the notes at the end. */
const NOTES = 400;

/** Finds lines in a file that comes in pieces. */
export class LineScan {
  readonly #wanted: Wanted;
  /** Bytes of one line worth keeping: what can be shown of it, in the widest encoding. */
  readonly #keep: number;
  readonly #kept: { readonly bytes: Uint8Array; readonly length: number; readonly crlf: boolean }[] = [];
  #line: Uint8Array[] = [];
  #lineKept = 0;
  #lineLength = 0;
  #last = 0;
  /** Lines begun so far. */
  #count = 0;
  #keptBytes = 0;
  #crlf = 0;
  #lf = 0;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
    this.#keep = 4 * (wanted.column + wanted.maxBytes);
  }

  push(piece: Uint8Array): void {
    let start = this.#lineLength > 0 ? 0 : this.#skim(piece, 0);
    while (start < piece.length) {
      const at = piece.indexOf(0x0a, start);
      const end = at < 0 ? piece.length : at;
      this.#grow(piece, start, end);
      if (at < 0) return;
      const crlf = (end > start ? piece[end - 1] : this.#last) === 0x0d && this.#lineLength > 0;
      crlf ? this.#crlf++ : this.#lf++;
      this.#finish(crlf);
      start = this.#skim(piece, at + 1);
    }
  }

  /** Only counts the whole lines of a piece that are not wanted; where to go on. */
  #skim(piece: Uint8Array, from: number): number {
    const { offset, limit } = this.#wanted;
    let start = from;
    while (this.#count + 1 < offset || this.#count + 1 >= offset + limit) {
      const at = piece.indexOf(0x0a, start);
      if (at < 0) break;
      if (at > start && piece[at - 1] === 0x0d) this.#crlf++;
      else this.#lf++;
      this.#count++;
      start = at + 1;
    }
    return start;
  }

  /** Whether all that can be shown is there, so that the rest need not be read. */
  get full(): boolean {
    return this.#count >= this.#wanted.offset + this.#wanted.limit ||
      this.#keptBytes > 8 * this.#wanted.maxBytes;
  }

  /**
   * The text for the model. `body` is the encoding of what was pushed, `named` that of the file;
   * `complete`: the whole file was pushed, so that totals are known.
   */
  end(body: Encoding, named: Encoding, complete: boolean): { readonly text: string; readonly lines: number } {
    const openLine = this.#lineLength > 0;
    if (openLine) this.#finish(false);
    const total = this.#count;
    const { offset, limit, maxBytes, column } = this.#wanted;
    const notes: string[] = [];
    const out: string[] = [];
    const budget = maxBytes - NOTES;
    const single = limit === 1 || (complete && total === 1);
    let used = 0;
    let cutAt: { line: number; next: number; length: string } | undefined;
    for (const [index, kept] of this.#kept.entries()) {
      const number = offset + index;
      const room = budget - used - String(number).length - 2;
      if (room < 40 && out.length > 0) break;
      const raw = kept.crlf && kept.bytes.length === kept.length ? kept.bytes.subarray(0, -1) : kept.bytes;
      const whole = decodeText(raw, { ...body, bom: 0 });
      const from = column > 1 ? offPair(whole, column - 1) : 0;
      let shown = whole.slice(from, single ? undefined : offPair(whole, from + LINE_CHARS));
      shown = clipVisible(shown, single || out.length === 0 ? room : Infinity);
      const text = visible(shown);
      if (used + utf8Length(text) > budget && out.length > 0) break;
      out.push(`${number}\t${text}`);
      used += utf8Length(text) + String(number).length + 2;
      const next = from + shown.length;
      const partial = kept.bytes.length < kept.length;
      if ((next < whole.length || partial) && cutAt === undefined) {
        const length = partial ? `${grouped(kept.length)} bytes` : `${grouped(whole.length)} characters`;
        cutAt = {
          line: number,
          next: next + 1,
          length: `${grouped(from + 1)} to ${grouped(next)} of ${length}`,
        };
      }
    }
    const lastShown = offset + out.length - 1;
    if (!complete || lastShown < total) {
      const of = complete ? ` of ${grouped(total)}` : "";
      notes.push(
        `lines ${grouped(offset)} to ${grouped(lastShown)}${of}; go on with offset ${lastShown + 1}`,
      );
    }
    if (cutAt !== undefined) {
      notes.push(
        `line ${cutAt.line} cut: characters ${cutAt.length}; go on with offset ${cutAt.line}, limit 1, column ${cutAt.next}`,
      );
    }
    notes.push(...this.#about(named, complete && openLine));
    if (total === 0) notes.unshift("empty file");
    return { text: [...out, ...notes.map((note) => `[${note}]`)].join("\n"), lines: total };
  }

  #about(encoding: Encoding, noFinalNewline: boolean): string[] {
    const about: string[] = [];
    if (!isPlain(encoding)) about.push(encodingLabel(encoding));
    if (this.#crlf > 0) {
      about.push(
        this.#lf === 0
          ? "CRLF line ends"
          : `mixed line ends: ${grouped(this.#crlf)} CRLF, ${grouped(this.#lf)} LF`,
      );
    }
    if (noFinalNewline) about.push("no newline at the end");
    return about.length === 0 ? [] : [about.join("; ")];
  }

  #grow(piece: Uint8Array, start: number, end: number): void {
    if (end === start) return;
    const number = this.#count + 1;
    if (number >= this.#wanted.offset && number < this.#wanted.offset + this.#wanted.limit) {
      const keep = Math.min(end - start, this.#keep - this.#lineKept);
      if (keep > 0) {
        this.#line.push(piece.slice(start, start + keep));
        this.#lineKept += keep;
      }
    }
    this.#lineLength += end - start;
    this.#last = piece[end - 1];
  }

  #finish(crlf: boolean): void {
    this.#count++;
    if (
      this.#count >= this.#wanted.offset && this.#count < this.#wanted.offset + this.#wanted.limit &&
      this.#keptBytes <= 8 * this.#wanted.maxBytes
    ) {
      this.#kept.push({
        bytes: this.#line.length === 1 ? this.#line[0] : concatBytes(this.#line),
        length: this.#lineLength,
        crlf,
      });
      this.#keptBytes += this.#lineKept;
    }
    this.#line = [];
    this.#lineKept = this.#lineLength = this.#last = 0;
  }
}

/** The start of `text` whose visible form fits into `room` bytes. */
function clipVisible(text: string, room: number): string {
  if (room === Infinity || text.length * 3 <= room) return text;
  let clipped = clipBytes(text, room);
  // Shown controls take more room than they had; few lines have many.
  while (clipped.length > 0 && utf8Length(visible(clipped)) > room) {
    clipped = text.slice(0, offPair(text, Math.floor(clipped.length * 0.7)));
  }
  return text.slice(0, clipped.length);
}

/** `at`, moved back where it stands inside a pair of surrogates. */
function offPair(text: string, at: number): number {
  return splitsPair(text, at) ? at - 1 : at;
}

function splitsPair(text: string, at: number): boolean {
  return at > 0 && at < text.length && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 &&
    (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
