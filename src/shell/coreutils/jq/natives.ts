/** The functions of jq that are functions of values. */
import { compileRegex, RegexError } from "../../../lib/regex.ts";
import { encodeBytes } from "../../../lib/text/bytes.ts";
import { formatDate } from "../../../lib/dates/format.ts";
import { Failure } from "../shared/options.ts";
import { UTC, zoneOf } from "../../../lib/dates/zone.ts";
import { COMPACT, compare, equal, type Json, parseJson, print, sortedKeys, typeOf } from "./json.ts";
import { strptime } from "./strptime.ts";
import { describe, JqError } from "./values.ts";
import type { Native } from "./world.ts";

/** Thrown by halt and halt_error. */
export class Halt extends Error {
  constructor(readonly status: number, readonly value: Json | undefined) {
    super("halt");
  }
}

export const natives = new Map<string, Native>();

function def(name: string, arity: number, native: Native): void {
  natives.set(`${name}/${arity}`, native);
}

function text(value: Json, what: string): string {
  if (typeof value !== "string") throw new JqError(`${describe(value)} ${what}`);
  return value;
}

function num(value: Json, what = "number required"): number {
  if (typeof value !== "number") throw new JqError(`${describe(value)} ${what}`);
  return value;
}

function list(value: Json, what: string): Json[] {
  if (!Array.isArray(value)) throw new JqError(`${describe(value)} ${what}`);
  return value;
}

for (
  const name of [
    "floor",
    "ceil",
    "round",
    "sqrt",
    "trunc",
    "exp",
    "log",
    "log2",
    "log10",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "cbrt",
    "expm1",
    "log1p",
  ] as const
) {
  def(name, 0, (input) => Math[name](num(input)));
}
def("fabs", 0, (input) => Math.abs(num(input)));
def("exp2", 0, (input) => 2 ** num(input));
def("exp10", 0, (input) => 10 ** num(input));
def("significand", 0, (input) => {
  const value = num(input);
  return value === 0 ? 0 : value / 2 ** Math.floor(Math.log2(Math.abs(value)));
});
def("pow", 2, (_, [a, b]) => num(a) ** num(b));
def("atan2", 2, (_, [a, b]) => Math.atan2(num(a), num(b)));
def("fmin", 2, (_, [a, b]) => Math.min(num(a), num(b)));
def("fmax", 2, (_, [a, b]) => Math.max(num(a), num(b)));
def("fmod", 2, (_, [a, b]) => num(a) % num(b));
def("infinite", 0, () => Infinity);
def("nan", 0, () => NaN);
def("isinfinite", 0, (input) => Math.abs(num(input)) === Infinity);
def("isnan", 0, (input) => Number.isNaN(num(input)));
def("isnormal", 0, (input) => Number.isFinite(num(input)) && input !== 0);
def("true", 0, () => true);
def("false", 0, () => false);
def("null", 0, () => null);

def("type", 0, (input) => typeOf(input));
def("length", 0, (input) => {
  if (input === null) return 0;
  if (typeof input === "string") return [...input].length;
  if (typeof input === "number") return Math.abs(input);
  if (Array.isArray(input)) return input.length;
  if (input instanceof Map) return input.size;
  throw new JqError(`${describe(input)} has no length`);
});
def("utf8bytelength", 0, (input) => encodeBytes(text(input, "only strings have UTF-8 byte length")).length);
def("keys", 0, (input) => keys(input, true));
def("keys_unsorted", 0, (input) => keys(input, false));
def("has", 1, (input, [key]) => {
  if (input instanceof Map && typeof key === "string") return input.has(key);
  if (Array.isArray(input) && typeof key === "number") return key >= 0 && key < input.length;
  throw new JqError(
    `Cannot check whether ${typeOf(input)} has a ${typeof key === "string" ? "string" : typeOf(key)} key`,
  );
});
def("contains", 1, (input, [other]) => contains(input, other));
def("add", 0, (input) => {
  const values = input instanceof Map ? [...input.values()] : list(input, "cannot be iterated over");
  if (values.length === 0) return null;
  if (values.every((value) => typeof value === "string")) return values.join("");
  if (values.every(Array.isArray)) return (values as Json[][]).flat(1);
  return values.reduce((sum, value) => plus(sum, value));
});
def(
  "reverse",
  0,
  (input) =>
    typeof input === "string"
      ? [...input].reverse().join("")
      : input === null
      ? []
      : [...list(input, "cannot be reversed, as it is not an array")].reverse(),
);
def("sort", 0, (input) => [...list(input, "cannot be sorted, as it is not an array")].sort(compare));
def("unique", 0, (input) => {
  const sorted = [...list(input, "cannot be sorted, as it is not an array")].sort(compare);
  return sorted.filter((value, i) => i === 0 || compare(sorted[i - 1], value) !== 0);
});
def(
  "min",
  0,
  (input) =>
    list(input, "cannot be iterated over").reduce<Json>(
      (best, value, i) => i === 0 || compare(value, best) < 0 ? value : best,
      null,
    ),
);
def(
  "max",
  0,
  (input) =>
    list(input, "cannot be iterated over").reduce<Json>(
      (best, value, i) => i === 0 || compare(value, best) >= 0 ? value : best,
      null,
    ),
);
def("flatten", 0, (input) => flatten(input, Infinity));
def("flatten", 1, (input, [depth]) => {
  if (num(depth) < 0) throw new JqError("flatten depth must not be negative");
  return flatten(input, depth as number);
});
def("transpose", 0, (input) => {
  const rows = list(input, "cannot be transposed") as Json[][];
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  return Array.from({ length: width }, (_, i) => rows.map((row) => row[i] ?? null));
});
def("indices", 1, (input, [part]) => indices(input, part));
def("index", 1, (input, [part]) => (indices(input, part) as Json[] | null)?.[0] ?? null);
def("rindex", 1, (input, [part]) => (indices(input, part) as Json[] | null)?.at(-1) ?? null);
def("bsearch", 1, (input, [value]) => {
  const items = list(input, "cannot be searched from");
  let low = 0, high = items.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = compare(items[middle], value);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1 - low;
});

