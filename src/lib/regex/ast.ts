/**
 * The tree of a regular expression, whatever syntax it was written in, and the
 * arithmetic of character sets. Sets hold code points as sorted, disjoint
 * ranges; names of Unicode properties stay symbolic, because only V8 knows
 * their members.
 */

/** A set of code points: the ranges and properties, or everything else when `negated`. */
export interface CharSet {
  readonly ranges: readonly (readonly [number, number])[];
  /** Property escapes as V8 writes them, such as `\p{L}`. */
  readonly properties: readonly string[];
  readonly negated: boolean;
}

/** "text_end_newline" is `\Z`: the end, or before a line feed there. "word_edge" is `\b`; "word_start" and "word_end" are GNU's `\<` and `\>`. */
export type AssertKind =
  | "line_start"
  | "line_end"
  | "text_start"
  | "text_end"
  | "text_end_newline"
  | "word_edge"
  | "no_word_edge"
  | "word_start"
  | "word_end";

/** A closed union. `repeat.max` may be Infinity; `backref.index` counts groups from 1. */
export type Node =
  | { readonly type: "empty" }
  | { readonly type: "char"; readonly code: number }
  | { readonly type: "set"; readonly set: CharSet }
  | { readonly type: "cat"; readonly items: readonly Node[] }
  | { readonly type: "alt"; readonly items: readonly Node[] }
  | { readonly type: "group"; readonly index: number; readonly body: Node }
  | {
    readonly type: "repeat";
    readonly body: Node;
    readonly min: number;
    readonly max: number;
    readonly lazy: boolean;
  }
  | { readonly type: "look"; readonly ahead: boolean; readonly negated: boolean; readonly body: Node }
  | { readonly type: "atomic"; readonly body: Node }
  | { readonly type: "backref"; readonly index: number; readonly ignoreCase: boolean }
  | { readonly type: "assert"; readonly kind: AssertKind; readonly multiline: boolean };

/** A whole pattern. Groups are numbered from 1 by their opening parentheses. */
export interface Tree {
  readonly root: Node;
  /** Number of capturing groups. */
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
}

/** The last code point of Unicode. */
const MAX_CODE = 0x10ffff;

/** Makes a set of ranges, sorted and merged. */
export function charSet(
  ranges: readonly (readonly [number, number])[],
  negated = false,
  properties: readonly string[] = [],
): CharSet {
  return { ranges: merge(ranges), properties, negated };
}

/** Sorted, disjoint and not touching; the given ranges stay as they are. */
function merge(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const sorted = ranges.map(([a, b]) => [a, b] as [number, number]).sort((x, y) => x[0] - y[0]);
  const out: [number, number][] = [];
  for (const range of sorted) {
    const last = out[out.length - 1];
    if (last && range[0] <= last[1] + 1) last[1] = Math.max(last[1], range[1]);
    else out.push(range);
  }
  return out;
}

/** The ranges that `ranges` leaves out. */
export function complement(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const out: [number, number][] = [];
  let next = 0;
  for (const [low, high] of merge(ranges)) {
    if (low > next) out.push([next, low - 1]);
    next = high + 1;
  }
  if (next <= MAX_CODE) out.push([next, MAX_CODE]);
  return out;
}

/** `\d`: ASCII only, as in JavaScript. */
export const DIGIT: [number, number][] = [[0x30, 0x39]];
/** `\w`: ASCII only, as in JavaScript. */
export const WORD: [number, number][] = [[0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
/** White space as JavaScript has it. */
export const SPACE: [number, number][] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

/** POSIX classes, in the C locale. */
export const POSIX_CLASSES: Readonly<Record<string, [number, number][]>> = {
  alpha: [[0x41, 0x5a], [0x61, 0x7a]],
  digit: DIGIT,
  alnum: [[0x30, 0x39], [0x41, 0x5a], [0x61, 0x7a]],
  upper: [[0x41, 0x5a]],
  lower: [[0x61, 0x7a]],
  space: [[0x09, 0x0d], [0x20, 0x20]],
  blank: [[0x09, 0x09], [0x20, 0x20]],
  punct: [[0x21, 0x2f], [0x3a, 0x40], [0x5b, 0x60], [0x7b, 0x7e]],
  print: [[0x20, 0x7e]],
  graph: [[0x21, 0x7e]],
  cntrl: [[0x00, 0x1f], [0x7f, 0x7f]],
  xdigit: [[0x30, 0x39], [0x41, 0x46], [0x61, 0x66]],
  word: WORD,
  ascii: [[0, 0x7f]],
};

/** The other cases of a code point, itself included. */
export function caseVariants(code: number): number[] {
  if (code < 128) {
    if (code >= 0x41 && code <= 0x5a) return [code, code + 32];
    if (code >= 0x61 && code <= 0x7a) return [code - 32, code];
    return [code];
  }
  const text = String.fromCodePoint(code);
  const out = new Set([code]);
  for (const other of [text.toLowerCase(), text.toUpperCase()]) {
    const point = other.codePointAt(0)!;
    if (String.fromCodePoint(point) === other) out.add(point);
  }
  return [...out];
}

/** Ranges with the other cases of every member added (of wide ranges beyond ASCII only the edges of scripts that have case). */
export function foldRanges(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const out: [number, number][] = [];
  for (const [low, high] of ranges) {
    out.push([low, high]);
    // Only these blocks hold letters with two cases.
    const end = Math.min(high, 0x24ff);
    for (let code = low; code <= end; code++) {
      if (code === 0x5b) code = 0x61;
      if (code === 0x7b) code = 0xb5;
      if (code > end) break;
      for (const variant of caseVariants(code)) out.push([variant, variant]);
    }
  }
  return merge(out);
}

/** Whether a code point is in a set; properties are asked of V8. */
export function inSet(set: CharSet, code: number): boolean {
  let found = false;
  for (const [low, high] of set.ranges) {
    if (code < low) break;
    if (code <= high) {
      found = true;
      break;
    }
  }
  if (!found && set.properties.length > 0) {
    found = propertyTest(set.properties.join("")).test(String.fromCodePoint(code));
  }
  return found !== set.negated;
}

const propertyTests = new Map<string, RegExp>();
function propertyTest(properties: string): RegExp {
  let test = propertyTests.get(properties);
  if (!test) propertyTests.set(properties, test = new RegExp(`[${properties}]`, "u"));
  return test;
}

/** Calls `visit` for every node, outer ones first. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  if (node.type === "cat" || node.type === "alt") { for (const item of node.items) walk(item, visit); }
  else if ("body" in node) walk(node.body, visit);
}
