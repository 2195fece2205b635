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
    "f",
  ],
  unsupported: ["S|strings=?", "traditional", "endian="],
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
  f: "f4",
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
      const match = /^(?:([acdoux])(\d+|[CSIL])?|(f)(\d+|[FDL])?)(z)?/.exec(rest);
      if (!match) {
        throw new UsageError(`invalid character '${rest[0]}' in type string ${cite(text)}`, 1, false);
      }
      rest = rest.slice(match[0].length);
      const letter = match[1] ?? "f";
      const given = match[2] ?? match[4];
      const size = letter === "a" || letter === "c"
        ? 1
        : given === undefined
        ? letter === "f" ? 8 : 4
        : ({ C: 1, S: 2, I: 4, L: letter === "f" ? 16 : 8, F: 4, D: 8 }[given] ?? Number(given));
      if (!(letter === "f" ? [4, 8] : [1, 2, 4, 8]).includes(size)) {
        throw new UsageError(
          `invalid type string ${cite(text)};\nthis system doesn't provide a ${size}-byte ${
            letter === "f" ? "floating point" : "integral"
          } type`,
          1,
          false,
        );
      }
      const digits = {
        o: [3, 6, 11, 22],
        x: [2, 4, 8, 16],
        d: [4, 6, 11, 20],
        u: [3, 5, 10, 20],
        f: [0, 0, 15, 24],
      }[letter]?.[Math.log2(size)] ?? 3;
      out.push({ letter, size, width: digits, trailer: match[5] !== undefined });
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
  if (letter === "f") return floatText(bytes, at, size);
  let value = 0n;
  for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[at + i] ?? 0);
  if (letter === "d") return BigInt.asIntN(size * 8, value).toString();
  if (letter === "u") return value.toString();
  return value.toString(letter === "x" ? 16 : 8).padStart(width, "0");
}

/** As few digits as give the same number again, no fewer than the type surely holds. */
function floatText(bytes: Uint8Array, at: number, size: number): string {
  const padded = new Uint8Array(size);
  padded.set(bytes.subarray(at, at + size));
  const view = new DataView(padded.buffer);
  const value = size === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  let digits = size === 4 ? 6 : 15;
  const same = (text: string) => size === 4 ? Math.fround(Number(text)) === value : Number(text) === value;
  while (digits < 17 && !same(value.toPrecision(digits))) digits++;
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  const exponent = Number(power);
  const bare = (text: string) => text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  if (exponent >= -4 && exponent < digits) return bare(value.toFixed(Math.max(0, digits - 1 - exponent)));
  return `${bare(mantissa)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
