/**
 * Texts to search, from files: read whole up to a bound, in pieces cut between
 * lines beyond it; binary files give nothing. One buffer serves all files.
 */
import type { HostFile } from "../../sandbox/mod.ts";
import { fill } from "../shared/file_bytes.ts";
import { decodeText, detectEncoding } from "../shared/text_codec.ts";

export interface TextPart {
  readonly text: string;
  /** Number of its first line. */
  readonly line: number;
}

/** Files up to this size are searched as one text. */
const WHOLE = 32 << 20;
/** A NUL in the first piece of a file means binary; a later one ends what is searched at the piece before. */
const PIECE = 64 * 1024;

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

export class TextLoader {
  #buffer = new Uint8Array(256 * 1024);

  /** The text of an open file, in one or more parts; none where it is binary. */
  async *load(file: HostFile): AsyncGenerator<TextPart> {
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
  async #readWhole(file: HostFile): Promise<Uint8Array | undefined> {
    let length = 0;
    while (true) {
      const count = file.read(this.#buffer.subarray(length));
      const read = typeof count === "number" ? count : await count;
      length += read;
      // Plain files fill what there is to fill: a short read is their end.
      if (length < this.#buffer.length) return this.#buffer.subarray(0, length);
      if (length >= WHOLE) return undefined;
      const larger = new Uint8Array(Math.min(WHOLE, length * 4));
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
  }
}

/** The text of bytes, with LF as line ends; undefined for what is binary. */
export function textOf(bytes: Uint8Array): string | undefined {
  let sound = bytes;
  const nul = bytes.indexOf(0);
  if (nul >= 0) {
    const encoding = detectEncoding(bytes);
    if (encoding !== "binary" && encoding.name.startsWith("UTF-16")) {
      return plain(decodeText(bytes, encoding));
    }
    sound = bytes.subarray(0, Math.floor(nul / PIECE) * PIECE);
    if (sound.length === 0) return undefined;
  }
  try {
    return plain(strict.decode(sound));
  } catch {
    const encoding = detectEncoding(sound);
    return encoding === "binary" ? undefined : plain(decodeText(sound, encoding));
  }
}

function plain(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}
