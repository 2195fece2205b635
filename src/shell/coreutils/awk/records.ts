/** Splits an input into records by RS: a character, a blank line, or an expression. */
import { decodeBytes } from "../../../lib/text/bytes.ts";
import type { Regex } from "../../../lib/regex.ts";
import type { ByteSource, Later } from "../../host.ts";
import { BlockReader } from "../shared/blocks.ts";

export type Separator =
  | { readonly type: "char"; readonly char: string }
  | { readonly type: "paragraph" }
  | { readonly type: "regex"; readonly regex: Regex };

export class RecordReader {
  readonly #blocks: BlockReader;
  #text = "";
  #at = 0;
  #ended = false;
  /** What ended the last record. */
  terminator = "";

  constructor(source: ByteSource) {
    this.#blocks = new BlockReader(source);
  }

  next(separator: Separator): Later<string | undefined> {
    if (separator.type === "char") {
      const end = this.#text.indexOf(separator.char, this.#at);
      if (end >= 0) {
        const record = this.#text.slice(this.#at, end);
        this.#at = end + separator.char.length;
        this.terminator = separator.char;
        return record;
      }
    }
    return this.#slow(separator);
  }

  #slow(separator: Separator): Later<string | undefined> {
    for (;;) {
      const record = this.#try(separator);
      if (record !== undefined) return record;
      if (this.#ended) return this.#rest(separator);
      const block = this.#blocks.next();
      if (block instanceof Promise) return this.#later(separator, block);
      this.#add(block);
    }
  }

  async #later(separator: Separator, first: Promise<Uint8Array | undefined>): Promise<string | undefined> {
    this.#add(await first);
    return await this.#slow(separator);
  }

  #add(block: Uint8Array | undefined): void {
    if (!block) this.#ended = true;
    else {
      this.#text = this.#at < this.#text.length
        ? this.#text.slice(this.#at) + decodeBytes(block)
        : decodeBytes(block);
      this.#at = 0;
    }
  }

  #try(separator: Separator): string | undefined {
    const text = this.#text;
    if (separator.type === "char") {
      const end = text.indexOf(separator.char, this.#at);
      return end < 0 ? undefined : this.#cut(end, end + separator.char.length);
    }
    if (separator.type === "paragraph") {
      while (text[this.#at] === "\n") this.#at++;
      const end = text.indexOf("\n\n", this.#at);
      if (end < 0) return undefined;
      let after = end;
      while (text[after] === "\n") after++;
      // More newlines may follow in the next block; they are skipped then.
      return this.#cut(end, after);
    }
    let from = this.#at;
    for (;;) {
      const match = separator.regex.exec(text, from);
      if (!match) return undefined;
      const end = match.index + match[0]!.length;
      // A match at the very end might go on.
      if (end === text.length && !this.#ended) return undefined;
      if (match[0] !== "") return this.#cut(match.index, end);
      from = end + 1;
      if (from > text.length) return undefined;
    }
  }

  #cut(end: number, after: number): string {
    const record = this.#text.slice(this.#at, end);
    this.terminator = this.#text.slice(end, after);
    this.#at = after;
    return record;
  }

  #rest(separator: Separator): string | undefined {
    if (this.#at >= this.#text.length) return undefined;
    let record = this.#text.slice(this.#at);
    this.#at = this.#text.length;
    this.terminator = "";
    if (separator.type === "paragraph" || (separator.type === "regex" && record.endsWith("\n"))) {
      if (separator.type === "paragraph") record = record.replace(/\n+$/, "");
      if (separator.type === "paragraph" && record === "") return undefined;
    }
    return record;
  }
}
