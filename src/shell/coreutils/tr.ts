/**
 * tr: replaces, deletes and squeezes bytes, by a table of 256 entries.
 */
import { encodeBytes } from "../../lib/text/bytes.ts";
import type { UtilityContext } from "../builtin.ts";
import { BLOCK_SIZE } from "./shared/blocks.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { cite } from "./shared/report.ts";

const TABLE = {
  options: ["c|C|complement", "d|delete", "s|squeeze-repeats", "t|truncate-set1"],
  stopAtOperand: true,
  usage: "[OPTION]... STRING1 [STRING2]",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const { operands } = options;
  const deletes = options.has("d");
  const squeezes = options.has("s");
  const wanted = deletes === squeezes ? 2 : 1;
  if (operands.length === 0) throw new UsageError("missing operand");
  if (operands.length < wanted) {
    throw new UsageError(
      `missing operand after ${cite(operands[operands.length - 1])}\n${
        squeezes
          ? "Two strings must be given when both deleting and squeezing repeats."
          : "Two strings must be given when translating."
      }`,
    );
  }
  if (operands.length > (deletes && !squeezes ? 1 : 2)) {
    throw new UsageError(
      `extra operand ${cite(operands[deletes && !squeezes ? 1 : 2])}${
        deletes && !squeezes ? "\nOnly one string may be given when deleting without squeezing repeats." : ""
      }`,
    );
  }
  const translates = !deletes && operands.length === 2;
  const first = expandSet(operands[0], undefined, false);
  let one = first.bytes;
  if (options.has("c")) {
    const present = new Set(one);
    one = Array.from({ length: 256 }, (_, i) => i).filter((byte) => !present.has(byte));
  }
  const two = operands.length === 2 ? expandSet(operands[1], one.length, translates) : undefined;

  const map = new Uint8Array(256).map((_, i) => i);
  const drop = new Uint8Array(256);
  const squeeze = new Uint8Array(256);
  if (deletes) { for (const byte of one) drop[byte] = 1; }
  if (translates) translate(map, one, two!, first, options.has("t"), options.has("c"));
  if (squeezes) { for (const byte of two ? two.bytes : one) squeeze[byte] = 1; }
  return await pump(context, map, drop, squeeze, deletes, squeezes);
}

async function pump(
  context: UtilityContext,
  map: Uint8Array,
  drop: Uint8Array,
  squeeze: Uint8Array,
  deletes: boolean,
  squeezes: boolean,
): Promise<number> {
  const buffer = new Uint8Array(BLOCK_SIZE);
  let previous = -1;
  for (;;) {
    context.poll();
    const read = context.stdin.read(buffer);
    const got = typeof read === "number" ? read : await read;
    if (got === 0) return 0;
    let end = got;
    if (!deletes && !squeezes) { for (let i = 0; i < got; i++) buffer[i] = map[buffer[i]]; }
    else {
      end = 0;
      for (let i = 0; i < got; i++) {
        const byte = buffer[i];
        if (drop[byte]) continue;
        const out = map[byte];
        if (out === previous && squeeze[out]) continue;
        previous = out;
        buffer[end++] = out;
      }
    }
    const done = context.stdout.write(buffer.subarray(0, end));
    if (done) await done;
  }
}

interface ByteSet {
  readonly bytes: number[];
  /** Places of `[:lower:]` and `[:upper:]`, which translate into each other. */
  readonly cases: { at: number; upper: boolean }[];
  /** Holds other classes. */
  readonly classes: boolean;
}

function translate(
  map: Uint8Array,
  one: number[],
  two: ByteSet,
  first: ByteSet,
  truncate: boolean,
  complemented: boolean,
): void {
  if (two.classes) {
    throw new Failure(
      "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'",
    );
  }
  for (const { at } of two.cases) {
    if (complemented || !first.cases.some((each) => each.at === at)) {
      throw new Failure("misaligned [:upper:] and/or [:lower:] construct");
    }
  }
  const to = two.bytes;
  if (to.length === 0 && !truncate) throw new Failure("when not truncating set1, string2 must be non-empty");
  if (complemented && first.classes && new Set(to).size > 1) {
    throw new Failure(
      "when translating with complemented character classes,\nstring2 must map all characters in the domain to one",
    );
  }
  for (let i = 0; i < one.length; i++) {
    if (i >= to.length && truncate) break;
    map[one[i]] = to[Math.min(i, to.length - 1)];
  }
}

