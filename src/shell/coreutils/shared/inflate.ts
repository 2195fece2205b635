/**
 * Decompresses DEFLATE (RFC 1951) a piece at a time. The platform's own stream
 * does not say where its data ended, so that members of a gzip file that stand
 * one behind the other cannot be told apart with it.
 *
 * The caller hands in input with {@link Inflater.feed} and calls
 * {@link Inflater.run}, which writes into `out` until it is nearly full, more
 * input is needed, or the stream is over.
 */
import { CorruptDeflate, type Huffman, huffman } from "./huffman.ts";

export type Outcome = "input" | "output" | "end";

/** A block's header with its tables is never longer. */
const MARGIN = 1024;
const WINDOW = 32_768;
const LONGEST_MATCH = 258;

const LENGTHS = [
  [3, 0],
  [4, 0],
  [5, 0],
  [6, 0],
  [7, 0],
  [8, 0],
  [9, 0],
  [10, 0],
  [11, 1],
  [13, 1],
  [15, 1],
  [17, 1],
  [19, 2],
  [23, 2],
  [27, 2],
  [31, 2],
  [35, 3],
  [43, 3],
  [51, 3],
  [59, 3],
  [67, 4],
  [83, 4],
  [99, 4],
  [115, 4],
  [131, 5],
  [163, 5],
  [195, 5],
  [227, 5],
  [258, 0],
] as const;
const LENGTH_BASE = Uint16Array.from(LENGTHS, ([base]) => base);
const LENGTH_BITS = Uint8Array.from(LENGTHS, ([, bits]) => bits);
const DISTANCE_BITS = Uint8Array.from({ length: 30 }, (_, i) => i < 2 ? 0 : (i >> 1) - 1);
const DISTANCE_BASE = Uint16Array.from(
  { length: 30 },
  (_, i) => i < 2 ? i + 1 : ((2 + (i & 1)) << DISTANCE_BITS[i]) + 1,
);
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

let fixed: { literals: Huffman; distances: Huffman } | undefined;
function fixedTables(): { literals: Huffman; distances: Huffman } {
  return fixed ??= {
    literals: huffman(
      Uint8Array.from({ length: 288 }, (_, i) => i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8),
    ),
    distances: huffman(new Uint8Array(30).fill(5)),
  };
}

export class Inflater {
  /** What was written and not taken yet starts with the window that matches look back into. */
  readonly out = new Uint8Array(WINDOW * 8);
  #end = 0;
  #taken = 0;
  #input = new Uint8Array(0);
  #at = 0;
  #last = false;
  #bits = 0;
  #count = 0;
  #block: "none" | "stored" | "codes" = "none";
  #finalBlock = false;
  #stored = 0;
  #literals: Huffman | undefined;
  #distances: Huffman | undefined;

  /** More input; `last` where none follows. */
  feed(bytes: Uint8Array, last: boolean): void {
    const left = this.#input.subarray(this.#at);
    const joined = new Uint8Array(left.length + bytes.length);
    joined.set(left);
    joined.set(bytes, left.length);
    this.#input = joined;
    this.#at = 0;
    this.#last = last;
  }

