/**
 * Texts to search, from files: read whole up to a bound, in pieces cut between
 * lines beyond it; binary files give nothing. One buffer serves all files.
 */
import type { HostFile, HostFs } from "../../sandbox/mod.ts";
import { fill } from "../shared/file_bytes.ts";
import { decodeText, detectEncoding } from "../shared/text_codec.ts";

/** A part ends with a whole line, unless that line is longer than a part may be. */
interface TextPart {
  readonly text: string;
  /** Number of its first line. */
  readonly line: number;
}

/** Files up to this size are searched as one text. */
const WHOLE = 32 << 20;
/** A NUL in the first piece of a file means binary; a later one ends what is searched at the piece before. */
const PIECE = 64 * 1024;

const SMALL = 32 * 1024;

const lenient = new TextDecoder("utf-8");

/** One for a search: not for two files at the same time, since both would fill its buffer. */
export class TextLoader {
  #buffer = new Uint8Array(256 * 1024);

  /** The text of a small plain file at once; null where it is binary, undefined where it has to be opened and loaded. */
  quick(fs: HostFs, path: string): string | null | undefined {
    const length = fs.readStart?.(path, this.#buffer);
    if (length === undefined) return undefined;
    if (length >= this.#buffer.length) return looksBinary(this.#buffer) ? null : undefined;
    return textOf(this.#buffer.subarray(0, length)) ?? null;
  }

  /** The text of an open file, in one or more parts; none where it is binary. */
  async *load(file: Pick<HostFile, "read">): AsyncGenerator<TextPart> {
    const whole = await this.#readWhole(file);
    if (whole !== undefined) {
      const text = textOf(whole);
      if (text !== undefined) yield { text, line: 1 };
      return;
    }
    let line = 1;
    let kept = 0;
    for (let first = true;; first = false) {
      const length = first ? this.#buffer.length : kept + await fill(file, this.#buffer.subarray(kept));
      if (length === 0) return;
      const bytes = this.#buffer.subarray(0, length);
      const feed = bytes.lastIndexOf(0x0a);
      const end = length < this.#buffer.length || feed < 0 ? length : feed + 1;
      const text = textOf(bytes.subarray(0, end));
      if (text === undefined) return;
      yield { text, line };
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) line++;
      if (end === length && length < this.#buffer.length) return;
      this.#buffer.copyWithin(0, end, length);
      kept = length - end;
    }
  }

  /** All bytes (valid until the next file), or undefined where they fill the largest buffer. */
  async #readWhole(file: Pick<HostFile, "read">): Promise<Uint8Array | undefined> {
    let length = 0;
    while (true) {
      const count = file.read(this.#buffer.subarray(length));
      const read = typeof count === "number" ? count : await count;
      length += read;
      // Plain files fill what there is to fill: a short read is their end.
      if (length < this.#buffer.length || looksBinary(this.#buffer)) return this.#buffer.subarray(0, length);
      if (length >= WHOLE) return undefined;
      const larger = new Uint8Array(Math.min(WHOLE, length * 4));
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
  }
}

/** The text of bytes, with LF as line ends; undefined for what is binary. */
function textOf(bytes: Uint8Array): string | undefined {
  // A few bytes are decoded sooner than looked at one by one.
  if (bytes.length > SMALL && looksBinary(bytes)) return undefined;
  // Decoding without complaint is several times faster, and what it could not decode shows.
  const text = lenient.decode(bytes);
  if (text.includes("\0")) return looksBinary(bytes) ? undefined : otherText(bytes);
  return text.includes("\ufffd") ? otherText(bytes) : plain(text);
}

function otherText(bytes: Uint8Array): string | undefined {
  const nul = bytes.indexOf(0);
  const encoding = detectEncoding(bytes);
  if (encoding !== "binary" && (nul < 0 || encoding.name.startsWith("UTF-16"))) {
    return plain(decodeText(bytes, encoding));
  }
  if (nul < PIECE) return undefined;
  return otherText(bytes.subarray(0, Math.floor(nul / PIECE) * PIECE));
}

/** Most binary files show it at once. */
function looksBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 1024);
  return head.includes(0) && detectEncoding(head.subarray(0, head.length & ~1)) === "binary";
}

function plain(text: string): string {
  return text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
}
