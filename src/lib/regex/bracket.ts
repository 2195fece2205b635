/**
 * Bracket expressions (`[a-z]`) as the perl family and POSIX write them.
 */
import { complement, DIGIT, POSIX_CLASSES, SPACE, WORD } from "./ast.ts";
import type { Cursor } from "./cursor.ts";
import { RegexError } from "./error.ts";
import { numericCode, perlCode, property, propertyName } from "./escapes.ts";

/** What is written differently. */
interface Dialect {
  /** The perl family; else POSIX. */
  readonly perl: boolean;
  /** POSIX: the escapes of sed and awk are understood. */
  readonly escapes: boolean;
}

interface Members {
  readonly ranges: [number, number][];
  readonly properties: string[];
}

/** What stands between the brackets: as a `CharSet`, but the ranges neither sorted nor merged. */
interface Bracket extends Members {
  readonly negated: boolean;
}

/** Reads from the opening bracket to behind the closing one. Case is not folded yet. */
export function readBracket(cursor: Cursor, dialect: Dialect): Bracket {
  const start = cursor.at++;
  const negated = cursor.take("^");
  const members: Members = { ranges: [], properties: [] };
  const { ranges } = members;
  const unmatched = () =>
    new RegexError(
      "invalid",
      dialect.perl ? `missing terminating ] for the class at ${start}` : "Unmatched [, [^, [:, [., or [=",
    );
  if (dialect.perl && cursor.looking("]")) {
    // JavaScript's empty class `[]`, but PCRE's `[]abc]`: the latter where a later bracket closes it.
    if (cursor.source.indexOf("]", cursor.at + 1) < 0) {
      cursor.at++;
      return { ...members, negated };
    }
  }
  for (let first = true;; first = false) {
    if (cursor.at >= cursor.source.length) throw unmatched();
    if (cursor.looking("]") && !first) break;
    const low = item(cursor, dialect, members, unmatched);
    if (low === undefined) continue;
    if (
      cursor.looking("-") && !cursor.source.startsWith("-]", cursor.at) &&
      cursor.at + 1 < cursor.source.length
    ) {
      const back = cursor.at++;
      const before = ranges.length;
      const high = item(cursor, dialect, members, unmatched);
      if (high === undefined) {
        if (!dialect.perl) throw new RegexError("invalid", "Invalid range end");
        ranges.push([low, low], [45, 45]);
        continue;
      }
      if (high < low || before !== ranges.length) {
        cursor.at = back;
        throw new RegexError("invalid", "Invalid range end");
      }
      ranges.push([low, high]);
    } else ranges.push([low, low]);
  }
  cursor.at++;
  return { ...members, negated };
}

/** One character of a bracket, or a whole class, which is added at once. */
function item(
  cursor: Cursor,
  dialect: Dialect,
  members: Members,
  unmatched: () => RegexError,
): number | undefined {
  const { ranges } = members;
  const c = cursor.source[cursor.at];
  if (c === "[" && /[:.=]/.test(cursor.source[cursor.at + 1] ?? "")) {
    const kind = cursor.source[cursor.at + 1];
    const end = cursor.source.indexOf(kind + "]", cursor.at + 2);
    if (end < 0) {
      if (dialect.perl) {
        cursor.at++;
        return 91;
      }
      throw unmatched();
    }
    const name = cursor.source.slice(cursor.at + 2, end);
    if (kind === ":") {
      const known = Object.hasOwn(POSIX_CLASSES, name) ? POSIX_CLASSES[name] : undefined;
      if (!known) {
        if (dialect.perl && !/^\^?\w+$/.test(name)) {
          cursor.at++;
          return 91;
        }
        if (dialect.perl && name[0] === "^" && Object.hasOwn(POSIX_CLASSES, name.slice(1))) {
          ranges.push(...complement(POSIX_CLASSES[name.slice(1)]));
          cursor.at = end + 2;
          return undefined;
        }
        throw new RegexError("invalid", "Invalid character class name");
      }
      ranges.push(...known);
      cursor.at = end + 2;
      return undefined;
    }
    if ([...name].length !== 1) throw new RegexError("invalid", "Invalid collation character");
    cursor.at = end + 2;
    const code = name.codePointAt(0)!;
    if (kind === ".") return code;
    ranges.push([code, code]);
    return undefined;
  }
  if (c === "\\" && (dialect.perl || dialect.escapes)) {
    const next = cursor.source[cursor.at + 1];
    if (next === undefined) throw unmatched();
    cursor.at += 2;
    if (dialect.perl) return escaped(cursor, next, members);
    const code = numericCode(cursor, next);
    if (code !== undefined) return code;
    if (next === "]" || next === "\\" && dialect.escapes) return next.charCodeAt(0);
    cursor.at--;
    return 92;
  }
  return cursor.code();
}

/** What `\c` means in a bracket of the perl family. */
function escaped(cursor: Cursor, c: string, { ranges, properties }: Members): number | undefined {
  const add = (more: [number, number][]) => {
    ranges.push(...more);
    return undefined;
  };
  switch (c) {
    case "d":
      return add(DIGIT);
    case "D":
      return add(complement(DIGIT));
    case "w":
      return add(WORD);
    case "W":
      return add(complement(WORD));
    case "s":
      return add(SPACE);
    case "S":
      return add(complement(SPACE));
    case "h":
      return add([[9, 9], [32, 32]]);
    case "b":
      return 8;
    case "p":
    case "P": {
      const { negated, name } = propertyName(cursor);
      properties.push(property((c === "P") !== negated ? "P" : "p", name));
      return undefined;
    }
    case "E":
    case "Q":
      return undefined;
  }
  return perlCode(cursor, c);
}
