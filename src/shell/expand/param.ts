/**
 * Parameter expansion: `$name` and every form of `${…}`: what a parameter
 * gives, then the operation on it, for texts and for lists alike. One piece:
 * an exhaustive table of operations over one kind of subject.
 */
import { ANSI_C, joinBytes, type Param, type ParamOp, unescape } from "../syntax/mod.ts";
import { type ExpandConfig, ExpansionError, type Run, type Sink, type WordExpander } from "./config.ts";
import { compilePattern, type Pattern } from "./pattern.ts";
import { doubleQuote, singleQuote } from "./quote.ts";
import {
  ARRAY,
  ASSOC,
  assocKeys,
  CAPITAL,
  EXPORT,
  IndexedArray,
  INTEGER,
  keysOf,
  LOWER,
  NAMEREF,
  READONLY,
  scalarOf,
  TRACE,
  UPPER,
  valuesOf,
  type Variable,
} from "./variable.ts";

/** What a parameter gives before its operation. */
interface Subject {
  /** Set for `$@`, `$*`, `${a[@]}`, `${a[*]}`. */
  list: string[] | undefined;
  all: "@" | "*" | undefined;
  text: string | undefined;
  /** For messages and for `@A`: the variable's name, and its key where there is one. */
  name: string;
  key: string | number | undefined;
}

export function* expandParam(x: WordExpander, p: Param, quoted: boolean, sink: Sink): Run<void> {
  const config = x.config;
  if (p.bad) throw badSubstitution(p);
  if (p.op?.kind === "names") {
    const prefix = p.name;
    const names = config.vars.names().filter((n) => n.startsWith(prefix)).sort();
    return emitList(config, names, p.op.star ? "*" : "@", quoted, sink);
  }
  let subject: Subject;
  if (p.indirect) {
    if (p.index?.all !== undefined && p.op === undefined) {
      const variable = config.vars.get(p.name);
      return emitList(config, keysOf(variable?.value), p.index.all, quoted, sink);
    }
    const direct = config.vars.raw(p.name);
    if (
      direct !== undefined && (direct.flags & NAMEREF) !== 0 && p.index === undefined && p.op === undefined
    ) {
      return emit(scalarOf(direct.value) ?? "", quoted, sink);
    }
    const inner = yield* subjectOf(x, p);
    const name = inner.list !== undefined ? inner.list.join(" ") : inner.text;
    if (inner.list !== undefined && name === "") return;
    if (name === undefined || name === "") {
      if (name === undefined && p.op === undefined && config.vars.raw(p.name)?.value instanceof Map) {
        if (quoted) sink.quoted("");
        return;
      }
      if (p.op?.kind === "default") {
        subject = { list: undefined, all: undefined, text: undefined, name: p.name, key: undefined };
      } else if (name === undefined && config.vars.raw(p.name) === undefined && /^[A-Za-z_]/.test(p.name)) {
        throw new ExpansionError(`${p.name}: invalid indirect expansion`);
      } else {throw new ExpansionError(
          `${name ?? p.name}: invalid ${name === undefined ? "indirect expansion" : "variable name"}`,
        );}
    } else subject = yield* indirect(x, name, p);
  } else {
    subject = yield* subjectOf(x, p);
  }
  if (p.length) {
    if (subject.list !== undefined && p.index !== undefined && config.option("nounset")) {
      const value = config.vars.get(subject.name)?.value;
      if (value === undefined || typeof value === "string") {
        throw new ExpansionError(`${p.name}: unbound variable`);
      }
    }
    return emit(String(lengthOf(config, p, subject)), quoted, sink);
  }
  if (p.op === undefined) {
    if (subject.list !== undefined) return emitList(config, subject.list, subject.all!, quoted, sink);
    if (subject.text === undefined) {
      checkSet(config, p, subject);
      if (quoted) sink.quoted("");
      return;
    }
    return emit(subject.text, quoted, sink);
  }
  yield* operate(x, p, p.op, subject, quoted, sink);
}

