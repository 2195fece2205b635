/** Splits an awk program into tokens. Whether a slash divides or opens an expression depends on the token before it. */
import { Failure } from "../shared/options.ts";

export type Kind =
  | "number"
  | "string"
  | "regex"
  | "name"
  | "call"
  | "builtin"
  | "keyword"
  | "op"
  | "newline"
  | "end";

export interface Token {
  readonly kind: Kind;
  readonly text: string;
  readonly line: number;
}

const KEYWORDS = new Set([
  "BEGIN",
  "END",
  "function",
  "func",
  "if",
  "else",
  "while",
  "for",
  "do",
  "break",
  "continue",
  "next",
  "nextfile",
  "exit",
  "return",
  "delete",
  "in",
  "getline",
  "print",
  "printf",
  "switch",
  "case",
  "default",
]);

/** Functions of the language, with GNU's in daily use. */
export const BUILTINS = new Set([
  "length",
  "substr",
  "index",
  "split",
  "sub",
  "gsub",
  "gensub",
  "match",
  "sprintf",
  "sin",
  "cos",
  "atan2",
  "exp",
  "log",
  "sqrt",
  "int",
  "rand",
  "srand",
  "tolower",
  "toupper",
  "system",
  "close",
  "fflush",
  "strftime",
  "systime",
  "mktime",
  "and",
  "or",
  "xor",
  "lshift",
  "rshift",
  "compl",
  "strtonum",
  "asort",
  "asorti",
  "typeof",
  "isarray",
]);

const OPERATORS = [
  "**=",
  "^=",
  "**",
  "&&",
  "||",
  "++",
  "--",
  "+=",
  "-=",
  "*=",
  "/=",
  "%=",
  "==",
  "<=",
  ">=",
  "!=",
  "!~",
  ">>",
  "|&",
  "{",
  "}",
  "(",
  ")",
  "[",
  "]",
  ";",
  ",",
  "+",
  "-",
  "*",
  "/",
  "%",
  "^",
  "!",
  "<",
  ">",
  "|",
  "?",
  ":",
  "~",
  "$",
  "=",
];

export function tokenize(source: string): Token[] {
  const out: Token[] = [];
  let at = 0;
  let line = 1;
  const push = (kind: Kind, text: string) => out.push({ kind, text, line });
  while (at < source.length) {
    const c = source[at];
    if (c === " " || c === "\t" || c === "\r") {
      at++;
      continue;
    }
    if (c === "\\" && /^\\\r?\n/.test(source.slice(at, at + 3))) {
      at += source[at + 1] === "\r" ? 3 : 2;
      line++;
      continue;
    }
    if (c === "#") {
      while (at < source.length && source[at] !== "\n") at++;
      continue;
    }
    if (c === "\n") {
      push("newline", "\n");
      line++;
      at++;
      continue;
    }
    if (c === '"') {
      const [text, end] = readString(source, at + 1, line);
      push("string", text);
      at = end;
      continue;
    }
    const number = /(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)/y;
    number.lastIndex = at;
    const digits = number.exec(source);
    if (digits) {
      push("number", digits[0]);
      at += digits[0].length;
      continue;
    }
    const word = /[A-Za-z_][A-Za-z0-9_]*/y;
    word.lastIndex = at;
    const name = word.exec(source)?.[0];
    if (name) {
      at += name.length;
      push(
        KEYWORDS.has(name)
          ? "keyword"
          : BUILTINS.has(name)
          ? "builtin"
          : source[at] === "("
          ? "call"
          : "name",
        name,
      );
      continue;
    }
    if (c === "/" && regexAllowed(out[out.length - 1])) {
      const [text, end] = readRegex(source, at + 1, line);
      push("regex", text);
      at = end;
      continue;
    }
    const operator = OPERATORS.find((each) => source.startsWith(each, at));
    if (!operator) throw new Failure(`syntax error at source line ${line}: unexpected character '${c}'`, 2);
    push("op", operator);
    at += operator.length;
  }
  push("newline", "\n");
  push("end", "");
  return out;
}

function regexAllowed(before: Token | undefined): boolean {
  if (!before) return true;
  if (
    before.kind === "number" || before.kind === "string" || before.kind === "name" || before.kind === "regex"
  ) return false;
  if (before.kind === "builtin") return false;
  if (before.kind === "op") return ![")", "]", "$", "++", "--"].includes(before.text);
  return true;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  '"': '"',
  "/": "/",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
};

function readString(source: string, at: number, line: number): [text: string, end: number] {
  const start = at;
  while (at < source.length && source[at] !== '"') {
    if (source[at] === "\n") break;
    at += source[at] === "\\" ? 2 : 1;
  }
  if (source[at] !== '"') throw new Failure(`syntax error at source line ${line}: unterminated string`, 2);
  return [unescape(source.slice(start, at)), at + 1];
}

/** The escapes of strings, also in -v assignments and operands. */
export function unescape(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/\\(\r?\n|[0-7]{1,3}|x[0-9a-fA-F]{1,2}|[^])/g, (all, code: string) => {
    if (code.endsWith("\n")) return "";
    if (/^[0-7]/.test(code)) return byte(parseInt(code, 8));
    if (code.length > 1 && code[0] === "x") return byte(parseInt(code.slice(1), 16));
    return ESCAPES[code] ?? all;
  });
}

function byte(code: number): string {
  const value = code & 0xff;
  return String.fromCharCode(value < 0x80 ? value : 0xdc00 | value);
}

function readRegex(source: string, at: number, line: number): [text: string, end: number] {
  let text = "";
  let bracket = false;
  while (at < source.length) {
    const c = source[at];
    if (c === "\n") break;
    if (c === "\\") {
      text += source[at + 1] === "/" ? "/" : source.slice(at, at + 2);
      at += 2;
      continue;
    }
    if (bracket) {
      if (c === "]") bracket = false;
      else if (c === "[" && source[at + 1] === ":") {
        const close = source.indexOf(":]", at);
        if (close > 0) {
          text += source.slice(at, close + 2);
          at = close + 2;
          continue;
        }
      }
    } else if (c === "[" && closes(source, at)) {
      bracket = true;
      text += c;
      at++;
      if (source[at] === "^") text += source[at++];
      if (source[at] === "]") text += source[at++];
      continue;
    } else if (c === "/") return [text, at + 1];
    text += c;
    at++;
  }
  throw new Failure(`syntax error at source line ${line}: unterminated regular expression`, 2);
}

/** Whether a bracket is closed on its line; one that is not is left to the expression's own error. */
function closes(source: string, at: number): boolean {
  let end = at + 1;
  if (source[end] === "^") end++;
  if (source[end] === "]") end++;
  for (; end < source.length && source[end] !== "\n"; end++) {
    if (source[end] === "\\") end++;
    else if (source[end] === "]") return true;
  }
  return false;
}
