/** hexdump: bytes in one of its ready-made forms; equal lines are folded into a star. Its language of formats is not here. */
import type { UtilityContext } from "../builtin.ts";
import { BLOCK_SIZE } from "./shared/blocks.ts";
import { parseSize } from "./shared/numbers.ts";
import { parseOptions, UnsupportedOption, UsageError } from "./shared/options.ts";
import { cite, complain, reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "C|canonical",
    "b|one-byte-octal",
    "c|one-byte-char",
    "d|two-bytes-decimal",
    "o|two-bytes-octal",
    "x|two-bytes-hex",
    "n|length=",
    "s|skip=",
    "v|no-squeezing",
  ],
  unsupported: ["e|format=", "f|format-file=", "L|color=?", "X|one-byte-hex"],
  usage: "[options] <file>...",
};

const ROW = 16;

interface Form {
  /** Bytes of a cell. */
  readonly size: 1 | 2;
  /** Each ends in a space, as the places of what is missing do. */
  cell(value: number): string;
}

const FORMS: Readonly<Record<string, Form>> = {
  plain: { size: 2, cell: (value) => value.toString(16).padStart(4, "0") + " " },
  b: { size: 1, cell: (value) => octal(value, 3) + " " },
  c: { size: 1, cell: (value) => character(value).padStart(3) + " " },
  d: { size: 2, cell: (value) => `  ${String(value).padStart(5, "0")} ` },
  o: { size: 2, cell: (value) => ` ${octal(value, 6)} ` },
  x: { size: 2, cell: (value) => `   ${value.toString(16).padStart(4, "0")} ` },
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const chosen = options.list.map(([key]) => key).filter((key) => "Cbcdox".includes(key));
  if (chosen.length > 1) {
    throw new UnsupportedOption(`-${chosen[1]}`, "several forms at once are not supported here");
  }
  const form = FORMS[chosen[0] ?? "plain"];
  const number = (key: string): number | undefined => {
    const text = options.value(key);
    if (text === undefined) return undefined;
    const value = /^0x/i.test(text) ? Number(text) : parseSize(text);
    if (value === undefined || Number.isNaN(value)) {
      throw new UsageError(`failed to parse ${key === "n" ? "length" : "offset"}: ${cite(text)}`, 1, false);
    }
    return value;
  };
  let skip = number("s") ?? 0;
  let left = number("n") ?? Infinity;
  let status = 0;
  let address = skip;
  const digits = form === undefined ? 8 : 7;
  const place = (at: number) => at.toString(16).padStart(digits, "0");
  const row = new Uint8Array(ROW);
  let filled = 0;
  let before: Uint8Array | undefined;
  let starred = false;

  const show = async () => {
    const bytes = row.subarray(0, filled);
    if (
      before !== undefined && filled === ROW && !options.has("v") &&
      bytes.every((byte, i) => byte === before![i])
    ) {
      if (!starred) await context.stdout.print("*\n");
      starred = true;
    } else {
      starred = false;
      const done = context.stdout.print(
        `${place(address)}${form ? plainRow(bytes, form) : canonicalRow(bytes)}\n`,
      );
      if (done) await done;
    }
    before = row.slice();
    address += filled;
    filled = 0;
  };

  const buffer = new Uint8Array(BLOCK_SIZE);
  const names = options.operands.length === 0 ? ["-"] : options.operands;
  let opened = 0;
  for (const name of names) {
    try {
      // A dash is the name of a file here; without names it is standard input.
      const source = options.operands.length === 0
        ? context.stdin
        : await context.open(name === "-" ? "./-" : name);
      opened++;
      try {
        while (left > 0) {
          context.poll();
          let got = await source.read(buffer);
          if (got === 0) break;
          const from = Math.min(skip, got);
          skip -= from;
          got = Math.min(got, from + left);
          left -= got - from;
          for (let at = from; at < got;) {
            const part = buffer.subarray(at, Math.min(got, at + ROW - filled));
            row.set(part, filled);
            filled += part.length;
            at += part.length;
            if (filled === ROW) await show();
          }
        }
      } finally {
        if (source !== context.stdin) source.close();
      }
    } catch (error) {
      await complain(context, `${name}: ${reason(error)}`);
      status = 1;
    }
  }
  if (opened === 0) {
    await complain(context, "all input file arguments failed");
    return 1;
  }
  if (filled > 0) await show();
  if (address > 0) await context.stdout.print(place(address) + "\n");
  return status;
}

function plainRow(bytes: Uint8Array, { size, cell }: Form): string {
  let out = " ";
  for (let i = 0; i < bytes.length; i += size) {
    out += cell(size === 1 ? bytes[i] : bytes[i] | (bytes[i + 1] ?? 0) << 8);
  }
  const width = 1 + cell(0).length * ROW / size;
  return out.padEnd(width).slice(0, width - 1);
}

function canonicalRow(bytes: Uint8Array): string {
  let out = " ";
  let text = "";
  bytes.forEach((byte, i) => {
    out += (i % 8 === 0 ? " " : "") + byte.toString(16).padStart(2, "0") + " ";
    text += byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".";
  });
  return `${out.padEnd(ROW * 3 + 3)} |${text}|`;
}

function octal(value: number, width: number): string {
  return value.toString(8).padStart(width, "0");
}

const NAMES: Readonly<Record<number, string>> = {
  0: "\\0",
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
};

function character(byte: number): string {
  return NAMES[byte] ?? (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : octal(byte, 3));
}