  /** What was written since it was last asked for; good until the next {@link run}. */
  take(): Uint8Array {
    const part = this.out.subarray(this.#taken, this.#end);
    this.#taken = this.#end;
    return part;
  }

  /** After the end: the bytes of the input that do not belong to the stream. */
  rest(): Uint8Array {
    return this.#input.subarray(this.#at - (this.#count >> 3));
  }

  run(): Outcome {
    if (this.#end > this.out.length - LONGEST_MATCH - 1) {
      this.out.copyWithin(0, this.#end - WINDOW, this.#end);
      this.#end = this.#taken = WINDOW;
    }
    for (;;) {
      if (!this.#last && this.#input.length - this.#at < MARGIN) return "input";
      if (this.#block === "none") {
        if (this.#finalBlock) return "end";
        this.#header();
      }
      if (this.#block === "stored") {
        const part = Math.min(
          this.#stored,
          this.#input.length - this.#at,
          this.out.length - LONGEST_MATCH - this.#end,
        );
        if (part > 0) {
          this.out.set(this.#input.subarray(this.#at, this.#at + part), this.#end);
          this.#at += part;
          this.#end += part;
          this.#stored -= part;
        }
        if (this.#stored === 0) this.#block = "none";
        else if (this.#at >= this.#input.length) {
          if (this.#last) throw new CorruptDeflate("end");
          return "input";
        } else return "output";
      } else if (this.#block === "codes") {
        const outcome = this.#codes();
        if (outcome !== undefined) return outcome;
      }
    }
  }

  #need(count: number): void {
    while (this.#count < count) {
      if (this.#at >= this.#input.length) throw new CorruptDeflate("end");
      this.#bits |= this.#input[this.#at++] << this.#count;
      this.#count += 8;
    }
  }

  #read(count: number): number {
    if (count === 0) return 0;
    this.#need(count);
    const value = this.#bits & ((1 << count) - 1);
    this.#bits >>>= count;
    this.#count -= count;
    return value;
  }

  #header(): void {
    this.#finalBlock = this.#read(1) === 1;
    const kind = this.#read(2);
    if (kind === 0) {
      // Whole bytes that were read ahead go back.
      this.#at -= this.#count >> 3;
      this.#bits = this.#count = 0;
      const size = this.#read(16);
      if ((size ^ 0xffff) !== this.#read(16)) throw new CorruptDeflate("data");
      this.#stored = size;
      this.#block = "stored";
    } else if (kind === 1) {
      ({ literals: this.#literals, distances: this.#distances } = fixedTables());
      this.#block = "codes";
    } else if (kind === 2) {
      this.#tables();
      this.#block = "codes";
    } else throw new CorruptDeflate("data");
  }

  #tables(): void {
    const literals = this.#read(5) + 257, distances = this.#read(5) + 1, codes = this.#read(4) + 4;
    const sizes = new Uint8Array(19);
    for (let i = 0; i < codes; i++) sizes[ORDER[i]] = this.#read(3);
    const table = huffman(sizes);
    const all = new Uint8Array(literals + distances);
    for (let i = 0; i < all.length;) {
      const symbol = this.#symbol(table);
      if (symbol < 16) {
        all[i++] = symbol;
        continue;
      }
      if (symbol === 16 && i === 0) throw new CorruptDeflate("data");
      const value = symbol === 16 ? all[i - 1] : 0;
      const times = symbol === 16
        ? 3 + this.#read(2)
        : symbol === 17
        ? 3 + this.#read(3)
        : 11 + this.#read(7);
      if (i + times > all.length) throw new CorruptDeflate("data");
      all.fill(value, i, i + times);
      i += times;
    }
    this.#literals = huffman(all.subarray(0, literals));
    this.#distances = huffman(all.subarray(literals));
  }

  #symbol(table: Huffman): number {
    // Near the end fewer bits may be left than the longest code has.
    while (this.#count < table.longest && this.#at < this.#input.length) {
      this.#bits |= this.#input[this.#at++] << this.#count;
      this.#count += 8;
    }
    const entry = table.entries[this.#bits & table.mask];
    const length = entry & 15;
    if (length === 0) throw new CorruptDeflate("data");
    if (length > this.#count) throw new CorruptDeflate("end");
    this.#bits >>>= length;
    this.#count -= length;
    return entry >>> 4;
  }

  /** The symbols of a block; undefined where it is over. */
  #codes(): Outcome | undefined {
    const literals = this.#literals!, distances = this.#distances!;
    const out = this.out;
    const full = out.length - LONGEST_MATCH;
    while (this.#end < full) {
      if (!this.#last && this.#input.length - this.#at < 16) return "input";
      const symbol = this.#symbol(literals);
      if (symbol < 256) {
        out[this.#end++] = symbol;
        continue;
      }
      if (symbol === 256) {
        this.#block = "none";
        return undefined;
      }
      if (symbol > 285) throw new CorruptDeflate("data");
      const length = LENGTH_BASE[symbol - 257] + this.#read(LENGTH_BITS[symbol - 257]);
      const code = this.#symbol(distances);
      if (code > 29) throw new CorruptDeflate("data");
      const distance = DISTANCE_BASE[code] + this.#read(DISTANCE_BITS[code]);
      let from = this.#end - distance;
      if (from < 0) throw new CorruptDeflate("data");
      for (const end = this.#end + length; this.#end < end;) out[this.#end++] = out[from++];
    }
    return "output";
  }
}
