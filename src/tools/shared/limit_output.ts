/**
 * Bounds on what a model gets to read: the head and the tail of a text are
 * kept, the middle is left out and named. Cuts stand between lines where a
 * line border is near, and never inside a character. `HeadTail` takes a text
 * in pieces and holds no more than the limit, however much comes.
 */
import { grouped } from "../../lib/text/count.ts";

const encoder = new TextEncoder();

/** A text within a bound, and what that has cost it. */
interface Limited {
  /** What is kept, with a line between head and tail that names the cut. */
  readonly text: string;
  readonly cut: boolean;
  /** Bytes of UTF-8 that came in all. */
  readonly totalBytes: number;
  readonly omittedBytes: number;
  /** Line feeds in what was left out. */
  readonly omittedLines: number;
}

/** At most about `maxBytes` of `text`. `where` says how to get at the rest, such as "full text: artifact://3". */
export function limitOutput(text: string, maxBytes: number, where?: string): Limited {
  const all = new HeadTail(maxBytes);
  all.push(text);
  return all.end(where);
}

/** Holds the two ends of what was pushed and never much more, however long that is. */
export class HeadTail {
  readonly #headMax: number;
  readonly #tailMax: number;
  readonly #cutTo: number;
  #head = "";
  #headBytes = 0;
  #headFull = false;
  #tail: { text: string; bytes: number }[] = [];
  #tailBytes = 0;
  #total = 0;
  #droppedBytes = 0;
  #droppedLines = 0;
  #pending = "";

  /** What is longer than `maxBytes` is cut to about `cutTo`: where the whole can be got at, less will do. */
  constructor(maxBytes: number, cutTo = maxBytes) {
    this.#cutTo = Math.min(cutTo, maxBytes);
    this.#headMax = Math.max(1, Math.floor(maxBytes / 2));
    this.#tailMax = Math.max(1, maxBytes - this.#headMax);
  }

  push(piece: string): void {
    let text = this.#pending + piece;
    this.#pending = "";
    // A pair of surrogates that is cut between two pieces belongs together.
    if (/[\ud800-\udbff]$/.test(text)) {
      this.#pending = text.slice(-1);
      text = text.slice(0, -1);
    }
    if (text !== "") this.#take(text);
  }

  /** The kept text. Nothing may be pushed afterwards. */
  end(where?: string): Limited {
    if (this.#pending !== "") this.#take(this.#pending);
    this.#pending = "";
    let tail = this.#trimTail(this.#tailMax);
    const cut = this.#droppedBytes > 0;
    if (cut && this.#cutTo < this.#headMax + this.#tailMax) {
      const half = Math.max(1, Math.floor(this.#cutTo / 2));
      this.#trimHead(half);
      tail = this.#trimTail(half);
    }
    let text = this.#head + tail;
    if (cut) {
      const head = this.#head.endsWith("\n") ? this.#head : this.#head + "\n";
      const lines = this.#droppedLines > 0 ? `${grouped(this.#droppedLines)} lines, ` : "";
      const rest = where === undefined ? "" : `; ${where}`;
      text = `${head}[… ${lines}${grouped(this.#droppedBytes)} bytes left out${rest} …]\n${tail}`;
    }
    return {
      text: text.toWellFormed(),
      cut,
      totalBytes: this.#total,
      omittedBytes: this.#droppedBytes,
      omittedLines: this.#droppedLines,
    };
  }

  #take(text: string): void {
    const bytes = utf8Length(text);
    this.#total += bytes;
    if (this.#headFull) return this.#keepTail(text, bytes);
    if (this.#headBytes + bytes <= this.#headMax) {
      this.#head += text;
      this.#headBytes += bytes;
      return;
    }
    this.#headFull = true;
    const at = headCut(text, this.#headMax - this.#headBytes);
    this.#head += text.slice(0, at);
    const rest = text.slice(at);
    const restBytes = utf8Length(rest);
    this.#headBytes += bytes - restBytes;
    this.#keepTail(rest, restBytes);
  }

  #keepTail(text: string, bytes: number): void {
    this.#tail.push({ text, bytes });
    this.#tailBytes += bytes;
    // Whole pieces that the tail can do without go at once; the exact cut is made at the end.
    while (this.#tail.length > 1 && this.#tailBytes - this.#tail[0].bytes >= this.#tailMax) {
      const piece = this.#tail.shift()!;
      this.#drop(piece.text, piece.bytes);
    }
    if (bytes > 4 * this.#tailMax && this.#tail.length === 1) {
      const at = tailCut(text, this.#tailMax * 2);
      const dropped = utf8Length(text.slice(0, at));
      this.#drop(text.slice(0, at), dropped);
      this.#tail[0] = { text: text.slice(at), bytes: bytes - dropped };
    }
  }

  #drop(text: string, bytes: number): void {
    this.#tailBytes -= bytes;
    this.#droppedBytes += bytes;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#droppedLines++;
  }

  #trimTail(maxBytes: number): string {
    const text = this.#tail.map((piece) => piece.text).join("");
    // Nothing dropped and little too much: a notice would be longer than what it saves.
    if (this.#tailBytes <= maxBytes || (this.#droppedBytes === 0 && this.#tailBytes <= maxBytes + 80)) {
      return text;
    }
    const at = tailCut(text, maxBytes);
    this.#drop(text.slice(0, at), utf8Length(text.slice(0, at)));
    const kept = text.slice(at);
    this.#tail = [{ text: kept, bytes: this.#tailBytes }];
    return kept;
  }

  #trimHead(maxBytes: number): void {
    if (this.#headBytes <= maxBytes) return;
    const at = headCut(this.#head, maxBytes);
    const rest = this.#head.slice(at);
    this.#head = this.#head.slice(0, at);
    const bytes = utf8Length(rest);
    this.#headBytes -= bytes;
    this.#tailBytes += bytes; // #drop takes it off again.
    this.#drop(rest, bytes);
  }
}

/** Bytes of `text` in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (unit >= 0xd800 && unit <= 0xdbff && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      bytes += 2;
      i++;
    } else bytes += 2;
  }
  return bytes;
}

/** The longest start of `text` that fits into `maxBytes`, cut between characters. */
export function clipBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text.toWellFormed();
  const probe = text.slice(0, maxBytes + 1).toWellFormed();
  const { read } = encoder.encodeInto(probe, new Uint8Array(Math.max(0, maxBytes)));
  return probe.slice(0, read);
}

/** Where the head ends: after the last line feed that fits if that keeps most of the room, else between characters. */
function headCut(text: string, maxBytes: number): number {
  const fit = clipBytes(text, maxBytes).length;
  const line = text.lastIndexOf("\n", fit - 1) + 1;
  return line > fit * 0.75 || (line > 0 && fit - line < 400) ? line : fit;
}

/** Where the tail begins, likewise. */
function tailCut(text: string, maxBytes: number): number {
  let at = text.length;
  let bytes = 0;
  while (at > 0) {
    const unit = text.charCodeAt(at - 1);
    const pair = (unit & 0xfc00) === 0xdc00 && at > 1 && (text.charCodeAt(at - 2) & 0xfc00) === 0xd800;
    const size = pair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    if (bytes + size > maxBytes) break;
    bytes += size;
    at -= pair ? 2 : 1;
  }
  const line = text.indexOf("\n", at) + 1;
  const kept = text.length - at;
  return line > 0 && (line - at < kept * 0.25 || line - at < 400) && line < text.length ? line : at;
}
