/**
 * cat: copies files to stdout, block by block; numbers and shows what is
 * invisible when asked.
 */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSource } from "../host.ts";
import { BLOCK_SIZE, eachInput } from "./shared/blocks.ts";
import { type Options, parseOptions } from "./shared/options.ts";
import { complainAbout } from "./shared/report.ts";

const TABLE = {
  options: [
    "A|show-all",
    "b|number-nonblank",
    "e",
    "E|show-ends",
    "n|number",
    "s|squeeze-blank",
    "t",
    "T|show-tabs",
    "u",
    "v|show-nonprinting",
  ],
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const buffer = new Uint8Array(BLOCK_SIZE);
  const plain = options.list.every(([key]) => key === "u");
  const decorator = plain ? undefined : new Decorator(options);
  let status = 0;
  const copy = async (source: ByteSource): Promise<void> => {
    for (;;) {
      context.poll();
      const read = source.read(buffer);
      const got = typeof read === "number" ? read : await read;
      if (got === 0) return;
      const bytes = buffer.subarray(0, got);
      const done = context.stdout.write(decorator ? decorator.show(bytes) : bytes);
      if (done) await done;
    }
  };
  await eachInput(context, options.operands, copy, async (name, error) => {
    await complainAbout(context, name, error);
    status = 1;
  });
  return status;
}

class Decorator {
  #line = 0;
  #lineStart = true;
  #blanks = 0;
  #out = new Uint8Array(BLOCK_SIZE * 2);
  #end = 0;
  readonly #number: "none" | "all" | "filled";
  readonly #ends: boolean;
  readonly #tabs: boolean;
  readonly #invisible: boolean;
  readonly #squeeze: boolean;

  constructor(options: Options) {
    this.#number = options.has("b") ? "filled" : options.has("n") ? "all" : "none";
    this.#ends = options.has("A", "e", "E");
    this.#tabs = options.has("A", "t", "T");
    this.#invisible = options.has("A", "e", "t", "v");
    this.#squeeze = options.has("s");
  }

  show(bytes: Uint8Array): Uint8Array {
    this.#end = 0;
    for (const byte of bytes) {
      if (this.#out.length - this.#end < 32) {
        const larger = new Uint8Array(this.#out.length * 2);
        larger.set(this.#out);
        this.#out = larger;
      }
      if (this.#lineStart) {
        if (byte === 10) {
          if (++this.#blanks > 1 && this.#squeeze) continue;
          if (this.#number === "all") this.#prefix();
        } else {
          this.#blanks = 0;
          if (this.#number !== "none") this.#prefix();
        }
      }
      this.#lineStart = byte === 10;
      if (byte === 10) {
        if (this.#ends) this.#put(36);
        this.#put(10);
      } else this.#visible(byte);
    }
    return this.#out.subarray(0, this.#end);
  }

  #put(byte: number): void {
    this.#out[this.#end++] = byte;
  }

  #prefix(): void {
    const text = String(++this.#line).padStart(6) + "\t";
    for (let i = 0; i < text.length; i++) this.#put(text.charCodeAt(i));
  }

  #visible(byte: number): void {
    if (byte === 9) {
      if (!this.#tabs) return this.#put(9);
      this.#put(94);
      return this.#put(73);
    }
    if (!this.#invisible) return this.#put(byte);
    if (byte >= 128) {
      this.#put(77);
      this.#put(45);
      byte -= 128;
    }
    if (byte < 32 || byte === 127) {
      this.#put(94);
      byte ^= 64;
    }
    this.#put(byte);
  }
}