def("tostring", 0, (input) => typeof input === "string" ? input : print(input, COMPACT));
def("tojson", 0, (input) => print(input, COMPACT));
def("fromjson", 0, (input) => {
  const source = text(input, "only strings can be parsed");
  try {
    return parseJson(source);
  } catch (error) {
    if (error instanceof Failure) {
      throw new JqError(`${error.message.replace(/^parse error: /, "")} (while parsing '${source}')`);
    }
    throw error;
  }
});
def("tonumber", 0, (input) => {
  if (typeof input === "number") return input;
  const source = text(input, "cannot be parsed as a number");
  if (!/^\s*-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/.test(source) && source !== "nan") {
    throw new JqError(
      `Invalid numeric literal at EOF at line 1, column ${source.length} (while parsing '${source}')`,
    );
  }
  return Number(source);
});
def(
  "ascii_downcase",
  0,
  (input) =>
    text(input, "cannot be changed to lower case: ascii_downcase input must be a string").replace(
      /[A-Z]+/g,
      (part) => part.toLowerCase(),
    ),
);
def(
  "ascii_upcase",
  0,
  (input) =>
    text(input, "cannot be changed to upper case: ascii_upcase input must be a string").replace(
      /[a-z]+/g,
      (part) => part.toUpperCase(),
    ),
);
def("explode", 0, (input) => Array.from(text(input, "cannot be exploded"), (c) => c.codePointAt(0)!));
def("implode", 0, (input) => {
  const codes = list(input, "cannot be imploded");
  return codes.map((code) => {
    const value = num(code, "cannot be imploded");
    return String.fromCodePoint(value >= 0 && value <= 0x10ffff ? Math.trunc(value) : 0xfffd);
  }).join("");
});
def("startswith", 1, (input, [part]) => {
  if (typeof input !== "string" || typeof part !== "string") {
    throw new JqError("startswith() requires string inputs");
  }
  return input.startsWith(part);
});
def("endswith", 1, (input, [part]) => {
  if (typeof input !== "string" || typeof part !== "string") {
    throw new JqError("endswith() requires string inputs");
  }
  return input.endsWith(part);
});
def(
  "ltrimstr",
  1,
  (input, [part]) =>
    typeof input === "string" && typeof part === "string" && input.startsWith(part)
      ? input.slice(part.length)
      : input,
);
def(
  "rtrimstr",
  1,
  (input, [part]) =>
    typeof input === "string" && typeof part === "string" && part !== "" && input.endsWith(part)
      ? input.slice(0, -part.length)
      : input,
);
def("trim", 0, (input) => text(input, "cannot be trimmed").trim());
def("ltrim", 0, (input) => text(input, "cannot be trimmed").trimStart());
def("rtrim", 0, (input) => text(input, "cannot be trimmed").trimEnd());
def("join", 1, (input, [between]) => {
  const items = list(input, "cannot be iterated over");
  if (items.length === 0) return "";
  return items.map((item) => {
    if (item === null) return "";
    if (typeof item === "object") {
      throw new JqError(`${describe(between)} and ${describe(item)} cannot be added`);
    }
    return typeof item === "string" ? item : print(item, COMPACT);
  }).join(text(between, "is needed as separator"));
});
def("split", 1, (input, [separator]) => {
  if (typeof input !== "string" || typeof separator !== "string") {
    throw new JqError("split input and separator must be strings");
  }
  return input === "" ? [] : separator === "" ? [...input] : input.split(separator);
});
def("ascii", 0, (input) => String.fromCharCode(num(input)));