function badSubstitution(p: Param): ExpansionError {
  return new ExpansionError(`${p.source}: bad substitution`);
}

function emit(text: string, quoted: boolean, sink: Sink): void {
  if (quoted) sink.quoted(text);
  else sink.split(text);
}

function joiner(config: ExpandConfig): string {
  const ifs = config.ifs;
  return ifs === undefined ? " " : ifs.length === 0 ? "" : String.fromCodePoint(ifs.codePointAt(0)!);
}

function emitList(
  config: ExpandConfig,
  values: readonly string[],
  all: "@" | "*",
  quoted: boolean,
  sink: Sink,
): void {
  if (all === "*" && quoted) return sink.quoted(values.join(joiner(config)));
  sink.list(values, quoted, all === "@" ? " " : joiner(config));
}

/** An unset parameter under `set -u`. */
function checkSet(config: ExpandConfig, p: Param, subject: Subject): void {
  if (!config.option("nounset")) return;
  const name = subject.key !== undefined && p.index !== undefined
    ? `${p.name}[${p.index.word.text}]`
    : p.indirect
    ? "!" + p.name
    : p.name;
  throw new ExpansionError(`${/^[0-9!]$/.test(name) ? "$" + name : name}: unbound variable`, true);
}

function* subjectOf(x: WordExpander, p: Param): Run<Subject> {
  const config = x.config;
  const name = p.name;
  if (name === "@" || name === "*") {
    return { list: config.params.slice(), all: name, text: undefined, name, key: undefined };
  }
  const first = name.charCodeAt(0);
  if (first >= 48 && first <= 57) {
    const n = Number(name);
    const text = n === 0 ? config.special("0") : config.params[n - 1];
    return { list: undefined, all: undefined, text, name, key: undefined };
  }
  if (!/^[A-Za-z_]/.test(name)) {
    return { list: undefined, all: undefined, text: config.special(name), name, key: undefined };
  }
  let target = name;
  const raw = config.vars.raw(name);
  if (raw !== undefined && (raw.flags & NAMEREF) !== 0) {
    target = config.vars.target(name);
    const open = target.indexOf("[");
    if (open !== -1 && p.index === undefined) return yield* elementByText(x, target);
    if (open !== -1) target = target.slice(0, open);
  }
  const variable = config.vars.get(target);
  if (p.index === undefined) {
    return {
      list: undefined,
      all: undefined,
      text: variable === undefined ? undefined : scalarOf(variable.value),
      name: target,
      key: undefined,
    };
  }
  if (p.index.all !== undefined) {
    return {
      list: valuesOf(variable?.value),
      all: p.index.all,
      text: undefined,
      name: target,
      key: undefined,
    };
  }
  if (p.index.word.text === "" && variable?.value instanceof Map) throw badSubstitution(p);
  const key = yield* x.key(target, p.index.word);
  return { list: undefined, all: undefined, text: element(config, target, variable, key), name: target, key };
}

/** The element under a key; negative indexes count from the end. */
export function element(
  config: { warn(text: string): void },
  name: string,
  variable: Variable | undefined,
  key: string | number,
): string | undefined {
  const value = variable?.value;
  if (value instanceof Map) return key === "" ? undefined : value.get(String(key));
  let index = Number(key);
  if (value === undefined || typeof value === "string") {
    if (index < 0) {
      if (value === undefined || index !== -1) {
        config.warn(`${name}: bad array subscript`);
        return undefined;
      }
      index = 0;
    }
    return index === 0 ? value : undefined;
  }
  if (index < 0) {
    index += value.end;
    if (index < 0) {
      config.warn(`${name}: bad array subscript`);
      return undefined;
    }
  }
  return value.get(index);
}

/** The subject that a text names: `name`, `name[sub]`, `1`, `@`. */
function* indirect(x: WordExpander, text: string, p: Param): Run<Subject> {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) || /^([0-9]+|[@*#?$!-])$/.test(text)) {
    return yield* subjectOf(x, { ...p, name: text, index: undefined, indirect: false, source: p.source });
  }
  if (/^[A-Za-z_][A-Za-z0-9_]*\[[\s\S]*\]$/.test(text)) return yield* elementByText(x, text);
  throw new ExpansionError(`${text}: invalid variable name`);
}

