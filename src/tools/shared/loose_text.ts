/**
 * Looser readings of a text, each with the way back to the places in the
 * text itself: line ends alike, characters alike, white space alike.
 */

/** A text with CRLF read as LF. A carriage return alone is data. */
export class LineEnds {
  readonly text: string;
  /** Where, in the folded text, a line feed lost its carriage return; ascending. */
  readonly #lost: number[] = [];

  constructor(text: string) {
    let removed = 0;
    for (let at = text.indexOf("\r\n"); at >= 0; at = text.indexOf("\r\n", at + 2)) {
      this.#lost.push(at - removed++);
    }
    this.text = removed === 0 ? text : LineEnds.fold(text);
  }

  static fold(text: string): string {
    return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
  }

  /** The place in the text for a place in the folded one. */
  original(at: number): number {
    let low = 0;
    let high = this.#lost.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#lost[middle] < at) low = middle + 1;
      else high = middle;
    }
    return at + low;
  }

  /** The line end that lines around `at` have: that of its own line, else of the one before, else LF. */
  static near(text: string, at: number): "\n" | "\r\n" {
    let feed = text.indexOf("\n", at);
    if (feed < 0) feed = text.lastIndexOf("\n");
    return feed > 0 && text[feed - 1] === "\r" ? "\r\n" : "\n";
  }

  /** `added` with the line ends that `text` has around `at`. */
  static like(text: string, at: number, added: string): string {
    return LineEnds.liker(text)(at, added);
  }

  /** {@link LineEnds.like} for many places of one text, cheapest in ascending order. */
  static liker(text: string): (at: number, added: string) => string {
    const many = text.includes("\n");
    let from = 0;
    let to = -1;
    let end: "\n" | "\r\n" = "\n";
    return (at, added) => {
      if (!many || !added.includes("\n")) return added;
      // Up to the line feed that was found last, the answer stays: a long line is gone through once.
      if (at < from || at > to) {
        from = at;
        const feed = text.indexOf("\n", at);
        to = feed < 0 ? text.length : feed;
        end = LineEnds.near(text, at);
      }
      const plain = LineEnds.fold(added);
      return end === "\r\n" ? plain.replaceAll("\n", "\r\n") : plain;
    };
  }
}

const QUOTES = /[\u2018\u2019\u201a\u201b\u2032\u02bc\u0060\u00b4]/g;
const DOUBLE_QUOTES = /[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb]/g;
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g;
const SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;

/** Quotes, dashes and spaces that look alike made equal; every unit keeps its place. */
export function folded(text: string): string {
  return text.replace(QUOTES, "'").replace(DOUBLE_QUOTES, '"').replace(DASHES, "-").replace(SPACES, " ");
}

/** A text with each line stripped, runs of white space within lines as one space, and look-alikes folded. */
interface Squeezed {
  readonly text: string;
  /** The place in the source for a place here; `lineStart`: before the white space that a line begins with. */
  original(at: number, lineStart: boolean): number;
}

/** Places can be asked for in any order, and are cheapest in an ascending one. */
export function squeezed(source: string): Squeezed {
  const starts = lineStarts(source);
  const lines: string[] = [];
  const offsets = new Array<number>(starts.length);
  let length = 0;
  for (let i = 0; i < starts.length; i++) {
    const line = source.slice(starts[i], i + 1 < starts.length ? starts[i + 1] - 1 : source.length);
    offsets[i] = length;
    const flat = squeeze(line);
    lines.push(flat);
    length += flat.length + 1;
  }
  // Where the last question's answer was: later places of a long line go on from there.
  let known = { line: -1, column: 0, at: 0 };
  return {
    text: lines.join("\n"),
    original(at, lineStart) {
      const line = lineOf(offsets, at) - 1;
      if (line >= starts.length) return source.length;
      if (lineStart) return starts[line];
      const column = at - offsets[line];
      const near = known.line === line && known.column <= column
        ? unsqueeze(source, known.at, column - known.column)
        : unsqueeze(source, skipSpaces(source, starts[line]), column);
      known = { line, column, at: near };
      return near;
    },
  };
}

function squeeze(line: string): string {
  return folded(line).replace(/[ \t\r\f\v]+/g, " ").replace(/^ | $/g, "");
}

/** The place of the unit that stands `count` squeezed units after the one at `start`. */
function unsqueeze(source: string, start: number, count: number): number {
  let at = start;
  for (let seen = 0; seen < count; seen++) at = isSpace(source, at) ? skipSpaces(source, at) : at + 1;
  return at;
}

function skipSpaces(source: string, at: number): number {
  while (isSpace(source, at)) at++;
  return at;
}

function isSpace(source: string, at: number): boolean {
  return /[ \t\r\f\v\u00a0\u2000-\u200a\u202f\u205f\u3000]/.test(source[at] ?? "x");
}

/** Where each line of `text` begins. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The number, from 1, of the line that holds `at`. */
export function lineOf(starts: readonly number[], at: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
