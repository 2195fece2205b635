/**
 * The keys of sort: reading `-k` and the ordering options, finding a key in a
 * line, and comparing lines by all keys. Numbers are read once per line.
 */
import { decodeBytes, encodeBytes } from "../../../lib/text/bytes.ts";
import { Failure } from "../shared/options.ts";
import { cite } from "../shared/report.ts";
import { compareVersions } from "../shared/version.ts";
import { compareBytes, lineEnd, type Lines } from "./lines.ts";

export interface KeyFlags {
  kind: "text" | "numeric" | "general" | "human" | "month" | "version" | "random";
  reverse: boolean;
  fold: boolean;
  dictionary: boolean;
  printable: boolean;
  blanksStart: boolean;
  blanksEnd: boolean;
}

export interface Key {
  readonly startField: number;
  readonly startChar: number;
  /** 0: the end of the line. */
  readonly endField: number;
  /** 0: the end of the field. */
  readonly endChar: number;
  readonly flags: KeyFlags;
}

export function plainFlags(): KeyFlags {
  return {
    kind: "text",
    reverse: false,
    fold: false,
    dictionary: false,
    printable: false,
    blanksStart: false,
    blanksEnd: false,
  };
}

const KINDS: Readonly<Record<string, KeyFlags["kind"]>> = {
  n: "numeric",
  g: "general",
  h: "human",
  M: "month",
  V: "version",
  R: "random",
};

/** Applies one ordering letter; false where it is none. */
export function applyFlag(flags: KeyFlags, letter: string, where: "start" | "end" | "both"): boolean {
  if (letter === "r") flags.reverse = true;
  else if (letter === "f") flags.fold = true;
  else if (letter === "d") flags.dictionary = true;
  else if (letter === "i") flags.printable = true;
  else if (letter === "b") {
    if (where !== "end") flags.blanksStart = true;
    if (where !== "start") flags.blanksEnd = true;
  } else if (KINDS[letter]) {
    const kind = KINDS[letter];
    if (flags.kind !== "text" && flags.kind !== kind) {
      const letterOf = (wanted: string) => Object.entries(KINDS).find(([, each]) => each === wanted)![0];
      throw new Failure(`options '-${[letterOf(flags.kind), letter].sort().join("")}' are incompatible`, 2);
    }
    flags.kind = kind;
  } else return false;
  return true;
}

/** Reads `F[.C][OPTS][,F[.C][OPTS]]`. */
export function parseKey(text: string, defaults: KeyFlags): Key {
  const match = /^(\d+)(?:\.(\d+))?([a-zA-Z]*)(?:,(\d+)(?:\.(\d+))?([a-zA-Z]*))?$/.exec(text);
  if (!match) {
    throw new Failure(
      /^\d/.test(text)
        ? `stray character in field spec: invalid field specification ${cite(text)}`
        : `invalid number at field start: invalid count at start of ${cite(text)}`,
      2,
    );
  }
  const [, startField, startChar, startFlags, endField, endChar, endFlags] = match;
  if (Number(startField) === 0) {
    throw new Failure(
      `-: invalid field specification ${cite(text)}`.replace("-: ", "field number is zero: "),
      2,
    );
  }
  if (startChar !== undefined && Number(startChar) === 0) {
    throw new Failure(`character offset is zero: invalid field specification ${cite(text)}`, 2);
  }
  if (endField !== undefined && Number(endField) === 0) {
    throw new Failure(`field number is zero: invalid field specification ${cite(text)}`, 2);
  }
  const own = (startFlags ?? "") + (endFlags ?? "");
  const flags = own === "" ? { ...defaults } : plainFlags();
  for (const [letters, where] of [[startFlags ?? "", "start"], [endFlags ?? "", "end"]] as const) {
    for (const letter of letters) {
      if (!applyFlag(flags, letter, where)) {
        throw new Failure(`stray character in field spec: invalid field specification ${cite(text)}`, 2);
      }
    }
  }
  return {
    startField: Number(startField),
    startChar: Number(startChar ?? 1),
    endField: Number(endField ?? 0),
    endChar: Number(endChar ?? 0),
    flags,
  };
}

function blank(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === 10;
}

