/**
 * Unified diffs of two texts. What both have in common at their ends is set
 * aside first, so that a small change in a large text costs little; a middle
 * that differs too much is shown as replaced whole.
 */
import { diffArrays } from "diff";

/** `added` and `removed` count lines. */
interface UnifiedDiff {
  /** With `---`, `+++` and `@@` lines; empty where the texts are equal. */
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

/** `context` is 3 by default. */
interface DiffOptions {
  /** Unchanged lines around a change. */
  readonly context?: number;
  /** Without the two lines that name the file. */
  readonly bare?: boolean;
}

interface Row {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Past this many changed lines, the exact shortest diff is not worth its time. */
const MAX_EDITS = 2000;

/** Lines end with LF; a carriage return is part of its line. A missing last feed is told as diff(1) does. */
export function unifiedDiff(
  path: string,
  before: string,
  after: string,
  options: DiffOptions = {},
): UnifiedDiff {
  if (before === after) return { diff: "", added: 0, removed: 0 };
  const context = options.context ?? 3;
  const start = lineStart(before, commonPrefix(before, after));
  const tail = commonSuffix(before, after, start);
  const lead = lastLines(before.slice(0, start), context);
  const rest = firstLines(before.slice(before.length - tail), context);
  const rows: Row[] = [
    ...lead.map((text): Row => ({ sign: " ", text })),
    ...changes(
      linesOf(before.slice(start, before.length - tail)),
      linesOf(after.slice(start, after.length - tail)),
    ),
    ...rest.map((text): Row => ({ sign: " ", text })),
  ];
  const first = countFeeds(before, start) - lead.length + 1;
  const out = hunks(rows, first, context);
  const names = options.bare ? "" : `--- ${path}\n+++ ${path}\n`;
  return {
    diff: names + out,
    added: rows.filter((row) => row.sign === "+").length,
    removed: rows.filter((row) => row.sign === "-").length,
  };
}

function changes(before: string[], after: string[]): Row[] {
  const parts = diffArrays(before, after, { maxEditLength: MAX_EDITS });
  if (parts === undefined) {
    return [
      ...before.map((text): Row => ({ sign: "-", text })),
      ...after.map((text): Row => ({ sign: "+", text })),
    ];
  }
  return parts.flatMap((part) => {
    const sign = part.added ? "+" : part.removed ? "-" : " ";
    return part.value.map((text): Row => ({ sign, text }));
  });
}

function hunks(rows: readonly Row[], first: number, context: number): string {
  let out = "";
  let oldLine = first;
  let newLine = first;
  let at = 0;
  while (at < rows.length) {
    let change = at;
    while (change < rows.length && rows[change].sign === " ") change++;
    if (change === rows.length) break;
    const start = Math.max(at, change - context);
    oldLine += start - at;
    newLine += start - at;
    let end = change;
    for (let i = change; i < rows.length && i - end <= 2 * context; i++) {
      if (rows[i].sign !== " ") end = i + 1;
    }
    end = Math.min(rows.length, end + context);
    const part = rows.slice(start, end);
    const olds = part.filter((row) => row.sign !== "+").length;
    const news = part.filter((row) => row.sign !== "-").length;
    out += `@@ -${range(oldLine, olds)} +${range(newLine, news)} @@\n`;
    for (const row of part) {
      out += row.text.endsWith("\n")
        ? row.sign + row.text
        : `${row.sign}${row.text}\n\\ No newline at end of file\n`;
    }
    oldLine += olds;
    newLine += news;
    at = end;
  }
  return out;
}

function range(line: number, count: number): string {
  if (count === 1) return String(line);
  return `${count === 0 ? line - 1 : line},${count}`;
}

/** Lines with their line feeds. */
function linesOf(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

function lastLines(text: string, count: number): string[] {
  let at = text.length;
  for (let i = 0; i < count && at > 0; i++) at = text.lastIndexOf("\n", at - 2) + 1;
  return linesOf(text.slice(at));
}

function firstLines(text: string, count: number): string[] {
  let at = 0;
  for (let i = 0; i < count && at < text.length; i++) {
    const feed = text.indexOf("\n", at);
    at = feed < 0 ? text.length : feed + 1;
  }
  return linesOf(text.slice(0, at));
}

function countFeeds(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

const STEP = 1 << 14;

function commonPrefix(a: string, b: string): number {
  const max = Math.min(a.length, b.length);
  let at = 0;
  while (at + STEP <= max && a.slice(at, at + STEP) === b.slice(at, at + STEP)) at += STEP;
  while (at < max && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

/** Units that both end with, from a line start on, without reaching before `floor`. */
function commonSuffix(a: string, b: string, floor: number): number {
  const max = Math.min(a.length, b.length) - floor;
  let size = 0;
  while (
    size + STEP <= max &&
    a.slice(a.length - size - STEP, a.length - size) === b.slice(b.length - size - STEP, b.length - size)
  ) size += STEP;
  while (size < max && a.charCodeAt(a.length - size - 1) === b.charCodeAt(b.length - size - 1)) size++;
  const startsLine = (text: string) => text.length - size === floor || text[text.length - size - 1] === "\n";
  while (size > 0 && !(startsLine(a) && startsLine(b))) {
    const feed = a.indexOf("\n", a.length - size);
    size = feed < 0 ? 0 : a.length - feed - 1;
  }
  return size;
}
