/** The backslash escapes of `$'…'`, `echo -e`, `printf` and `%b`: one table, four dialects. */
import { decodeBytes, encodeBytes } from "../../lib/text/bytes.ts";

export interface EscapeDialect {
  /** `\'`, `\"`, `\?` and `\cX` are known ($'…'). */
  readonly ansi: boolean;
  /** Octal needs a leading 0: `\0NNN` (echo, %b). */
  readonly zeroOctal: boolean;
  /** `\NNN` is octal ($'…', printf's format, %b). */
  readonly plainOctal: boolean;
  /** `\c` ends all output (echo, %b). */
  readonly stop: boolean;
}

export const ANSI_C: EscapeDialect = { ansi: true, zeroOctal: false, plainOctal: true, stop: false };
export const ECHO: EscapeDialect = { ansi: false, zeroOctal: true, plainOctal: false, stop: true };
export const PRINTF_FORMAT: EscapeDialect = { ansi: false, zeroOctal: false, plainOctal: true, stop: false };
export const PRINTF_B: EscapeDialect = { ansi: false, zeroOctal: true, plainOctal: true, stop: true };

const SIMPLE: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};

/** A byte as text: ASCII as itself, others as the escape of `lib/text/bytes.ts` (joined to characters by {@link joinBytes}). */
function byte(value: number): string {
  value &= 0xff;
  return value < 0x80 ? String.fromCharCode(value) : String.fromCharCode(0xdc00 | value);
}

/** Reads one escape at `text[at]` (just after the backslash). `stop`: `\c` was met. */
export function readEscape(
  text: string,
  at: number,
  dialect: EscapeDialect,
): { value: string; next: number; stop?: boolean } {
  const c = text.charAt(at);
  if (c === "") return { value: "\\", next: at };
  const simple = SIMPLE[c];
  if (simple !== undefined) return { value: simple, next: at + 1 };
  if (c === '"' && !dialect.stop) return { value: '"', next: at + 1 };
  if (dialect.ansi && (c === "'" || c === "?")) return { value: c, next: at + 1 };
  if (c === "c") {
    if (dialect.stop) return { value: "", next: at + 1, stop: true };
    if (dialect.ansi && at + 1 < text.length) {
      const skip = text.charAt(at + 1) === "\\" && text.charAt(at + 2) === "\\" ? 1 : 0;
      return {
        value: text.charAt(at + 1) === "?"
          ? "\x7f"
          : String.fromCharCode(text.toUpperCase().charCodeAt(at + 1) & 0x1f),
        next: at + 2 + skip,
      };
    }
  }
  if (c === "x") {
    const braces = dialect.ansi && text.charAt(at + 1) === "{";
    const m = (braces ? /^[0-9A-Fa-f]+/ : /^[0-9A-Fa-f]{1,2}/).exec(
      text.slice(at + (braces ? 2 : 1), at + 40),
    );
    if (m === null) return { value: "\\x", next: at + 1 };
    const next = at + (braces ? 2 : 1) + m[0].length;
    return {
      value: byte(parseInt(m[0].slice(-2), 16)),
      next: braces && text.charAt(next) === "}" ? next + 1 : next,
    };
  }
  if (c === "u" || c === "U") {
    const m = (c === "u" ? /^[0-9A-Fa-f]{1,4}/ : /^[0-9A-Fa-f]{1,8}/).exec(text.slice(at + 1, at + 9));
    if (m === null) return { value: "\\" + c, next: at + 1 };
    return { value: codePoint(parseInt(m[0], 16)), next: at + 1 + m[0].length };
  }
  if (c >= "0" && c <= "7") {
    if (dialect.plainOctal || (dialect.zeroOctal && c === "0")) {
      const max = dialect.zeroOctal && c === "0" ? 4 : 3;
      const m = /^[0-7]+/.exec(text.slice(at, at + max))!;
      return { value: byte(parseInt(m[0], 8)), next: at + m[0].length };
    }
  }
  return { value: "\\" + c, next: at + 1 };
}

function codePoint(value: number): string {
  if (value <= 0x10ffff && (value < 0xd800 || value > 0xdfff)) return String.fromCodePoint(value);
  // Beyond Unicode: the bytes that bash's encoder writes.
  if (value < 0x10000) {
    return byte(0xe0 | value >> 12) + byte(0x80 | value >> 6 & 0x3f) + byte(0x80 | value & 0x3f);
  }
  return "\ufffd";
}

const HIGH = /[\udc80-\udcff]/;

/** Joins bytes written one by one (`\xc3\xa9`) to the characters they form. */
export function joinBytes(text: string): string {
  return HIGH.test(text) && !text.isWellFormed() ? decodeBytes(encodeBytes(text)) : text;
}

/** Decodes all escapes of a text. */
export function unescape(text: string, dialect: EscapeDialect): { value: string; stop: boolean } {
  let i = text.indexOf("\\");
  if (i === -1) return { value: text, stop: false };
  let out = text.slice(0, i);
  while (i < text.length) {
    const c = text.charAt(i);
    if (c !== "\\") {
      const next = text.indexOf("\\", i);
      const end = next === -1 ? text.length : next;
      out += text.slice(i, end);
      i = end;
      continue;
    }
    const e = readEscape(text, i + 1, dialect);
    out += e.value;
    i = e.next;
    if (e.stop) return { value: out, stop: true };
  }
  return { value: out, stop: false };
}