/** Finds a key in a line: writes start and end into `out`. */
export function locate(lines: Lines, line: number, key: Key, separator: number, out: Uint32Array): void {
  const { bytes, starts } = lines;
  const end = lineEnd(lines, line);
  let at = starts[line];
  for (let field = 1; field < key.startField && at < end; field++) {
    at = nextField(bytes, at, end, separator, true);
  }
  if (key.flags.blanksStart) { while (at < end && blank(bytes[at])) at++; }
  at = Math.min(end, at + key.startChar - 1);
  let stop = end;
  if (key.endField > 0) {
    stop = starts[line];
    if (key.endChar === 0) {
      for (let field = 0; field < key.endField && stop < end; field++) {
        if (field > 0 && separator >= 0) stop++;
        stop = nextField(bytes, stop, end, separator, false);
      }
    } else {
      for (let field = 1; field < key.endField && stop < end; field++) {
        stop = nextField(bytes, stop, end, separator, true);
      }
      if (key.flags.blanksEnd) { while (stop < end && blank(bytes[stop])) stop++; }
      stop = Math.min(end, stop + key.endChar);
    }
  }
  out[0] = at;
  out[1] = Math.max(at, stop);
}

/** End of the field that starts here, with its separator if `past`. */
function nextField(bytes: Uint8Array, at: number, end: number, separator: number, past: boolean): number {
  if (separator >= 0) {
    while (at < end && bytes[at] !== separator) at++;
    return past && at < end ? at + 1 : at;
  }
  while (at < end && blank(bytes[at])) at++;
  while (at < end && !blank(bytes[at])) at++;
  return at;
}

export type Compare = (a: number, b: number) => number;

/** A comparison of lines by one key. */
export function keyCompare(
  lines: Lines,
  key: Key,
  separator: number,
  salt: Uint8Array,
  poll: () => void,
): Compare {
  const compare = unsigned(lines, key, separator, salt, poll);
  return key.flags.reverse ? (a, b) => compare(b, a) : compare;
}

function unsigned(lines: Lines, key: Key, separator: number, salt: Uint8Array, poll: () => void): Compare {
  const { bytes, count } = lines;
  const from = new Uint32Array(count);
  const to = new Uint32Array(count);
  const place = new Uint32Array(2);
  for (let line = 0; line < count; line++) {
    if ((line & 0xffff) === 0) poll();
    locate(lines, line, key, separator, place);
    from[line] = place[0];
    to[line] = place[1];
  }
  switch (key.flags.kind) {
    case "numeric":
    case "human":
    case "general":
    case "month": {
      const values = new Float64Array(count);
      const read = key.flags.kind === "month" ? month : key.flags.kind === "general" ? general : numeric;
      let exact = true;
      for (let line = 0; line < count; line++) {
        if (key.flags.kind === "human") values[line] = human(bytes, from[line], to[line]);
        else {
          values[line] = read(bytes, from[line], to[line]);
          if (
            key.flags.kind === "numeric" && (Math.abs(values[line]) >= 1e15 || to[line] - from[line] > 16)
          ) exact = false;
        }
      }
      if (!exact) {
        return (a, b) =>
          values[a] === values[b] || !Number.isFinite(values[a] - values[b])
            ? compareDigits(bytes, from[a], to[a], from[b], to[b])
            : values[a] - values[b];
      }
      return (a, b) => values[a] < values[b] ? -1 : values[a] > values[b] ? 1 : 0;
    }
    case "version": {
      const texts = Array.from(
        { length: count },
        (_, line) => decodeBytes(bytes.subarray(from[line], to[line])),
      );
      return (a, b) => compareVersions(texts[a], texts[b]);
    }
    case "random": {
      const hashes = new Float64Array(count);
      for (let line = 0; line < count; line++) hashes[line] = hash(bytes, from[line], to[line], salt);
      return (a, b) => hashes[a] - hashes[b] || compareBytes(bytes, from[a], to[a], from[b], to[b]);
    }
  }
  const { fold, dictionary, printable } = key.flags;
  if (!fold && !dictionary && !printable) {
    return (a, b) => compareBytes(bytes, from[a], to[a], from[b], to[b]);
  }
  // 256 stands for a byte that does not count.
  const weight = Uint16Array.from({ length: 256 }, (_, byte) => {
    const word = (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122) ||
      byte === 32 || byte === 9;
    if (dictionary && !word) return 256;
    if (printable && (byte < 32 || byte > 126)) return 256;
    return fold && byte >= 97 && byte <= 122 ? byte - 32 : byte;
  });
  return (a, b) => {
    let i = from[a], j = from[b];
    const aEnd = to[a], bEnd = to[b];
    for (;;) {
      while (i < aEnd && weight[bytes[i]] === 256) i++;
      while (j < bEnd && weight[bytes[j]] === 256) j++;
      if (i >= aEnd || j >= bEnd) return (i < aEnd ? 1 : 0) - (j < bEnd ? 1 : 0);
      const difference = weight[bytes[i++]] - weight[bytes[j++]];
      if (difference !== 0) return difference;
    }
  };
}