function* elementByText(x: WordExpander, text: string): Run<Subject> {
  const open = text.indexOf("[");
  const name = text.slice(0, open);
  const inside = text.slice(open + 1, -1);
  const word = { parts: [{ kind: "lit" as const, text: inside }], text: inside, line: 0, plain: undefined };
  const all = inside === "@" || inside === "*" ? inside : undefined;
  if (all === undefined) {
    const value = x.config.vars.element(name, inside, 0);
    return { list: undefined, all: undefined, text: value, name, key: inside };
  }
  return yield* subjectOf(x, { kind: "param", name, index: { word, all }, source: text, line: 0 });
}

function lengthOf(config: ExpandConfig, p: Param, subject: Subject): number {
  if (subject.list !== undefined) return subject.list.length;
  if (subject.text === undefined) {
    checkSet(config, p, subject);
    return 0;
  }
  return characters(subject.text);
}

/** Number of characters (not of UTF-16 units). */
export function characters(text: string): number {
  let n = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const c = text.charCodeAt(i);
    if (c >= 0xd800 && c <= 0xdbff) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        n--;
        i++;
      }
    }
  }
  return n;
}

function* operate(
  x: WordExpander,
  p: Param,
  op: ParamOp,
  s: Subject,
  quoted: boolean,
  sink: Sink,
): Run<void> {
  const config = x.config;
  switch (op.kind) {
    case "default":
      return yield* defaulted(x, p, op, s, quoted, sink);
    case "slice":
      return yield* slice(x, p, op, s, quoted, sink);
    case "names":
      return;
  }
  if (s.list === undefined && s.text === undefined) {
    if (op.kind === "transform" && ("aA".includes(op.letter) || op.letter === "k" || op.letter === "K")) {
      const variable = config.vars.get(s.name);
      if (variable !== undefined && s.key === undefined) {
        return emit(transformVariable(op.letter, s.name, variable, undefined), quoted, sink);
      }
    }
    checkSet(config, p, s);
    if (quoted) sink.quoted("");
    return;
  }
  let apply: (text: string) => string;
  if (op.kind === "strip") {
    const pattern = compile(config, yield* x.pattern(op.word));
    apply = (text) => strip(text, op.op, pattern);
  } else if (op.kind === "replace") {
    const source = yield* x.pattern(op.pattern);
    const pattern = compilePattern(source, config.option("extglob"), config.option("nocasematch"));
    const by = op.by === undefined ? "" : yield* replacement(x, op.by);
    apply = (text) => replace(config, text, pattern, by, op.all, op.anchor);
  } else if (op.kind === "case") {
    const pattern = op.word === undefined ? undefined : compile(config, yield* x.pattern(op.word));
    apply = (text) => changeCase(text, op.op, pattern);
  } else {
    const variable = /^[A-Za-z_]/.test(s.name) ? config.vars.get(s.name) : undefined;
    if (s.list !== undefined && variable !== undefined && "AKk".includes(op.letter)) {
      const text = transformVariable(op.letter, s.name, variable, s.all);
      if (op.letter === "k" && s.all === "@") return emitList(config, pairs(variable), "@", quoted, sink);
      return emit(text, quoted, sink);
    }
    if (s.list !== undefined && op.letter === "A" && (s.name === "@" || s.name === "*")) {
      return emit(s.list.length === 0 ? "" : "set -- " + s.list.map(singleQuote).join(" "), quoted, sink);
    }
    if (s.list === undefined && variable !== undefined && "aA".includes(op.letter)) {
      return emit(transformVariable(op.letter, s.name, variable, undefined, s.text), quoted, sink);
    }
    const flags = variable === undefined ? "" : attributes(variable);
    apply = (text) => transform(config, p, op.letter, text, flags);
  }
  if (s.list !== undefined) emitList(config, s.list.map(apply), s.all!, quoted, sink);
  else emit(apply(s.text!), quoted, sink);
}