def("split", 2, (input, [re, flags]) => {
  const source = text(input, "cannot be matched, as it is not a string");
  const matches = matchAll(source, re, flags, true);
  const chars = [...source];
  const out: Json[] = [];
  let at = 0;
  for (const match of matches) {
    const offset = match.get("offset") as number;
    out.push(chars.slice(at, offset).join(""));
    at = offset + (match.get("length") as number);
  }
  out.push(chars.slice(at).join(""));
  return out;
});
def("test", 2, (input, [re, flags]) => {
  const source = text(input, "cannot be matched, as it is not a string");
  return compilePattern(re, flags).regex.test(source);
});
def(
  "match_all",
  3,
  (input, [re, flags, all]) =>
    matchAll(text(input, "cannot be matched, as it is not a string"), re, flags, all === true),
);
def("capture_object", 0, (input) => {
  const out = new Map<string, Json>();
  for (const capture of (input as Map<string, Json>).get("captures") as Map<string, Json>[]) {
    const name = capture.get("name");
    if (typeof name === "string") out.set(name, capture.get("string")!);
  }
  return out;
});

def("now", 0, (_, __, world) => world.now() / 1000);
def("mktime", 0, (input) => {
  const parts = list(input, "mktime requires array of 6 numbers");
  if (parts.length < 6 || parts.some((part) => typeof part !== "number")) {
    throw new JqError("mktime requires parsed datetime inputs");
  }
  const [year, month, day, hour, minute, second] = parts as number[];
  return Math.floor(UTC.time(year, month + 1, day, hour, minute, second) / 1000);
});
def("gmtime", 0, (input) => broken(num(input, "gmtime() requires a number"), UTC));
def(
  "localtime",
  0,
  (input, _, world) => broken(num(input, "localtime() requires a number"), zoneOf(world.zone)),
);
def(
  "strftime",
  1,
  (input, [format]) =>
    formatDate(text(format, "strftime/1 requires a string format"), stamp(input, "strftime/1") * 1000, UTC),
);
def(
  "strflocaltime",
  1,
  (input, [format], world) =>
    formatDate(
      text(format, "strflocaltime/1 requires a string format"),
      stamp(input, "strflocaltime/1") * 1000,
      zoneOf(world.zone),
    ),
);
def("strptime", 1, (input, [format]) => {
  const source = text(input, "cannot be parsed as a date");
  const parts = strptime(source, text(format, "strptime/1 requires a string format"));
  if (!parts) throw new JqError(`date "${source}" does not match format "${format}"`);
  return parts;
});

def("halt", 0, () => {
  throw new Halt(0, undefined);
});
def("halt_error", 1, (input, [status]) => {
  throw new Halt(num(status, "halt_error/1: number required"), input);
});
def("input_line_number", 0, () => 0);
def("builtins", 0, () => [...natives.keys()]);

function keys(input: Json, sorted: boolean): Json {
  if (Array.isArray(input)) return input.map((_, i) => i);
  if (input instanceof Map) return sorted ? sortedKeys(input) : [...input.keys()];
  throw new JqError(`${describe(input)} has no keys`);
}

function contains(a: Json, b: Json): boolean {
  if (a instanceof Map && b instanceof Map) {
    return [...b].every(([key, value]) => a.has(key) && contains(a.get(key)!, value));
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return b.every((each) => a.some((other) => typeOf(other) === typeOf(each) && contains(other, each)));
  }
  if (typeof a === "string" && typeof b === "string") return a.includes(b);
  if (typeOf(a) !== typeOf(b)) {
    throw new JqError(`${describe(a)} and ${describe(b)} cannot have their containment checked`);
  }
  return equal(a, b);
}

function plus(a: Json, b: Json): Json {
  if (a === null) return b;
  if (b === null) return a;
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  if (a instanceof Map && b instanceof Map) return new Map([...a, ...b]);
  throw new JqError(`${describe(a)} and ${describe(b)} cannot be added`);
}

function flatten(input: Json, depth: number): Json {
  const out: Json[] = [];
  const values = input instanceof Map ? [...input.values()] : list(input, "cannot be iterated over");
  for (const value of values) {
    if (Array.isArray(value) && depth > 0) out.push(...flatten(value, depth - 1) as Json[]);
    else out.push(value);
  }
  return out;
}

