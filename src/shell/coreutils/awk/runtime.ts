/**
 * What a compiled awk program runs on: the record and its fields, the special
 * variables, and the functions of the language, which all look at the same
 * record and variables. Input and output are in io.ts.
 */
import { compileRegex, type Regex, RegexError } from "../../../lib/regex.ts";
import type { UtilityContext } from "../../builtin.ts";
import { formatDate } from "../../../lib/dates/format.ts";
import { Failure } from "../shared/options.ts";
import { zoneOf } from "../../../lib/dates/zone.ts";
import { formatAll } from "./format.ts";
import { type Handle, IO } from "./io.ts";
import type { Separator } from "./records.ts";
import { type AwkArray, Input, looksNumeric, num, toNumber, truth, type Value, wholeText } from "./values.ts";

/** Thrown by `exit`. */
export class Exit extends Error {}
/** Thrown by `next` inside a function. */
export class Next extends Error {}

const MAX_CALLS = 5000;
const MAX_FIELDS = 10_000_000;

export class Runtime {
  readonly values = { num, truth, Input };
  readonly next = new Next();
  NR: Value = 0;
  FNR: Value = 0;
  FILENAME: Value = "";
  RSTART: Value = 0;
  RLENGTH: Value = -1;
  RT: Value = "";
  ARGC: Value = 0;
  IGNORECASE: Value = 0;
  FIELDWIDTHS: Value = "";
  FPAT: Value = "";
  readonly ENVIRON: AwkArray = new Map();
  readonly ARGV: AwkArray = new Map();
  readonly PROCINFO: AwkArray = new Map();
  /** Results of substitute() and getlineText(), which the program stores itself. */
  result = "";
  count = 0;
  line: Value = undefined;
  lineStatus = 0;
  status = 0;
  pending: Promise<void> | undefined;
  readonly io: IO;

  #record = "";
  #recordStale = false;
  #recordValue: Input | undefined;
  #parts: string[] = [];
  #fields: Value[] = [];
  #nf = 0;
  #split = true;
  #fs: Value = " ";
  #fieldSeparator: string | Regex = " ";
  #rs: Value = "\n";
  separator: Separator = { type: "char", char: "\n" };
  #ors: Value = "\n";
  #ofs: Value = " ";
  #subsep: Value = "\x1c";
  #convfmt: Value = "%.6g";
  #ofmt: Value = "%.6g";
  #calls = 0;
  #ticks = 0;
  #seed = 0;
  #random = 0;
  readonly #regexes = new Map<string, Regex>();

  constructor(readonly context: UtilityContext) {
    this.io = new IO(context);
    for (const [name, value] of context.env) this.ENVIRON.set(name, new Input(value));
    this.srand(0);
  }