function compile(config: ExpandConfig, text: string): Pattern {
  return compilePattern(text, config.option("extglob"), false);
}

function* defaulted(
  x: WordExpander,
  p: Param,
  op: Extract<ParamOp, { kind: "default" }>,
  s: Subject,
  quoted: boolean,
  sink: Sink,
): Run<void> {
  const config = x.config;
  let present: boolean;
  if (s.list !== undefined) {
    present = op.colon && (s.list.length === 0 || s.list.length === 1 || s.all === "*")
      ? s.list.join(s.all === "*" ? joiner(config) : " ") !== ""
      : s.list.length > 0;
  } else present = s.text !== undefined && !(op.colon && s.text === "");
  if (op.op === "+") {
    if (present) yield* x.into(op.word, quoted, sink);
    else if (quoted && s.list === undefined) sink.quoted("");
    return;
  }
  if (present) {
    if (s.list !== undefined) emitList(config, s.list, s.all!, quoted, sink);
    else emit(s.text!, quoted, sink);
    return;
  }
  if (op.op === "-") return yield* x.into(op.word, quoted, sink);
  if (op.op === "=") {
    if (!/^[A-Za-z_]/.test(p.name) && !p.indirect || s.list !== undefined) {
      throw new ExpansionError(
        `${
          p.source.startsWith("${") && p.index === undefined ? "$" + p.name : p.source
        }: cannot assign in this way`,
      );
    }
    const value = yield* x.text(op.word);
    if (s.key !== undefined) config.vars.assignElement(s.name, s.key, value);
    else config.vars.assign(s.name, value);
    return emit(value, quoted, sink);
  }
  const shown = p.index === undefined ? p.name : `${p.name}[${p.index.word.text}]`;
  const message = op.word.parts.length === 0
    ? (op.colon ? "parameter null or not set" : "parameter not set")
    : yield* x.text(op.word);
  throw new ExpansionError(`${shown}: ${message}`, true);
}

function* slice(
  x: WordExpander,
  p: Param,
  op: Extract<ParamOp, { kind: "slice" }>,
  s: Subject,
  quoted: boolean,
  sink: Sink,
): Run<void> {
  const config = x.config;
  let offset: number;
  let length: number | undefined;
  try {
    offset = Number(yield* x.arith(op.offset));
    length = op.length === undefined ? undefined : Number(yield* x.arith(op.length));
  } catch (error) {
    if (error instanceof ExpansionError && !error.exits) error.message = `${p.name}: ${error.message}`;
    throw error;
  }
  if (s.list === undefined) {
    if (s.text === undefined) {
      checkSet(config, p, s);
      if (quoted) sink.quoted("");
      return;
    }
    const chars = /[\ud800-\udbff]/.test(s.text) ? [...s.text] : undefined;
    const size = chars?.length ?? s.text.length;
    if (offset < 0) offset += size;
    if (offset < 0 || offset > size) return emit("", quoted, sink);
    let end = length === undefined ? size : length < 0 ? size + length : offset + length;
    if (end < offset) throw new ExpansionError(`${op.length!.text.trim()}: substring expression < 0`);
    end = Math.min(end, size);
    return emit(
      chars === undefined ? s.text.slice(offset, end) : chars.slice(offset, end).join(""),
      quoted,
      sink,
    );
  }
  if (length !== undefined && length < 0) {
    throw new ExpansionError(`${op.length!.text.trim()}: substring expression < 0`);
  }
  let list = s.list;
  const variable = /^[A-Za-z_]/.test(s.name) ? config.vars.get(s.name) : undefined;
  if (s.name === "@" || s.name === "*") {
    // `$0` counts as element 0.
    if (offset < 0) {
      offset += list.length + 1;
      if (offset < 0) list = [];
    }
    if (offset === 0) list = [config.special("0") ?? "", ...list];
    else list = list.slice(offset - 1);
  } else if (variable?.value instanceof IndexedArray) {
    const array = variable.value;
    if (offset < 0) offset += array.end;
    list = offset < 0 ? [] : array.keys().filter((k) => k >= offset).map((k) => array.get(k)!);
  } else {
    if (offset < 0) offset += list.length;
    if (variable?.value instanceof Map && offset > 0) offset -= 1;
    list = offset < 0 ? [] : list.slice(offset);
  }
  emitList(config, length === undefined ? list : list.slice(0, length), s.all!, quoted, sink);
}

