/**
 * The grammar of words: quotes, `$…`, backquotes, extended patterns. Commands
 * inside `$( )` and the inside of `${ }` are read by others, handed in as
 * functions: this file knows nothing of statements.
 */
import type { Param, Part, Statement, Word } from "./ast.ts";
import { ANSI_C, joinBytes, unescape } from "./escapes.ts";
import { ShellSyntaxError } from "./errors.ts";
import { isMeta, type Reader } from "./lexer.ts";

export interface WordContext {
  readonly reader: Reader;
  extglob: boolean;
  /** Reads statements up to (not including) the closing parenthesis. */
  readonly readCommands: () => readonly Statement[];
  /** Reads `${…}` (the position is at the `$`). */
  readonly readBraceParam: (ctx: WordContext, quoted: boolean) => Param;
  /** The same grammar over another text (a here-document's body). */
  readonly nested: (reader: Reader) => WordContext;
}

/** How the surroundings change what characters mean. */
export interface PartMode {
  /** Inside double quotes (or a here-document): quotes are literal, few characters can be escaped. */
  readonly quoted: boolean;
  /** Whether `'` quotes. */
  readonly single: boolean;
  /** Whether `"` quotes. */
  readonly double: boolean;
  /** Characters that end the text when unquoted. */
  readonly stop: string;
  /** Whether blanks and operators end the text. */
  readonly meta: boolean;
  /** Parentheses are counted; the stop applies at depth 0 only (arithmetic, subscripts). */
  readonly nest?: "()" | "[]";
  readonly heredoc?: boolean;
  /** Extended patterns are read as one piece. */
  readonly extglob?: boolean;
  /** Inside an extended pattern or a subscript: a tilde, a brace are nothing special (no effect on reading). */
  readonly arith?: boolean;
}

const PLAIN_MODE: PartMode = {
  quoted: false,
  single: true,
  double: true,
  stop: "",
  meta: true,
  extglob: true,
};
const DQUOTE: PartMode = { quoted: true, single: false, double: false, stop: '"', meta: false };
const NOT_PLAIN = /[*?[\]{}~\\]/;

/** A word at the position; undefined where none begins. */
export function readWord(ctx: WordContext): Word | undefined {
  const r = ctx.reader;
  const start = r.pos;
  const parts = readParts(ctx, PLAIN_MODE);
  if (r.pos === start) return undefined;
  return makeWord(parts, r.text.slice(start, r.pos), r.line(start), ctx.extglob);
}

/** Reads text under a mode as a word, which may be empty. */
export function readWordIn(ctx: WordContext, mode: PartMode): Word {
  const r = ctx.reader;
  const start = r.pos;
  const parts = readParts(ctx, mode);
  return makeWord(parts, r.text.slice(start, r.pos), r.line(start), true);
}

