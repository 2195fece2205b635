/**
 * Escapes that stand for one character or one property, in the spelling of the
 * perl family and in that of sed and awk. The cursor stands behind the letter
 * (or sign) that follows the backslash.
 */
import type { Cursor } from "./cursor.ts";
import { RegexError } from "./error.ts";

/** The code of `\c` in the perl family, inside and outside of brackets; a sign stands for itself, a letter without a meaning is an error. */
export function perlCode(cursor: Cursor, c: string): number {
  const simple = { n: 10, t: 9, r: 13, f: 12, v: 11, a: 7, e: 27 }[c];
  if (simple !== undefined) return simple;
  const rest = cursor.source.slice(cursor.at, cursor.at + 12);
  if (c === "0") return parseInt("0" + cursor.match(/^[0-7]{0,2}/, 2)![0], 8);
  if (c === "c" && /^[A-Za-z]/.test(rest)) {
    cursor.at++;
    return rest.charCodeAt(0) & 31;
  }
  if (c === "x" || c === "u") {
    const braced = /^\{([0-9a-fA-F]{1,8})\}/.exec(rest);
    if (braced) {
      cursor.at += braced[0].length;
      const code = parseInt(braced[1], 16);
      if (code > 0x10ffff) throw new RegexError("invalid", "character code too large");
      return code;
    }
    const width = c === "x" ? 2 : 4;
    const hex = rest.slice(0, width);
    if (hex.length === width && /^[0-9a-fA-F]+$/.test(hex)) {
      cursor.at += width;
      const code = parseInt(hex, 16);
      const low = code >= 0xd800 && code <= 0xdbff && cursor.match(/^\\u([dD][c-fC-F][0-9a-fA-F]{2})/, 6);
      return low ? 0x10000 + ((code - 0xd800) << 10) + (parseInt(low[1], 16) - 0xdc00) : code;
    }
  }
  if (/[A-Za-z]/.test(c)) {
    if (c === "x") return 0;
    throw new RegexError("invalid", `unrecognized escape \\${c}`);
  }
  const code = cursor.source.codePointAt(cursor.at - 1)!;
  if (code > 0xffff) cursor.at++;
  return code;
}

/** The code of `\c` in sed and awk, which know more than POSIX; undefined: it means nothing there, and nothing was read. */
export function numericCode(cursor: Cursor, c: string): number | undefined {
  const simple = { n: 10, t: 9, r: 13, f: 12, v: 11, a: 7 }[c];
  if (simple !== undefined) return simple;
  const read = (pattern: RegExp, base: number): number | undefined => {
    const match = cursor.match(pattern, 3);
    return match && escapedByte(parseInt(match[0], base) & 0xff);
  };
  if (c === "x") return read(/^[0-9a-fA-F]{1,2}/, 16);
  if (c === "o") return read(/^[0-7]{1,3}/, 8);
  if (c === "d") return read(/^[0-9]{1,3}/, 10);
  if (c === "c" && cursor.at < cursor.source.length) {
    return cursor.source[cursor.at++].toUpperCase().charCodeAt(0) ^ 0x40;
  }
  return undefined;
}

/** The property behind `\p` or `\P`, as V8 writes it outside of its sign: whether `^` negates it, and its name. */
export function propertyName(cursor: Cursor): { negated: boolean; name: string } {
  const match = cursor.match(/^(?:\{(\^?)([^}]+)\}|([A-Za-z]))/, 80);
  if (!match) throw new RegexError("invalid", "malformed \\p sequence");
  return { negated: match[1] === "^", name: match[2] ?? match[3] };
}

/** The property escape in a spelling that V8 accepts; an error where it knows none. `letter`: p or P. */
export function property(letter: string, name: string): string {
  const escape = `\\${letter}{${name}}`;
  for (const candidate of [escape, `\\${letter}{Script=${name}}`]) {
    try {
      new RegExp(candidate, "u");
      return candidate;
    } catch { /* Not this spelling. */ }
  }
  throw new RegexError("invalid", `unknown property name ${name}`);
}

/** A byte as the text holds it: ASCII is itself, others are escaped bytes. */
function escapedByte(byte: number): number {
  return byte < 0x80 ? byte : 0xdc00 | byte;
}
