/**
 * JSON values of jq, their text and their order. Objects are Maps, so that
 * keys keep their order whatever they look like.
 */
import { Failure } from "../shared/options.ts";

export type Json = null | boolean | number | string | Json[] | Map<string, Json>;

const MAX_DEPTH = 10_000;

/** Reads one value after another from a text; complains with jq's words. */
/** Input that is no JSON. */
export class BadJson extends Failure {
  constructor(message: string) {
    super(`parse error: ${message}`, 2);
  }
}

export class JsonReader {
  #at = 0;
  #depth = 0;
  #lines = 0;
  #counted = 0;
  constructor(readonly text: string) {}

  /** How many line ends were read with the values so far: the parser is given whole lines. */
  get lines(): number {
    const end = this.text.indexOf("\n", this.#at);
    const read = end < 0 ? this.text.length : end + 1;
    for (let at = this.text.indexOf("\n", this.#counted); at >= 0 && at < read;) {
      this.#lines++;
      this.#counted = at + 1;
      at = this.text.indexOf("\n", this.#counted);
    }
    return this.#lines;
  }

  /** The next value, or undefined at the end. */
  next(): Json | undefined {
    this.#space();
    if (this.#at >= this.text.length) return undefined;
    return this.#value();
  }

  #fail(what: string): never {
    if (/^Unfinished/.test(what)) {
      this.#at = this.text.length;
      what += " at EOF";
    }
    const before = this.text.slice(0, this.#at + (what.startsWith("Unfinished") ? 0 : 1));
    const line = before.split("\n").length;
    const column = what.startsWith("Unfinished")
      ? before.length - before.lastIndexOf("\n") - 1
      : this.#at - before.lastIndexOf("\n");
    throw new BadJson(`${what} at line ${line}, column ${Math.max(0, column)}`);
  }

  #space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.#at);
      if (code === 32 || code === 10 || code === 9 || code === 13 || code === 0xfeff || code === 0x1e) {
        this.#at++;
      } else return;
    }
  }

  #value(): Json {
    if (++this.#depth > MAX_DEPTH) this.#fail("Exceeds depth limit for parsing");
    try {
      const c = this.text[this.#at];
      if (c === "{") return this.#object();
      if (c === "[") return this.#array();
      if (c === '"') return this.#string();
      const token = /[-+.\w]+/y;
      token.lastIndex = this.#at;
      const word = token.exec(this.text)?.[0];
      if (word === undefined) {
        this.#fail(
          c === undefined
            ? "Unfinished JSON term"
            : c === "]" && this.text.slice(0, this.#at).trimEnd().endsWith(",")
            ? "Expected another array element"
            : c === "}" || c === "]"
            ? `Unmatched '${c}'`
            : c === ","
            ? "Expected value before ','"
            : c === ":"
            ? "Expected string key before ':'"
            : "Invalid numeric literal",
        );
      }
      this.#at += word.length;
      if (word === "true") return true;
      if (word === "false") return false;
      if (word === "null") return null;
      if (word === "nan" || word === "NaN") return NaN;
      if (/^-?\d+\.?\d*([eE][-+]?\d+)?$|^-?\.\d+([eE][-+]?\d+)?$/.test(word)) {
        const number = Number(word);
        return Number.isFinite(number) ? number : Math.sign(number) * Number.MAX_VALUE;
      }
      // A word as long as one of the three, and beginning so, is a literal that is wrong.
      return this.#fail(
        /^(?:n|nu|nul|t|tr|tru|f|fa|fal|fals)$/.test(word) ? "Invalid literal" : "Invalid numeric literal",
      );
    } finally {
      this.#depth--;
    }
  }

  #object(): Map<string, Json> {
    const out = new Map<string, Json>();
    this.#at++;
    this.#space();
    if (this.text[this.#at] === "}") {
      this.#at++;
      return out;
    }
    for (;;) {
      this.#space();
      if (this.text[this.#at] !== '"') {
        this.#fail(this.#keyProblem());
      }
      const key = this.#string();
      this.#space();
      if (this.text[this.#at] !== ":") {
        this.#fail(
          this.#at >= this.text.length ? "Unfinished JSON term" : "Objects must consist of key:value pairs",
        );
      }
      this.#at++;
      this.#space();
      out.set(key, this.#value());
      this.#space();
      const c = this.text[this.#at++];
      if (c === "}") return out;
      if (c !== ",") {
        this.#fail(c === undefined ? "Unfinished JSON term" : "Expected separator between values");
      }
    }
  }

  #keyProblem(): string {
    const rest = /[-+.\w']*/y;
    rest.lastIndex = this.#at;
    const word = rest.exec(this.text)![0];
    if (word !== "" && !/^(?:-?\d+(?:\.\d*)?|true|false|null)$/.test(word)) {
      this.#at += word.length;
      return "Invalid numeric literal";
    }
    this.#at += word.length;
    return this.#at >= this.text.length
      ? "Unfinished JSON term"
      : word !== ""
      ? "Object keys must be strings"
      : this.text[this.#at] === "}"
      ? "Expected another key-value pair"
      : this.text[this.#at] === ","
      ? "Expected value before ','"
      : "Object keys must be strings";
  }

  #array(): Json[] {
    const out: Json[] = [];
    this.#at++;
    this.#space();
    if (this.text[this.#at] === "]") {
      this.#at++;
      return out;
    }
    for (;;) {
      this.#space();
      out.push(this.#value());
      this.#space();
      const c = this.text[this.#at++];
      if (c === "]") return out;
      if (c !== ",") {
        this.#fail(c === undefined ? "Unfinished JSON term" : "Expected separator between values");
      }
    }
  }

  #string(): string {
    const start = ++this.#at;
    const end = /["\\]/g;
    end.lastIndex = start;
    let out = "";
    let from = start;
    for (;;) {
      const match = end.exec(this.text);
      if (!match) this.#fail("Unfinished string");
      out += this.text.slice(from, match.index);
      this.#at = match.index + 1;
      if (match[0] === '"') return out;
      const c = this.text[this.#at++];
      if (c === "u") {
        const hex = this.text.slice(this.#at, this.#at + 4);
        if (!/^[0-9a-fA-F]{4}$/.test(hex)) this.#fail("Invalid escape");
        out += String.fromCharCode(parseInt(hex, 16));
        this.#at += 4;
      } else {
        const plain =
          ({ n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", "/": "/", "\\": "\\", '"': '"' } as Record<
            string,
            string
          >)[c];
        if (plain === undefined) this.#fail("Invalid escape");
        out += plain;
      }
      from = end.lastIndex = this.#at;
    }
  }
}

/** Reads one value from a text (fromjson). */
export function parseJson(text: string): Json {
  const reader = new JsonReader(text);
  const value = reader.next();
  if (value === undefined) throw new Failure("Expected JSON value", 5);
  if (reader.next() !== undefined) throw new Failure("Unexpected extra JSON values", 5);
  return value;
}

export function numberText(value: number): string {
  if (Number.isNaN(value)) return "null";
  if (value === Infinity) return "1.7976931348623157e+308";
  if (value === -Infinity) return "-1.7976931348623157e+308";
  if (Object.is(value, -0)) return "-0";
  if (Number.isSafeInteger(value)) return String(value);
  // Fixed or with an exponent by the number of digits, as jq's own printing decides.
  const [mantissa, power] = value.toExponential().split("e");
  const point = Number(power) + 1;
  const digits = mantissa.replace(/[-.]/g, "");
  if (point <= -4 || point > digits.length + 15) {
    return `${mantissa}e${power.replace(/^([-+])(\d)$/, "$10$2")}`;
  }
  if (point >= digits.length) return (value < 0 ? "-" : "") + digits.padEnd(point, "0");
  return String(value);
}

export interface PrintOptions {
  /** Text of one level; empty for one line. */
  readonly indent: string;
  readonly sortKeys: boolean;
  readonly ascii: boolean;
}

export const COMPACT: PrintOptions = { indent: "", sortKeys: false, ascii: false };

export function print(value: Json, options: PrintOptions, level = ""): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string") return quoteText(value, options.ascii);
  const { indent } = options;
  const inner = level + indent;
  const open = indent === "" ? "" : "\n" + inner, close = indent === "" ? "" : "\n" + level;
  const between = indent === "" ? "," : ",\n" + inner;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return "[" + open + value.map((item) => print(item, options, inner)).join(between) + close + "]";
  }
  if (value.size === 0) return "{}";
  const keys = options.sortKeys ? sortedKeys(value) : [...value.keys()];
  const colon = indent === "" ? ":" : ": ";
  return "{" + open +
    keys.map((key) => quoteText(key, options.ascii) + colon + print(value.get(key)!, options, inner)).join(
      between,
    ) + close + "}";
}

function quoteText(text: string, ascii: boolean): string {
  let out = JSON.stringify(text.isWellFormed() ? text : text.toWellFormed()).replaceAll("\x7f", "\\u007f");
  if (ascii) {
    out = out.replace(/[\u0080-\uffff]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
  }
  return out;
}

export function sortedKeys(value: Map<string, Json>): string[] {
  return [...value.keys()].sort(compareText);
}

/** By code points. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  for (let i = 0; i < a.length && i < b.length; i++) {
    const x = a.charCodeAt(i), y = b.charCodeAt(i);
    if (x !== y) {
      // Surrogates stand for code points beyond all others.
      const high = (unit: number) =>
        unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2000 : unit >= 0xe000 ? unit - 0x800 : unit;
      return high(x) - high(y);
    }
  }
  return a.length - b.length;
}

export function typeOf(value: Json): "null" | "boolean" | "number" | "string" | "array" | "object" {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (value instanceof Map) return "object";
  return typeof value as "boolean" | "number" | "string";
}

const RANKS = { null: 0, boolean: 1, number: 3, string: 4, array: 5, object: 6 };

/** jq's order of all values. */
export function compare(a: Json, b: Json): number {
  const rank = (value: Json) => value === true ? 2 : RANKS[typeOf(value)];
  const difference = rank(a) - rank(b);
  if (difference !== 0) return difference;
  if (typeof a === "number") {
    const b1 = b as number;
    // nan is smaller than every number, itself included.
    return Number.isNaN(a) ? -1 : Number.isNaN(b1) ? 1 : a - b1 || 0;
  }
  if (typeof a === "string") return compareText(a, b as string);
  if (Array.isArray(a)) {
    const other = b as Json[];
    for (let i = 0; i < a.length && i < other.length; i++) {
      const result = compare(a[i], other[i]);
      if (result !== 0) return result;
    }
    return a.length - other.length;
  }
  if (a instanceof Map) {
    const other = b as Map<string, Json>;
    const keysA = sortedKeys(a), keysB = sortedKeys(other);
    const keys = compare(keysA, keysB);
    if (keys !== 0) return keys;
    for (const key of keysA) {
      const result = compare(a.get(key)!, other.get(key)!);
      if (result !== 0) return result;
    }
  }
  return 0;
}

export function equal(a: Json, b: Json): boolean {
  return compare(a, b) === 0;
}

/** A value from JavaScript's own. */
export function fromPlain(value: unknown): Json {
  if (Array.isArray(value)) return value.map(fromPlain);
  if (value && typeof value === "object") {
    return new Map(Object.entries(value).map(([key, each]) => [key, fromPlain(each)]));
  }
  return value as Json;
}