  get FS(): Value {
    return this.#fs;
  }
  set FS(value: Value) {
    this.#fs = value;
    const text = this.str(value);
    this.#fieldSeparator = text.length <= 1 && text !== "\\" ? text : text === "\\|" ? "|" : this.regex(text);
  }
  get RS(): Value {
    return this.#rs;
  }
  set RS(value: Value) {
    this.#rs = value;
    const text = this.str(value);
    this.separator = text === ""
      ? { type: "paragraph" }
      : text.length === 1
      ? { type: "char", char: text }
      : { type: "regex", regex: this.regex(text) };
  }
  get ORS(): string {
    return this.#ors as string;
  }
  set ORS(value: Value) {
    this.#ors = this.str(value);
  }
  get OFS(): string {
    return this.#ofs as string;
  }
  set OFS(value: Value) {
    // A record that waits to be put together is put together by the old one.
    if (this.#recordStale) this.#rebuild();
    this.#ofs = this.str(value);
  }
  get SUBSEP(): string {
    return this.#subsep as string;
  }
  set SUBSEP(value: Value) {
    this.#subsep = this.str(value);
  }
  get CONVFMT(): Value {
    return this.#convfmt;
  }
  set CONVFMT(value: Value) {
    this.#convfmt = this.str(value);
  }
  get OFMT(): Value {
    return this.#ofmt;
  }
  set OFMT(value: Value) {
    this.#ofmt = this.str(value);
  }

  get NF(): Value {
    if (!this.#split) this.#splitRecord();
    return this.#nf;
  }
  set NF(value: Value) {
    if (!this.#split) this.#splitRecord();
    const count = Math.trunc(num(value));
    if (count < 0 || count > MAX_FIELDS) throw new Failure(`NF set to ${count}`, 2);
    for (let i = this.#nf + 1; i <= count; i++) {
      this.#parts[i] = "";
      this.#fields[i] = undefined;
    }
    this.#parts.length = this.#fields.length = count + 1;
    this.#nf = count;
    this.#recordStale = true;
  }

  get record(): string {
    if (this.#recordStale) this.#rebuild();
    return this.#record;
  }

  setRecord(text: string): void {
    this.#record = text;
    this.#recordValue = undefined;
    this.#recordStale = false;
    this.#split = false;
  }

  field0(): Value {
    return this.#recordValue ??= new Input(this.record);
  }

  field(index: number): Value {
    const i = Math.trunc(index);
    if (i === 0) return this.field0();
    if (!this.#split) this.#splitRecord();
    if (i > this.#nf) return undefined;
    if (!(i > 0)) throw new Failure(`attempt to access field ${index}`, 2);
    return this.#fields[i] ??= new Input(this.#parts[i]);
  }

  setField(index: number, value: Value): Value {
    const i = Math.trunc(index);
    if (i === 0) {
      this.setRecord(this.str(value));
      return value;
    }
    if (!(i > 0) || i > MAX_FIELDS) throw new Failure(`attempt to access field ${index}`, 2);
    if (!this.#split) this.#splitRecord();
    if (i > this.#nf) this.NF = i;
    this.#parts[i] = this.str(value);
    this.#fields[i] = value ?? "";
    this.#recordStale = true;
    return value;
  }

  #rebuild(): void {
    this.#recordStale = false;
    this.#recordValue = undefined;
    this.#record = this.#parts.slice(1, this.#nf + 1).join(this.OFS);
  }

  #splitRecord(): void {
    this.#split = true;
    const parts = this.#parts;
    parts.length = 1;
    parts[0] = "";
    this.#cut(this.#record, this.#fieldSeparator, parts, undefined);
    this.#nf = parts.length - 1;
    this.#fields = [];
  }

  /** Appends the pieces of a text to `parts`. */
  #cut(text: string, separator: string | Regex, parts: string[], between: string[] | undefined): void {
    if (text === "") return;
    if (separator === " ") {
      for (let i = 0;;) {
        const from = i;
        while (i < text.length && blank(text.charCodeAt(i))) i++;
        if (between && (i > from || parts.length === 1)) between.push(text.slice(from, i));
        if (i >= text.length) return;
        const start = i;
        while (i < text.length && !blank(text.charCodeAt(i))) i++;
        parts.push(text.slice(start, i));
      }
    }
    if (
      typeof separator === "string" && this.separator.type !== "paragraph" &&
      !(this.IGNORECASE && num(this.IGNORECASE))
    ) {
      const pieces = separator === "" ? [...text] : text.split(separator);
      for (const piece of pieces) parts.push(piece);
      if (between) { for (let i = 1; i < pieces.length; i++) between.push(separator); }
      return;
    }
    const regex = typeof separator === "string"
      ? this.regex(
        separator === ""
          ? "\n"
          : `[${
            separator === "\\" || separator === "]" || separator === "^" ? "\\" + separator : separator
          }\n]`,
      )
      : this.separator.type === "paragraph" && separator.source !== "\n"
      ? this.regex(`(${separator.source})|\n`)
      : separator;
    let start = 0;
    for (let from = 0; from <= text.length;) {
      const match = regex.exec(text, from);
      if (!match) break;
      const length = match[0]!.length;
      if (length === 0) {
        from = match.index + 1;
        continue;
      }
      parts.push(text.slice(start, match.index));
      between?.push(match[0]!);
      start = from = match.index + length;
    }
    parts.push(text.slice(start));
  }

  /** A regular expression made at run time. */
  regex(source: string): Regex {
    const fold = truth(this.IGNORECASE);
    const key = fold ? "i" + source : source;
    let regex = this.#regexes.get(key);
    if (!regex) {
      try {
        regex = compileRegex(source, {
          syntax: "extended",
          escapes: true,
          strict: true,
          ignoreCase: fold,
          poll: () => this.context.poll(),
        });
      } catch (error) {
        if (error instanceof RegexError) {
          throw new Failure(`regular expression ${source}: ${error.message}`, 2);
        }
        throw error;
      }
      if (this.#regexes.size > 500) this.#regexes.clear();
      this.#regexes.set(key, regex);
    }
    return regex;
  }

  matches(text: string, regex: Regex): boolean {
    return (truth(this.IGNORECASE) ? this.regex(regex.source) : regex).test(text);
  }

  str(value: Value): string {
    if (typeof value === "string") return value;
    if (value === undefined) return "";
    if (typeof value === "number") return this.#numberText(value, this.#convfmt as string);
    return value.text;
  }

  /** As print shows a value. */
  shown(value: Value): string {
    return typeof value === "number" ? this.#numberText(value, this.#ofmt as string) : this.str(value);
  }

  #numberText(value: number, format: string): string {
    if (Number.isInteger(value)) return Object.is(value, -0) ? "-0" : wholeText(value);
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
    return formatAll(format, [value], (each) => String(each));
  }

  compare(a: Value, b: Value): number {
    const numeric = (value: Value) =>
      value === undefined || typeof value === "number" || (typeof value !== "string" && value.numeric);
    if (numeric(a) && numeric(b)) {
      const x = num(a), y = num(b);
      return x < y ? -1 : x > y ? 1 : 0;
    }
    const x = this.str(a), y = this.str(b);
    return x < y ? -1 : x > y ? 1 : 0;
  }

  item(array: AwkArray, key: string): Value {
    const value = array.get(key);
    // Looking makes the element, as the language wants it.
    if (value === undefined && !array.has(key)) array.set(key, undefined);
    return value as Value;
  }

  setItem(array: AwkArray, key: string, value: Value): Value {
    array.set(key, value);
    return value;
  }

  bump(array: AwkArray, key: string, by: number): number {
    const value = num(array.get(key) as Value) + by;
    array.set(key, value);
    return value;
  }

  modify(array: AwkArray, key: string, change: (old: number, by: number) => number, by: number): number {
    const value = change(num(array.get(key) as Value), by);
    array.set(key, value);
    return value;
  }

  keys(array: AwkArray): string[] {
    const keys = [...array.keys()];
    const order = this.PROCINFO.size > 0 ? this.PROCINFO.get("sorted_in") : undefined;
    return order === undefined ? keys : this.#ordered(array, keys, this.str(order as Value));
  }

  #ordered(array: AwkArray, keys: string[], how: string): string[] {
    const match = /^@(ind|val)_(str|num|type)_(asc|desc)$/.exec(how);
    if (!match) return keys;
    const [, what, kind, direction] = match;
    const of = (key: string): Value => what === "ind" ? new Input(key) : array.get(key) as Value;
    const sign = direction === "desc" ? -1 : 1;
    return keys.sort((a, b) => {
      const x = of(a), y = of(b);
      if (kind === "num") return sign * (num(x) - num(y) || (a < b ? -1 : 1));
      if (kind === "type") return sign * this.compare(x, y);
      const s = this.str(x), t = this.str(y);
      return s < t ? -sign : s > t ? sign : 0;
    });
  }

  divide(a: number, b: number): number {
    if (b === 0) throw new Failure("division by zero", 2);
    return a / b;
  }

  modulo(a: number, b: number): number {
    if (b === 0) throw new Failure("division by zero in %", 2);
    return a % b;
  }

  lengthOf(text: string): number {
    // Characters, of which those beyond U+FFFF take two units.
    return /[\ud800-\udbff]/.test(text) ? [...text].length : text.length;
  }

  substr(text: string, start: number, length?: number): string {
    if (/[\ud800-\udbff]/.test(text)) {
      const chars = [...text];
      return chars.slice(...range(start, length, chars.length)).join("");
    }
    return text.slice(...range(start, length, text.length));
  }

  split(
    text: string,
    array: AwkArray,
    separator: string | Regex | undefined,
    separators: AwkArray | undefined,
  ): number {
    const how = separator === undefined
      ? this.#fieldSeparator
      : typeof separator === "string"
      ? (separator.length <= 1 ? separator : this.regex(separator))
      : separator;
    const parts = [""];
    const between: string[] | undefined = separators ? [] : undefined;
    const saved = this.separator;
    // Newlines separate as well only in the record itself.
    this.separator = { type: "char", char: "\n" };
    this.#cut(text, how, parts, between);
    this.separator = saved;
    array.clear();
    for (let i = 1; i < parts.length; i++) array.set(String(i), new Input(parts[i]));
    if (separators) {
      separators.clear();
      between!.forEach((each, i) => separators.set(String(how === " " ? i : i + 1), each));
    }
    return parts.length - 1;
  }

  /** For sub and gsub: sets `result`, returns the number of replacements. */
  substitute(regex: Regex, replacement: string, text: string, global: boolean): number {
    this.count = 0;
    const how = truth(this.IGNORECASE) ? this.regex(regex.source) : regex;
    const parts = replacementParts(replacement);
    let out = "";
    let copied = 0;
    let lastEnd = -1;
    for (let from = 0; from <= text.length;) {
      const match = how.exec(text, from);
      if (!match) break;
      const whole = match[0]!;
      const end = match.index + whole.length;
      if (!(whole === "" && match.index === lastEnd)) {
        this.count++;
        out += text.slice(copied, match.index) + (typeof parts === "string" ? parts : parts.join(whole));
        copied = end;
        lastEnd = end;
        if (!global) break;
      }
      from = whole === "" ? end + 1 : end;
    }
    this.result = this.count > 0 ? out + text.slice(copied) : text;
    return this.count;
  }

  gensub(regex: Regex, replacement: string, how: string, text: string): string {
    const global = /^[gG]/.test(how);
    const which = global ? 1 : Math.max(1, Math.trunc(toNumber(how)));
    let out = "";
    let copied = 0;
    let count = 0;
    for (let from = 0; from <= text.length;) {
      const match = regex.exec(text, from);
      if (!match) break;
      const whole = match[0]!;
      const end = match.index + whole.length;
      count++;
      if (global || count === which) {
        out += text.slice(copied, match.index) +
          replacement.replace(
            /\\([0-9&\\])|&/g,
            (all, code?: string) =>
              code === undefined
                ? whole
                : code === "&" || code === "\\"
                ? code
                : /\d/.test(code)
                ? match[Number(code)] ?? ""
                : all,
          );
        copied = end;
        if (!global) break;
      }
      from = whole === "" ? end + 1 : end;
    }
    return out + text.slice(copied);
  }

  match(text: string, regex: Regex, groups?: AwkArray): number {
    const match = regex.exec(text);
    groups?.clear();
    if (!match) {
      this.RSTART = 0;
      this.RLENGTH = -1;
      return 0;
    }
    this.RSTART = match.index + 1;
    this.RLENGTH = match[0]!.length;
    if (groups) {
      const spans = regex.spans(text)!;
      match.forEach((group, i) => {
        if (group === undefined) return;
        groups.set(String(i), new Input(group));
        groups.set(`${i}${this.SUBSEP}start`, spans[i * 2] + 1);
        groups.set(`${i}${this.SUBSEP}length`, group.length);
      });
    }
    return this.RSTART as number;
  }

  sprintf(format: string, args: Value[]): string {
    return formatAll(format, args, (value) => this.str(value));
  }

  rand(): number {
    // mulberry32
    let t = this.#random = (this.#random + 0x6d2b79f5) | 0;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  srand(seed: number | undefined): number {
    const old = this.#seed;
    this.#seed = seed ?? Math.floor(this.context.host.now() / 1000);
    this.#random = Math.trunc(this.#seed) | 0;
    return old;
  }

  systime(): number {
    return Math.floor(this.context.host.now() / 1000);
  }

  strftime(format = "%a %b %e %H:%M:%S %Z %Y", time = this.systime(), utc = 0): string {
    return formatDate(format, time * 1000, utc ? zoneOf(new Map([["TZ", "UTC"]])) : zoneOf(this.context.env));
  }

  mktime(text: string): number {
    const parts = text.trim().split(/\s+/).map(Number);
    if (parts.length < 6 || parts.some(Number.isNaN)) return -1;
    return Math.floor(
      zoneOf(this.context.env).time(parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]) / 1000,
    );
  }

  bits(name: string, args: number[]): number {
    const values = args.map((each) => BigInt(Math.trunc(each)));
    const [a, b] = values;
    switch (name) {
      case "and":
        return Number(values.reduce((x, y) => x & y));
      case "or":
        return Number(values.reduce((x, y) => x | y));
      case "xor":
        return Number(values.reduce((x, y) => x ^ y));
      case "lshift":
        return Number(a << b);
      case "rshift":
        return Number(a >> b);
      default:
        return Number(BigInt.asUintN(53, ~a));
    }
  }

  strtonum(value: Value): number {
    if (typeof value === "number") return value;
    const text = this.str(value).trim();
    const hex = /^([-+]?)0[xX]([0-9a-fA-F]+)/.exec(text);
    if (hex) return (hex[1] === "-" ? -1 : 1) * parseInt(hex[2], 16);
    const octal = /^([-+]?)0([0-7]+)(?![.\d])/.exec(text);
    if (octal) return (octal[1] === "-" ? -1 : 1) * parseInt(octal[2], 8);
    return toNumber(text);
  }

  asort(source: AwkArray, target: AwkArray | undefined, how: string | undefined): number {
    const values = [...source.values()] as Value[];
    const sign = /desc$/.test(how ?? "") ? -1 : 1;
    const rank = (value: Value) =>
      typeof value === "number" || value === undefined || (value instanceof Input && value.numeric) ? 0 : 1;
    values.sort((a, b) => sign * (rank(a) - rank(b) || this.compare(a, b)));
    const out = target ?? source;
    out.clear();
    values.forEach((value, i) => out.set(String(i + 1), value));
    return values.length;
  }

  asorti(source: AwkArray, target: AwkArray | undefined, how: string | undefined): number {
    const numeric = /_num_/.test(how ?? "");
    const sign = /desc$/.test(how ?? "") ? -1 : 1;
    const keys = [...source.keys()].sort((a, b) =>
      sign * (numeric ? toNumber(a) - toNumber(b) : a < b ? -1 : a > b ? 1 : 0)
    );
    const out = target ?? source;
    out.clear();
    keys.forEach((key, i) => out.set(String(i + 1), new Input(key)));
    return keys.length;
  }

  typeOf(value: Value): string {
    if (value === undefined) return "unassigned";
    if (typeof value === "number") return "number";
    return value instanceof Input && looksNumeric(value.text) ? "strnum" : "string";
  }

  tick(): void {
    if ((++this.#ticks & 1023) === 0) this.context.poll();
  }

  enter(): void {
    if (++this.#calls > MAX_CALLS) throw new Failure("function calls nested too deeply", 2);
    this.tick();
  }

  leave(): void {
    this.#calls--;
  }

  exit(status: number | undefined): never {
    if (status !== undefined) this.status = Math.trunc(status) & 0xff;
    throw new Exit();
  }

  skipFile(): void {
    this.io.skipFile();
  }

  /** Writes without waiting; `pending` tells what is left to wait for. */
  put(text: string): void {
    if (this.pending) {
      this.pending = this.pending.then(() => this.context.stdout.print(text));
      return;
    }
    const done = this.context.stdout.print(text);
    if (done instanceof Promise) this.pending = done;
  }

  write(text: string, target: Handle | undefined): Promise<void> | undefined {
    if (target) return target.write(text);
    const done = this.context.stdout.print(text);
    return done instanceof Promise ? done : undefined;
  }

  target(kind: "file" | "append" | "command", name: string): Handle {
    return this.io.target(kind, name);
  }

  async getlineText(from: "input" | "file" | "command", source: string | undefined): Promise<number> {
    let text: string | undefined;
    try {
      if (from === "input") {
        const next = this.io.nextRecord(this);
        text = next instanceof Promise ? await next : next;
      } else {
        const reader = await this.io.reader(from, source!);
        text = await reader.next(this.separator);
        if (text !== undefined) this.RT = reader.terminator;
      }
    } catch (error) {
      if (from !== "file" || !(error instanceof Error) || error.name !== "HostError") throw error;
      return this.lineStatus = -1;
    }
    if (text === undefined) return this.lineStatus = 0;
    if (from === "command") this.NR = num(this.NR) + 1;
    this.line = new Input(text);
    return this.lineStatus = 1;
  }

  async getlineRecord(from: "input" | "file" | "command", source: string | undefined): Promise<number> {
    const status = await this.getlineText(from, source);
    if (status > 0) this.setRecord((this.line as Input).text);
    return status;
  }

  async system(command: string): Promise<number> {
    await this.io.flushAll();
    return await this.context.run(["sh", "-c", command]);
  }

  close(name: string): Promise<number> {
    return this.io.close(name);
  }

  async flush(name: string | undefined): Promise<number> {
    return await this.io.flush(name);
  }
}

function blank(code: number): boolean {
  return code === 32 || code === 9 || code === 10;
}

/** Start and end for slice(), by awk's rounding. */
function range(start: number, length: number | undefined, size: number): [number, number] {
  const from = roundHalfEven(start);
  const to = length === undefined
    ? size + 1
    : Number.isFinite(length)
    ? from + roundHalfEven(length)
    : length > 0
    ? size + 1
    : 0;
  const low = Math.max(1, Number.isNaN(from) ? 1 : from);
  return [low - 1, Math.max(low - 1, Math.min(size, to - 1))];
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
}

/** The replacement of sub: a plain text, or the texts between the matches. */
function replacementParts(replacement: string): string | string[] {
  if (!replacement.includes("&") && !replacement.includes("\\")) return replacement;
  const parts = [""];
  for (let i = 0; i < replacement.length; i++) {
    const c = replacement[i];
    if (c === "\\" && (replacement[i + 1] === "&" || replacement[i + 1] === "\\")) {
      parts[parts.length - 1] += replacement[++i];
    } else if (c === "&") parts.push("");
    else parts[parts.length - 1] += c;
  }
  return parts.length === 1 ? parts[0] : parts;
}