/** The value of the digits at the start, 0 where there are none. */
function numeric(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && blank(bytes[at])) at++;
  let negative = false;
  if (at < end && bytes[at] === 45) {
    negative = true;
    at++;
  }
  let value = 0;
  while (at < end && bytes[at] >= 48 && bytes[at] <= 57) value = value * 10 + bytes[at++] - 48;
  if (at < end && bytes[at] === 46) {
    let fraction = 0, scale = 1;
    for (at++; at < end && bytes[at] >= 48 && bytes[at] <= 57 && scale < 1e15; at++) {
      fraction = fraction * 10 + bytes[at] - 48;
      scale *= 10;
    }
    value += fraction / scale;
  }
  return negative ? -value : value;
}

function compareDigits(bytes: Uint8Array, a: number, aEnd: number, b: number, bEnd: number): number {
  const read = (from: number, to: number) => {
    const match = /^\s*(-?)0*(\d*)(?:\.(\d*))?/.exec(decodeBytes(bytes.subarray(from, to)))!;
    return { negative: match[1] === "-", whole: match[2], fraction: (match[3] ?? "").replace(/0+$/, "") };
  };
  const x = read(a, aEnd), y = read(b, bEnd);
  const zero = (n: typeof x) => n.whole === "" && n.fraction === "";
  const sign = (n: typeof x) => zero(n) ? 0 : n.negative ? -1 : 1;
  if (sign(x) !== sign(y)) return sign(x) - sign(y);
  const size = x.whole.length - y.whole.length || (x.whole < y.whole ? -1 : x.whole > y.whole ? 1 : 0) ||
    (x.fraction < y.fraction ? -1 : x.fraction > y.fraction ? 1 : 0);
  return sign(x) < 0 ? -size : size;
}

/** Order of `-h`: first by suffix, then by value. */
function human(bytes: Uint8Array, at: number, end: number): number {
  const match = /^\s*(-?)(\d*\.?\d*)([KkMGTPEZYRQ]?)/.exec(decodeBytes(bytes.subarray(at, end)))!;
  const value = Number(match[2] === "." ? 0 : match[2]);
  if (value === 0) return 0;
  const power = match[3] === "" ? 0 : "KMGTPEZYRQ".indexOf(match[3].toUpperCase()) + 1;
  const weight = power * 1e30 + value;
  return match[1] ? -weight : weight;
}

function general(bytes: Uint8Array, at: number, end: number): number {
  const match =
    /^\s*([-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|0[xX][0-9a-fA-F]+|inf(?:inity)?|nan))/i
      .exec(decodeBytes(bytes.subarray(at, end)));
  if (!match) return -Infinity;
  const text = match[1].toLowerCase();
  if (text.includes("nan")) return -1.75e308;
  if (text.includes("inf")) return text.startsWith("-") ? -1.7e308 : 1.7e308;
  return Number(text);
}

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];

function month(bytes: Uint8Array, at: number, end: number): number {
  return MONTHS.indexOf(decodeBytes(bytes.subarray(at, end)).trimStart().slice(0, 3).toUpperCase()) + 1;
}

function hash(bytes: Uint8Array, at: number, end: number, salt: Uint8Array): number {
  let h = 0x811c9dc5;
  for (const byte of salt) h = Math.imul(h ^ byte, 0x01000193);
  for (; at < end; at++) h = Math.imul(h ^ bytes[at], 0x01000193);
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  h ^= h >>> 13;
  return h >>> 0;
}

/** The byte of a `-t` argument. */
export function separatorByte(text: string): number {
  if (text === "") throw new Failure("empty tab", 2);
  if (text === "\\0") return 0;
  const bytes = encodeBytes(text);
  if (bytes.length > 1) throw new Failure(`multi-character tab ${cite(text)}`, 2);
  return bytes[0];
}
