/**
 * Shell patterns against a text (fnmatch): `*`, `?`, brackets with classes and
 * backslashes. Takes time in proportion to pattern times text.
 */
import { POSIX_CLASSES } from "../../../lib/regex/ast.ts";

export interface GlobOptions {
  readonly ignoreCase?: boolean;
  /** `*`, `?` and brackets do not match a slash. */
  readonly pathname?: boolean;
}

type Part = { kind: "star" } | { kind: "any" } | { kind: "char"; char: string } | {
  kind: "set";
  fits: (char: string) => boolean;
};

/** A test for texts that match the pattern as a whole. */
export function compileGlob(pattern: string, options: GlobOptions = {}): (text: string) => boolean {
  const fold = options.ignoreCase ? (text: string) => text.toLowerCase() : (text: string) => text;
  // Names, endings and beginnings are what most patterns are.
  const plain = /^(\*?)([^*?[\\]*)(\*?)$/.exec(pattern);
  if (plain && !options.ignoreCase && !options.pathname) {
    const [, before, literal, after] = plain;
    if (before && after) return (text) => text.includes(literal);
    if (before) return (text) => text.endsWith(literal);
    if (after) return (text) => text.startsWith(literal);
    return (text) => text === literal;
  }
  const parts = read(fold(pattern));
  const pathname = options.pathname ?? false;
  return (text) => matches(parts, [...fold(text)], pathname);
}

function matches(parts: readonly Part[], text: readonly string[], pathname: boolean): boolean {
  let p = 0, t = 0, starPart = -1, starText = 0;
  while (t < text.length) {
    const part = parts[p];
    if (part?.kind === "star") {
      starPart = p++;
      starText = t;
    } else if (part && fits(part, text[t], pathname)) {
      p++;
      t++;
    } else if (starPart >= 0 && !(pathname && text[starText] === "/")) {
      p = starPart + 1;
      t = ++starText;
    } else return false;
  }
  while (parts[p]?.kind === "star") p++;
  return p === parts.length;
}

function fits(part: Part, char: string, pathname: boolean): boolean {
  if (part.kind === "char") return part.char === char;
  if (pathname && char === "/") return false;
  return part.kind === "set" ? part.fits(char) : true;
}

function read(pattern: string): Part[] {
  const chars = [...pattern];
  const parts: Part[] = [];
  for (let i = 0; i < chars.length; i++) {
    const c = chars[i];
    if (c === "*") {
      if (parts[parts.length - 1]?.kind !== "star") parts.push({ kind: "star" });
    } else if (c === "?") parts.push({ kind: "any" });
    else if (c === "\\" && i + 1 < chars.length) parts.push({ kind: "char", char: chars[++i] });
    else if (c === "[") {
      const set = readSet(chars, i);
      if (set) {
        parts.push({ kind: "set", fits: set.fits });
        i = set.end;
      } else parts.push({ kind: "char", char: c });
    } else parts.push({ kind: "char", char: c });
  }
  return parts;
}

function readSet(
  chars: readonly string[],
  start: number,
): { fits: (char: string) => boolean; end: number } | undefined {
  let i = start + 1;
  const negated = chars[i] === "!" || chars[i] === "^";
  if (negated) i++;
  const ranges: [number, number][] = [];
  for (let first = true;; first = false) {
    if (i >= chars.length) return undefined;
    if (chars[i] === "]" && !first) break;
    if (chars[i] === "[" && chars[i + 1] === ":") {
      const end = chars.findIndex((c, at) => at > i + 1 && c === ":" && chars[at + 1] === "]");
      const name = end < 0 ? "" : chars.slice(i + 2, end).join("");
      if (Object.hasOwn(POSIX_CLASSES, name)) {
        ranges.push(...POSIX_CLASSES[name]);
        i = end + 2;
        continue;
      }
    }
    if (chars[i] === "\\" && i + 1 < chars.length) i++;
    const low = chars[i].codePointAt(0)!;
    if (chars[i + 1] === "-" && chars[i + 2] !== undefined && chars[i + 2] !== "]") {
      i += 2;
      if (chars[i] === "\\" && i + 1 < chars.length) i++;
      ranges.push([low, chars[i].codePointAt(0)!]);
    } else ranges.push([low, low]);
    i++;
  }
  return {
    end: i,
    fits: (char) => {
      const code = char.codePointAt(0)!;
      return ranges.some(([low, high]) => code >= low && code <= high) !== negated;
    },
  };
}
