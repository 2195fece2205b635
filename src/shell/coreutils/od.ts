/** od: bytes as numbers and characters. */
import type { UtilityContext } from "../builtin.ts";
import { parseSize } from "./shared/numbers.ts";
import { type Options, parseOptions, UsageError } from "./shared/options.ts";
import { BLOCK_SIZE, eachInput } from "./shared/blocks.ts";
import { cite, complainAbout } from "./shared/report.ts";

const TABLE = {
  options: [
    "A|address-radix=",
    "j|skip-bytes=",
    "N|read-bytes=",
    "t|format=",
    "v|output-duplicates",
    "w|width=?",
    "a",
    "b",
    "c",
    "d",
    "o",
    "s",
    "x",
    "i",
    "l",
  ],
  unsupported: ["S|strings=?", "traditional", "endian=", "f"],
};

interface Format {
  readonly letter: string;
  readonly size: number;
  readonly width: number;
  readonly trailer: boolean;
}

const NAMES =
  "nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp"
    .split(" ");
const SHORT: Readonly<Record<string, string>> = {
  a: "a",
  b: "o1",
  c: "c",
  d: "u2",
  o: "o2",
  s: "d2",
  x: "x2",
  i: "d4",
  l: "d8",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const formats = readFormats(options);
  const radix = options.value("A") ?? "o";
  if (!/^[doxn]$/.test(radix)) {
    throw new UsageError(
      `invalid output address radix '${radix}'; it must be one character from [doxn]`,
      1,
      false,
    );
  }
  const count = (key: string): number | undefined => {
    const text = options.value(key);
    if (text === undefined) return undefined;
    const size = /^0x[0-9a-f]+$/i.test(text)
      ? parseInt(text, 16)
      : /^0[0-7]+$/.test(text)
      ? parseInt(text, 8)
      : parseSize(text);
    if (size === undefined) throw new UsageError(`invalid -${key} argument ${cite(text)}`, 1, false);
    return size;
  };
  const skip = count("j") ?? 0;
  const limit = count("N") ?? Infinity;
  const unit = Math.max(...formats.map(({ size }) => size));
  const wide = options.has("w") ? Number(options.value("w") || 32) : Math.ceil(16 / unit) * unit;
  const dump = new Dump(formats, radix, wide, options.has("v"), skip);
  let toSkip = skip;
  let left = limit;
  let status = 0;
  const buffer = new Uint8Array(BLOCK_SIZE);
  await eachInput(context, options.operands, async (source) => {
    while (left > 0) {
      context.poll();
      const read = source.read(buffer.subarray(0, Math.min(buffer.length, left + toSkip)));
      const got = typeof read === "number" ? read : await read;
      if (got === 0) return;
      const from = Math.min(toSkip, got);
      toSkip -= from;
      left -= got - from;
      const done = context.stdout.print(dump.add(buffer.subarray(from, got)));
      if (done) await done;
    }
  }, async (name, error) => {
    await complainAbout(context, name, error);
    status = 1;
  });
  await context.stdout.print(dump.finish());
  return status;
}

function readFormats(options: Options): Format[] {
  const out: Format[] = [];
  for (const [key, value] of options.list) {
    const text = key === "t" ? value : SHORT[key];
    if (text === undefined) continue;
    for (let rest = text; rest !== "";) {
      const match = /^([acdoux])(\d+|[CSIL])?(z)?/.exec(rest);
      if (!match) {
        throw new UsageError(
          /^f/.test(rest)
            ? `invalid type string ${cite(text)}; floating point is not supported here`
            : `invalid character '${rest[0]}' in type string ${cite(text)}`,
          1,
          false,
        );
      }
      rest = rest.slice(match[0].length);
      const size = match[1] === "a" || match[1] === "c"
        ? 1
        : match[2] === undefined
        ? 4
        : ({ C: 1, S: 2, I: 4, L: 8 }[match[2]] ?? Number(match[2]));
      if (![1, 2, 4, 8].includes(size)) {
        throw new UsageError(
          `invalid type string ${cite(text)};\nthis system doesn't provide a ${size}-byte integral type`,
          1,
          false,
        );
      }
      const digits = { o: [3, 6, 11, 22], x: [2, 4, 8, 16], d: [4, 6, 11, 20], u: [3, 5, 10, 20] }[match[1]]
        ?.[Math.log2(size)] ?? 3;
      out.push({ letter: match[1], size, width: digits, trailer: match[3] !== undefined });
    }
  }
  return out.length > 0 ? out : [{ letter: "o", size: 2, width: 6, trailer: false }];
}

class Dump {
  #line = new Uint8Array(0);
  #previous: string | undefined;
  #starred = false;
  #address: number;

  constructor(
    readonly formats: readonly Format[],
    readonly radix: string,
    readonly wide: number,
    readonly all: boolean,
    start: number,
  ) {
    this.#address = start;
  }

  add(bytes: Uint8Array): string {
    const joined = new Uint8Array(this.#line.length + bytes.length);
    joined.set(this.#line);
    joined.set(bytes, this.#line.length);
    let out = "";
    let at = 0;
    for (; at + this.wide <= joined.length; at += this.wide) {
      out += this.#row(joined.subarray(at, at + this.wide), true);
    }
    this.#line = joined.slice(at);
    return out;
  }

  finish(): string {
    const out = this.#line.length > 0 ? this.#row(this.#line, false) : "";
    return out + (this.radix === "n" ? "" : this.#addressText() + "\n");
  }

  #addressText(): string {
    if (this.radix === "n") return "";
    if (this.radix === "x") return this.#address.toString(16).padStart(6, "0");
    return this.#address.toString(this.radix === "d" ? 10 : 8).padStart(7, "0");
  }

  #row(bytes: Uint8Array, whole: boolean): string {
    const key = bytes.join();
    if (whole && !this.all && key === this.#previous) {
      this.#address += bytes.length;
      if (this.#starred) return "";
      this.#starred = true;
      return "*\n";
    }
    this.#previous = key;
    this.#starred = false;
    // Columns of several formats stand under each other.
    const cell = Math.max(...this.formats.map(({ width, size }) => (width + 1) / size));
    let out = "";
    this.formats.forEach((format, i) => {
      out += i === 0 ? this.#addressText() : this.radix === "n" ? "" : " ".repeat(this.radix === "x" ? 6 : 7);
      const width = Math.round(cell * format.size);
      for (let at = 0; at < bytes.length; at += format.size) out += item(bytes, at, format).padStart(width);
      if (format.trailer) {
        const missing = Math.ceil((this.wide - bytes.length) / format.size);
        out += " ".repeat(missing * width) + "  >" + Array.from(bytes, (byte) =>
          byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".").join("") +
          "<";
      }
      out += "\n";
    });
    this.#address += bytes.length;
    return out;
  }
}

function item(bytes: Uint8Array, at: number, { letter, size, width }: Format): string {
  const byte = bytes[at];
  if (letter === "a") {
    return (byte & 127) === 127 ? "del" : NAMES[byte & 127] ?? String.fromCharCode(byte & 127);
  }
  if (letter === "c") {
    const named: Record<number, string> = {
      0: "\\0",
      7: "\\a",
      8: "\\b",
      9: "\\t",
      10: "\\n",
      11: "\\v",
      12: "\\f",
      13: "\\r",
    };
    return named[byte] ??
      (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : byte.toString(8).padStart(3, "0"));
  }
  let value = 0n;
  for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[at + i] ?? 0);
  if (letter === "d") return BigInt.asIntN(size * 8, value).toString();
  if (letter === "u") return value.toString();
  return value.toString(letter === "x" ? 16 : 8).padStart(width, "0");
}