function strip(text: string, op: "#" | "##" | "%" | "%%", pattern: Pattern): string {
  if (op[0] === "#") {
    const n = pattern.prefix(text, op.length === 2);
    return n === -1 ? text : text.slice(n);
  }
  const at = pattern.suffix(text, op.length === 2);
  return at === -1 ? text : text.slice(0, at);
}

/** A replacement: a list of literal pieces and of places for `&`, the matched text (patsub_replacement). */
type Replacement = string | readonly (string | undefined)[];

function* replacement(x: WordExpander, by: Parameters<WordExpander["text"]>[0]): Run<Replacement> {
  if (!x.config.option("patsub_replacement")) return yield* x.text(by);
  const collected = new ReplacementSink();
  yield* x.into(by, false, collected);
  return collected.pieces.every((p) => p !== undefined) ? collected.pieces.join("") : collected.pieces;
}

class ReplacementSink implements Sink {
  readonly pieces: (string | undefined)[] = [];
  quoted(text: string): void {
    this.pieces.push(text);
  }
  literal(text: string): void {
    let out = "";
    for (let i = 0; i < text.length; i++) {
      const c = text[i];
      if (c === "\\" && (text[i + 1] === "&" || text[i + 1] === "\\")) out += text[++i];
      else if (c === "&") {
        this.pieces.push(out, undefined);
        out = "";
      } else out += c;
    }
    this.pieces.push(out);
  }
  split(text: string): void {
    this.literal(text);
  }
  list(values: readonly string[], quoted: boolean, join: string): void {
    if (quoted) this.quoted(values.join(join));
    else this.literal(values.join(join));
  }
}

function fill(by: Replacement, matched: string): string {
  return typeof by === "string" ? by : by.map((p) => p ?? matched).join("");
}

function replace(
  config: ExpandConfig,
  text: string,
  pattern: Pattern,
  by: Replacement,
  all: boolean,
  anchor: string,
): string {
  if (anchor === "#") {
    const n = pattern.prefix(text, true);
    return n === -1 ? text : fill(by, text.slice(0, n)) + text.slice(n);
  }
  if (anchor === "%") {
    const at = pattern.suffix(text, true);
    return at === -1 ? text : text.slice(0, at) + fill(by, text.slice(at));
  }
  if (pattern.literal !== undefined) {
    if (pattern.literal === "") return text;
    const filled = fill(by, pattern.literal);
    return all ? text.replaceAll(pattern.literal, () => filled) : text.replace(pattern.literal, () => filled);
  }
  let out = "";
  let i = 0;
  const single = pattern.single;
  while (i < text.length) {
    if ((i & 1023) === 0) config.poll();
    const code = text.codePointAt(i)!;
    const size = code > 0xffff ? 2 : 1;
    let end = -1;
    if (single !== undefined) {
      if (single(code, text.slice(i, i + size))) end = i + size;
    } else {
      const ends = pattern.ends(text, i);
      if (ends.length > 0) end = ends[ends.length - 1];
    }
    if (end <= i) {
      out += text.slice(i, i + size);
      i += size;
      continue;
    }
    out += fill(by, text.slice(i, end));
    i = end;
    if (!all) break;
  }
  return out + text.slice(i);
}