function indices(input: Json, part: Json): Json {
  if (input === null) return null;
  const out: Json[] = [];
  if (typeof input === "string" && typeof part === "string") {
    if (part === "") return null;
    const ascii = !/[^\x00-\x7f]/.test(input);
    for (let at = input.indexOf(part); at >= 0; at = input.indexOf(part, at + 1)) {
      out.push(ascii ? at : encodeBytes(input.slice(0, at)).length);
    }
    return out;
  }
  const items = list(input, "cannot be searched");
  if (Array.isArray(part)) {
    if (part.length === 0) return null;
    for (let i = 0; i + part.length <= items.length; i++) {
      if (part.every((each, k) => equal(items[i + k], each))) out.push(i);
    }
    return out;
  }
  items.forEach((item, i) => {
    if (equal(item, part)) out.push(i);
  });
  return out;
}

const patterns = new Map<string, ReturnType<typeof compileRegex>>();

function compilePattern(
  re: Json,
  flags: Json,
): { regex: ReturnType<typeof compileRegex>; global: boolean; empty: boolean } {
  let source = re, letters = flags;
  if (Array.isArray(re)) [source, letters = null] = re;
  if (typeof source !== "string") {
    throw new JqError(`${describe(source)} cannot be matched, as it is not a string`);
  }
  const options = letters === null ? "" : text(letters, "is not a string of flags");
  for (const letter of options) {
    if (!"gimnpslx".includes(letter)) throw new JqError(`${options} is not a valid modifier string`);
  }
  const key = `${options}/${source}`;
  let regex = patterns.get(key);
  if (!regex) {
    try {
      regex = compileRegex(source, {
        ignoreCase: options.includes("i"),
        dotAll: /[sp]/.test(options),
        extended: options.includes("x"),
        multiline: true,
      });
    } catch (error) {
      if (error instanceof RegexError) {
        throw new JqError(`${source} (at offset 0) is not a valid regex: ${error.message}`);
      }
      throw error;
    }
    if (patterns.size > 200) patterns.clear();
    patterns.set(key, regex);
  }
  return { regex, global: options.includes("g"), empty: !options.includes("n") };
}

function matchAll(source: string, re: Json, flags: Json, all: boolean): Map<string, Json>[] {
  const { regex, global, empty } = compilePattern(re, flags);
  const names = new Map([...regex.names].map(([name, i]) => [i, name]));
  // Offsets are counted in characters.
  const place = /[\ud800-\udbff]/.test(source)
    ? (unit: number) => [...source.slice(0, unit)].length
    : (unit: number) => unit;
  const out: Map<string, Json>[] = [];
  for (let from = 0; from <= source.length;) {
    const spans = regex.spans(source, from);
    if (!spans) break;
    const part = (i: number): [string | null, number, number] => {
      const low = spans[i * 2], high = spans[i * 2 + 1];
      return low < 0 ? [null, -1, 0] : [source.slice(low, high), place(low), place(high) - place(low)];
    };
    const [whole, offset, length] = part(0);
    const captures: Json[] = [];
    for (let i = 1; i <= regex.groups; i++) {
      const [string, at, size] = part(i);
      captures.push(
        new Map<string, Json>([["offset", at], ["length", size], ["string", string], [
          "name",
          names.get(i) ?? null,
        ]]),
      );
    }
    if (whole !== "" || empty) {
      out.push(
        new Map<string, Json>([["offset", offset], ["length", length], ["string", whole], [
          "captures",
          captures,
        ]]),
      );
    }
    if (!all && !global) break;
    from = spans[1] > spans[0] ? spans[1] : spans[1] + 1;
  }
  return out;
}

function broken(seconds: number, zone: typeof UTC): Json {
  const parts = zone.parts(Math.floor(seconds) * 1000);
  return [
    parts.year,
    parts.month - 1,
    parts.day,
    parts.hour,
    parts.minute,
    parts.second + (seconds - Math.floor(seconds)),
    parts.weekday,
    parts.yearday - 1,
  ];
}

function stamp(input: Json, what: string): number {
  if (typeof input === "number") return input;
  if (Array.isArray(input) && input.length >= 6) {
    return UTC.time(
      input[0] as number,
      (input[1] as number) + 1,
      input[2] as number,
      input[3] as number,
      input[4] as number,
      Math.floor(input[5] as number),
    ) / 1000;
  }
  throw new JqError(`${what} requires parsed datetime inputs`);
}