export function makeWord(parts: readonly Part[], text: string, line: number, extglob = true): Word {
  let plain: string | undefined;
  if (parts.length === 0) plain = "";
  else if (parts.length === 1 && parts[0].kind === "lit" && !NOT_PLAIN.test(parts[0].text)) {
    const t = parts[0].text;
    if (!extglob || !/[@+!]\(/.test(t)) plain = t;
  }
  return { parts, text, line, plain };
}

/** Collects parts; adjoining literal text is one part. */
class Collector {
  readonly parts: Part[] = [];
  #lit = "";
  lit(s: string): void {
    this.#lit += s;
  }
  flush(): void {
    if (this.#lit === "") return;
    this.parts.push({ kind: "lit", text: this.#lit });
    this.#lit = "";
  }
  quoted(text: string): void {
    this.flush();
    const last = this.parts[this.parts.length - 1];
    if (last !== undefined && last.kind === "quoted") {
      this.parts[this.parts.length - 1] = { kind: "quoted", text: last.text + text };
    } else this.parts.push({ kind: "quoted", text });
  }
  push(part: Part): void {
    this.flush();
    this.parts.push(part);
  }
}

export function readParts(ctx: WordContext, mode: PartMode): Part[] {
  const r = ctx.reader;
  const out = new Collector();
  let nesting = 0;
  r.enter();
  while (r.pos < r.text.length) {
    const code = r.text.charCodeAt(r.pos);
    if (mode.meta && isMeta(code)) {
      if ((code === 60 || code === 62) && r.text.charCodeAt(r.pos + 1) === 40) {
        out.push(readProcessSub(ctx));
        continue;
      }
      break;
    }
    const c = r.text[r.pos];
    if (mode.nest !== undefined) {
      if (c === mode.nest[0]) nesting++;
      else if (c === mode.nest[1] && nesting > 0) {
        nesting--;
        out.lit(c);
        r.pos++;
        continue;
      }
    }
    if (nesting === 0 && mode.stop.includes(c)) break;
    switch (code) {
      case 92: // backslash
        readBackslash(r, mode, out);
        continue;
      case 39: // '
        if (!mode.single) break;
        {
          const end = r.text.indexOf("'", r.pos + 1);
          if (end === -1) throw r.unterminated("'", r.pos);
          out.quoted(r.text.slice(r.pos + 1, end));
          r.pos = end + 1;
        }
        continue;
      case 34: // "
        if (!mode.double) break;
        out.push(readDoubleQuoted(ctx));
        continue;
      case 36: // $
        readDollar(ctx, mode, out);
        continue;
      case 96: // `
        out.push(readBackquote(ctx, mode.quoted));
        continue;
      case 13:
        if (mode.meta && r.text.charCodeAt(r.pos + 1) === 10) {
          r.leave();
          out.flush();
          return out.parts;
        }
        break;
      case 60:
      case 62:
        if (!mode.quoted && !mode.arith && !mode.heredoc && r.text.charCodeAt(r.pos + 1) === 40) {
          out.push(readProcessSub(ctx));
          continue;
        }
        break;
      case 63: // ? * + @ !
      case 42:
      case 43:
      case 64:
      case 33:
        if (mode.extglob && ctx.extglob && r.text.charCodeAt(r.pos + 1) === 40) {
          readExtglob(ctx, out);
          continue;
        }
        break;
    }
    // A run of ordinary characters.
    let end = r.pos + 1;
    while (end < r.text.length && isOrdinary(r.text.charCodeAt(end))) end++;
    if (mode.stop !== "" || mode.nest !== undefined) end = r.pos + 1;
    out.lit(r.text.slice(r.pos, end));
    r.pos = end;
  }
  r.leave();
  out.flush();
  return out.parts;
}

function isOrdinary(code: number): boolean {
  return code >= 97 && code <= 122 || code >= 65 && code <= 90 || code >= 48 && code <= 57 || code > 126 ||
    code === 46 || code === 47 || code === 45 || code === 95 || code === 61 || code === 58 || code === 44;
}

function readBackslash(r: Reader, mode: PartMode, out: Collector): void {
  const next = r.char(1);
  if (next === "\n") {
    r.pos += 2;
    return;
  }
  if (next === "") {
    out.lit("\\");
    r.pos++;
    return;
  }
  if (mode.quoted) {
    if (
      next === "$" || next === "`" || next === "\\" || (next === '"' && !mode.heredoc) ||
      (next === "}" && mode.stop.includes("}"))
    ) {
      out.quoted(next);
      r.pos += 2;
    } else {
      out.lit("\\");
      r.pos++;
    }
    return;
  }
  const size = next >= "\ud800" && next <= "\udbff" ? 2 : 1;
  out.quoted(r.text.slice(r.pos + 1, r.pos + 1 + size));
  r.pos += 1 + size;
}

function readDoubleQuoted(ctx: WordContext): Part {
  const r = ctx.reader;
  const opened = r.pos++;
  const parts = readParts(ctx, DQUOTE);
  if (r.char() !== '"') throw r.unterminated('"', opened);
  r.pos++;
  return { kind: "dquote", parts };
}

function readExtglob(ctx: WordContext, out: Collector): void {
  const r = ctx.reader;
  const opened = r.pos;
  r.pos += 2;
  let inner: Part[] | undefined;
  try {
    inner = readParts(ctx, {
      quoted: false,
      single: true,
      double: true,
      stop: ")",
      meta: false,
      nest: "()",
      extglob: true,
    });
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
  }
  if (inner === undefined || r.char() !== ")") {
    // Not closed: no extended pattern, the character stands for itself.
    out.lit(r.text[opened]);
    r.pos = opened + 1;
    return;
  }
  out.lit(r.text.slice(opened, opened + 2));
  for (const part of inner) {
    if (part.kind === "lit") out.lit(part.text);
    else if (part.kind === "quoted") out.quoted(part.text);
    else out.push(part);
  }
  out.lit(")");
  r.pos++;
}

function readProcessSub(ctx: WordContext): Part {
  const r = ctx.reader;
  const line = r.line();
  const opened = r.pos;
  const direction = r.char() as "<" | ">";
  r.pos += 2;
  r.enter();
  const body = ctx.readCommands();
  r.leave();
  if (r.char() !== ")") throw r.unterminated(")", opened, true);
  r.pos++;
  return { kind: "process", direction, body, line };
}

const SPECIAL = "@*#?-$!";

function readDollar(ctx: WordContext, mode: PartMode, out: Collector): void {
  const r = ctx.reader;
  // What the dollar belongs to may stand on the next line; the line's end is then in the dollar's place.
  while (r.char(1) === "\\" && r.char(2) === "\n") r.pos += 2;
  const next = r.char(1);
  if (next === "(") {
    if (r.char(2) === "(") {
      const arith = tryArith(ctx);
      if (arith !== undefined) return out.push({ kind: "arith", expr: arith });
    }
    const opened = r.pos;
    const line = r.line();
    r.pos += 2;
    r.enter();
    const body = ctx.readCommands();
    r.leave();
    if (r.char() !== ")") throw r.unterminated(")", opened, r.text[opened + 2] !== "(");
    const source = r.text.slice(opened + 2, r.pos);
    r.pos++;
    return out.push({ kind: "command", body, source, line });
  }
  if (next === "{") return out.push(ctx.readBraceParam(ctx, mode.quoted));
  if (next === "[") {
    const opened = r.pos;
    r.pos += 2;
    const expr = readWordIn(ctx, {
      quoted: true,
      single: false,
      double: true,
      stop: "]",
      meta: false,
      nest: "[]",
      arith: true,
    });
    if (r.char() !== "]") throw r.unterminated("]", opened);
    r.pos++;
    return out.push({ kind: "arith", expr });
  }
  if (next === "'" && !mode.quoted && mode.single) {
    const opened = r.pos;
    let i = r.pos + 2;
    while (i < r.text.length && r.text[i] !== "'") i += r.text[i] === "\\" ? 2 : 1;
    if (i >= r.text.length) throw r.unterminated("'", opened);
    let value = joinBytes(unescape(r.text.slice(opened + 2, i), ANSI_C).value);
    const nul = value.indexOf("\0");
    if (nul !== -1) value = value.slice(0, nul);
    r.pos = i + 1;
    return out.quoted(value);
  }
  if (next === '"' && !mode.quoted && mode.double) {
    r.pos++;
    return out.push(readDoubleQuoted(ctx));
  }
  const line = r.line();
  r.pos++;
  const name = r.name();
  if (name !== "") {
    r.pos += name.length;
    return out.push({ kind: "param", name, source: "$" + name, line });
  }
  if (next !== "" && (SPECIAL.includes(next) || (next >= "0" && next <= "9"))) {
    r.pos++;
    return out.push({ kind: "param", name: next, source: "$" + next, line });
  }
  out.lit("$");
}

/** Reads `$((…))`; goes back and answers undefined where it is no arithmetic but a subshell in a substitution. */
function tryArith(ctx: WordContext): Word | undefined {
  const r = ctx.reader;
  const start = r.pos;
  r.pos += 3;
  try {
    const expr = readArith(ctx);
    if (r.startsWith("))")) {
      r.pos += 2;
      return expr;
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // No arithmetic: read again as commands, whose errors are the ones to show.
  }
  r.pos = start;
  return undefined;
}

/** The text of an arithmetic expression up to a `)` that it did not open. */
export function readArith(ctx: WordContext, stop = ")"): Word {
  return readWordIn(ctx, {
    quoted: true,
    single: false,
    double: true,
    stop,
    meta: false,
    nest: "()",
    arith: true,
  });
}

function readBackquote(ctx: WordContext, quoted: boolean): Part {
  const r = ctx.reader;
  const opened = r.pos;
  const line = r.line();
  let source = "";
  let i = r.pos + 1;
  for (;;) {
    const c = r.text.charAt(i);
    if (c === "") throw r.unterminated("`", opened);
    if (c === "`") break;
    if (c === "\\") {
      const next = r.text.charAt(i + 1);
      if (next === "$" || next === "`" || next === "\\" || (quoted && next === '"')) source += next;
      else source += c + next;
      i += 2;
      continue;
    }
    source += c;
    i++;
  }
  r.pos = i + 1;
  return { kind: "command", body: undefined, source, line };
}
