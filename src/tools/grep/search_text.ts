/**
 * The hits of a regular expression in a text, line by line, as ranges of
 * lines that can be shown: each hit with its context, near ones joined.
 */
import type { Regex } from "../../lib/regex.ts";

/** Places are indexes into the text that was searched. */
export interface Hit {
  /** Number of the first line, from 1. */
  readonly line: number;
  /** Where the first line begins and the last one ends (before its line feed). */
  readonly start: number;
  readonly end: number;
  /** The place of the match itself. */
  readonly from: number;
  readonly to: number;
}

/** Hits in order; a line (or, with a regex that spans lines, a run of them) is one hit however often it matches. */
export function* hitsOf(text: string, regex: Regex): Generator<Hit> {
  let at = 0;
  let line = 1;
  let counted = 0;
  while (at <= text.length) {
    const match = regex.exec(text, at);
    if (match === undefined) return;
    const from = match.index;
    // Behind the last line feed there is no line.
    if (from === text.length && (from === 0 || text[from - 1] === "\n")) return;
    const to = from + match[0]!.length;
    const start = from === 0 ? 0 : text.lastIndexOf("\n", from - 1) + 1;
    let end = text.indexOf("\n", to > from ? to - 1 : to);
    if (end < 0) end = text.length;
    for (
      let feed = text.indexOf("\n", counted);
      feed >= 0 && feed < start;
      feed = text.indexOf("\n", feed + 1)
    ) line++;
    counted = start;
    yield { line, start, end, from, to };
    at = end + 1;
  }
}

/** How many lines a hit touches. */
export function linesOf(text: string, hit: Hit): number {
  let lines = 1;
  for (let at = text.indexOf("\n", hit.start); at >= 0 && at < hit.end; at = text.indexOf("\n", at + 1)) {
    lines++;
  }
  return lines;
}

/** Tells for each hit how many lines it touches, and no more than that. */
export function countLines(text: string, regex: Regex, touched: (lines: number) => void): void {
  for (let at = 0; at <= text.length;) {
    const match = regex.exec(text, at);
    if (match === undefined) return;
    const from = match.index;
    if (from === text.length && (from === 0 || text[from - 1] === "\n")) return;
    const to = from + match[0]!.length;
    let end = text.indexOf("\n", to > from ? to - 1 : to);
    if (end < 0) end = text.length;
    let lines = 1;
    for (let feed = text.indexOf("\n", from); feed >= 0 && feed < end; feed = text.indexOf("\n", feed + 1)) {
      lines++;
    }
    touched(lines);
    at = end + 1;
  }
}

/** A line without its line feed, the hit's own or one around it. */
interface ShownLine {
  readonly number: number;
  readonly text: string;
  /** Where in the line it matches, if it does. */
  readonly hit: number | undefined;
}

/** The lines of a hit with up to `context` around; none before `after` (what was shown already), none from `before` on (what is next). */
export function* around(
  text: string,
  hit: Hit,
  context: number,
  after: number,
  before: number,
): Generator<ShownLine & { readonly end: number }> {
  let start = hit.start;
  let number = hit.line;
  for (let i = 0; i < context && start > after; i++) {
    start = text.lastIndexOf("\n", start - 2) + 1;
    number--;
  }
  let left = context;
  for (let at = start; at < text.length && at < before; number++) {
    let end = text.indexOf("\n", at);
    if (end < 0) end = text.length;
    if (at > hit.end && left-- <= 0) return;
    const inside = at >= hit.start && at <= hit.end;
    yield {
      number,
      text: text.slice(at, end),
      hit: inside ? Math.max(0, hit.from - at) : undefined,
      end: end + 1,
    };
    at = end + 1;
  }
}