const CLASSES: Readonly<Record<string, (c: number) => boolean>> = {
  alnum: (c) => CLASSES.alpha(c) || CLASSES.digit(c),
  alpha: (c) => CLASSES.upper(c) || CLASSES.lower(c),
  blank: (c) => c === 32 || c === 9,
  cntrl: (c) => c < 32 || c === 127,
  digit: (c) => c >= 48 && c <= 57,
  graph: (c) => c > 32 && c < 127,
  lower: (c) => c >= 97 && c <= 122,
  print: (c) => c >= 32 && c < 127,
  punct: (c) => CLASSES.graph(c) && !CLASSES.alnum(c),
  space: (c) => c === 32 || (c >= 9 && c <= 13),
  upper: (c) => c >= 65 && c <= 90,
  xdigit: (c) => CLASSES.digit(c) || (c >= 65 && c <= 70) || (c >= 97 && c <= 102),
};

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, "\\": 92 };

/** Expands escapes, ranges, classes, `[=c=]` and `[c*n]` (which fills up to `length`). */
function expandSet(text: string, length: number | undefined, translating: boolean): ByteSet {
  const units = unescape(encodeBytes(text));
  const bytes: number[] = [];
  const cases: ByteSet["cases"] = [];
  let classes = false;
  let fill: { at: number; byte: number } | undefined;
  const is = (i: number, char: string) =>
    i < units.length && !units[i].escaped && units[i].byte === char.charCodeAt(0);
  for (let i = 0; i < units.length;) {
    if (is(i, "[") && is(i + 1, ":")) {
      const end = findClose(units, i + 2, ":");
      if (end > 0) {
        const name = String.fromCharCode(...units.slice(i + 2, end).map((unit) => unit.byte));
        if (!Object.hasOwn(CLASSES, name)) throw new Failure(`invalid character class ${cite(name)}`);
        if (name === "upper" || name === "lower") cases.push({ at: bytes.length, upper: name === "upper" });
        else classes = true;
        for (let byte = 0; byte < 256; byte++) if (CLASSES[name](byte)) bytes.push(byte);
        i = end + 2;
        continue;
      }
    }
    if (is(i, "[") && is(i + 1, "=") && is(i + 3, "=") && is(i + 4, "]")) {
      bytes.push(units[i + 2].byte);
      i += 5;
      continue;
    }
    if (is(i, "[") && i + 2 < units.length && is(i + 2, "*") && length !== undefined) {
      let end = i + 3;
      while (end < units.length && units[end].byte >= 48 && units[end].byte <= 57) end++;
      if (is(end, "]")) {
        const digits = String.fromCharCode(...units.slice(i + 3, end).map((unit) => unit.byte));
        const count = digits === "" ? 0 : parseInt(digits, digits[0] === "0" ? 8 : 10);
        if (count === 0) fill = { at: bytes.length, byte: units[i + 1].byte };
        else for (let k = 0; k < Math.min(count, 65_536); k++) bytes.push(units[i + 1].byte);
        i = end + 1;
        continue;
      }
    }
    if (is(i + 1, "-") && i + 2 < units.length) {
      const low = units[i].byte, high = units[i + 2].byte;
      if (low > high) {
        const show = (byte: number) =>
          byte < 32 || byte > 126 ? "\\" + byte.toString(8).padStart(3, "0") : String.fromCharCode(byte);
        throw new Failure(
          `range-endpoints of '${show(low)}-${show(high)}' are in reverse collating sequence order`,
        );
      }
      for (let byte = low; byte <= high; byte++) bytes.push(byte);
      i += 3;
      continue;
    }
    bytes.push(units[i].byte);
    i++;
  }
  if (fill && length !== undefined) {
    const missing = Math.max(0, length - bytes.length);
    bytes.splice(fill.at, 0, ...new Array(missing).fill(fill.byte));
  } else if (fill && translating) throw new Failure("the [c*] repeat construct may not appear in string1");
  return { bytes, cases, classes };
}

interface Unit {
  readonly byte: number;
  readonly escaped: boolean;
}

function findClose(units: readonly Unit[], from: number, mark: string): number {
  for (let i = from; i + 1 < units.length; i++) {
    if (units[i].byte === mark.charCodeAt(0) && units[i + 1].byte === 93) return i;
  }
  return -1;
}

function unescape(bytes: Uint8Array): Unit[] {
  const out: Unit[] = [];
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] !== 92 || i + 1 >= bytes.length) {
      out.push({ byte: bytes[i], escaped: false });
      continue;
    }
    const char = String.fromCharCode(bytes[++i]);
    if (char >= "0" && char <= "7") {
      let value = 0;
      let count = 0;
      while (
        count < 3 && i < bytes.length && bytes[i] >= 48 && bytes[i] <= 55 && value * 8 + bytes[i] - 48 < 256
      ) {
        value = value * 8 + bytes[i++] - 48;
        count++;
      }
      i--;
      out.push({ byte: value, escaped: true });
    } else out.push({ byte: ESCAPES[char] ?? bytes[i], escaped: true });
  }
  return out;
}