function changeCase(text: string, op: string, pattern: Pattern | undefined): string {
  const change = (c: string) =>
    pattern !== undefined && !pattern.matches(c)
      ? c
      : op[0] === "^"
      ? upper(c)
      : op[0] === ","
      ? c.toLowerCase()
      : (c === c.toLowerCase() ? upper(c) : c.toLowerCase());
  if (op.length === 1) {
    if (text === "") return text;
    const first = String.fromCodePoint(text.codePointAt(0)!);
    return change(first) + text.slice(first.length);
  }
  if (pattern === undefined && op !== "~~") {
    if (op !== "^^") return text.toLowerCase();
    // deno-lint-ignore no-control-regex -- ASCII: no letter gets longer.
    return /^[\x00-\x7f]*$/.test(text) ? text.toUpperCase() : [...text].map(upper).join("");
  }
  return [...text].map(change).join("");
}

function upper(c: string): string {
  const u = c.toUpperCase();
  return u.length === c.length ? u : c;
}

/** The letters of `${v@a}`. */
export function attributes(variable: Variable): string {
  const f = variable.flags;
  return (variable.value instanceof IndexedArray || (f & ARRAY) !== 0 ? "a" : "") +
    (variable.value instanceof Map || (f & ASSOC) !== 0 ? "A" : "") +
    ((f & INTEGER) !== 0 ? "i" : "") + ((f & NAMEREF) !== 0 ? "n" : "") + ((f & READONLY) !== 0 ? "r" : "") +
    ((f & TRACE) !== 0 ? "t" : "") + ((f & EXPORT) !== 0 ? "x" : "") + ((f & CAPITAL) !== 0 ? "c" : "") +
    ((f & LOWER) !== 0 ? "l" : "") + ((f & UPPER) !== 0 ? "u" : "");
}

/** An array's value as `declare -p` writes it. */
export function arrayText(value: IndexedArray | Map<string, string>): string {
  const items = value instanceof IndexedArray
    ? value.keys().map((k) => `[${k}]=${doubleQuote(value.get(k)!)}`)
    : assocKeys(value).map((k) => `[${keyText(k)}]=${doubleQuote(value.get(k)!)}`);
  return `(${items.join(" ")}${value instanceof Map && items.length > 0 ? " " : ""})`;
}

export function keyText(key: string): string {
  return /^[A-Za-z0-9_.\/:@%+,-]+$/.test(key) && key !== "@" ? key : doubleQuote(key);
}

function pairs(variable: Variable): string[] {
  const keys = keysOf(variable.value);
  const values = valuesOf(variable.value);
  return keys.flatMap((k, i) => [k, values[i]]);
}

function transformVariable(
  letter: string,
  name: string,
  variable: Variable,
  all: string | undefined,
  text?: string,
): string {
  const flags = attributes(variable);
  if (letter === "a") return flags;
  if (letter === "K" || letter === "k") {
    const keys = keysOf(variable.value);
    const values = valuesOf(variable.value);
    if (letter === "k") return keys.flatMap((k, i) => [k, values[i]]).join(" ");
    return keys.map((k, i) => `${keyText(k)} ${doubleQuote(values[i])}`).join(" ") +
      (variable.value instanceof Map && keys.length > 0 ? " " : "");
  }
  if (all !== undefined && variable.value !== undefined && typeof variable.value !== "string") {
    return `declare -${flags} ${name}=${arrayText(variable.value)}`;
  }
  const value = text ?? scalarOf(variable.value);
  if (value === undefined) return flags === "" ? "" : `declare -${flags} ${name}`;
  return flags === "" ? `${name}=${singleQuote(value)}` : `declare -${flags} ${name}=${singleQuote(value)}`;
}

function transform(config: ExpandConfig, p: Param, letter: string, text: string, flags: string): string {
  switch (letter) {
    case "Q":
    case "K":
    case "k":
      return singleQuote(text);
    case "E":
      return joinBytes(unescape(text, ANSI_C).value);
    case "P":
      return config.prompt(text);
    case "U":
      return [...text].map(upper).join("");
    case "u":
      return changeCase(text, "^", undefined);
    case "L":
      return text.toLowerCase();
    case "a":
      return flags;
    case "A":
      return `${p.name}=${singleQuote(text)}`;
  }
  throw new ExpansionError(`${p.source}: bad substitution`, true);
}
