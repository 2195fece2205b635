/** The forms in which diff shows changes. */
import type { Change } from "../shared/text_diff.ts";

export interface Sides {
  readonly linesA: readonly string[];
  readonly linesB: readonly string[];
  /** The last line lacks its newline. */
  readonly openA: boolean;
  readonly openB: boolean;
  /** The lines as they are compared. */
  readonly keysA: readonly string[];
  readonly keysB: readonly string[];
}

const NO_NEWLINE = "\n\\ No newline at end of file\n";

function lineText(mark: string, lines: readonly string[], i: number, open: boolean): string {
  return mark + lines[i] + (open && i === lines.length - 1 ? NO_NEWLINE : "\n");
}

function range(start: number, end: number): string {
  return end - start <= 1 ? String(end - start === 0 ? start : start + 1) : `${start + 1},${end}`;
}

export function normalText(changes: readonly Change[], sides: Sides): string {
  let out = "";
  for (const { aStart, aEnd, bStart, bEnd } of changes) {
    const letter = aStart === aEnd ? "a" : bStart === bEnd ? "d" : "c";
    out += `${range(aStart, aEnd)}${letter}${range(bStart, bEnd)}\n`;
    for (let i = aStart; i < aEnd; i++) out += lineText("< ", sides.linesA, i, sides.openA);
    if (letter === "c") out += "---\n";
    for (let j = bStart; j < bEnd; j++) out += lineText("> ", sides.linesB, j, sides.openB);
  }
  return out;
}

/** A script for ed: from the end on, so that the numbers before stay right. */
export function edText(changes: readonly Change[], sides: Sides): string {
  let out = "";
  for (const { aStart, aEnd, bStart, bEnd } of changes.toReversed()) {
    const letter = aStart === aEnd ? "a" : bStart === bEnd ? "d" : "c";
    out += `${range(aStart, aEnd)}${letter}\n`;
    if (letter === "d") continue;
    let inserts = true;
    for (let j = bStart; j < bEnd; j++) {
      if (!inserts) out += "a\n";
      inserts = sides.linesB[j] !== ".";
      // A dot alone would end the insertion.
      out += inserts ? `${sides.linesB[j]}\n` : "..\n.\ns/.//\n";
    }
    if (inserts) out += ".\n";
  }
  return out;
}

/** RCS's form: numbers of the old file, and how many lines. */
export function rcsText(changes: readonly Change[], sides: Sides): string {
  let out = "";
  for (const { aStart, aEnd, bStart, bEnd } of changes) {
    if (aEnd > aStart) out += `d${aStart + 1} ${aEnd - aStart}\n`;
    if (bEnd === bStart) continue;
    out += `a${aEnd} ${bEnd - bStart}\n`;
    for (let j = bStart; j < bEnd; j++) {
      out += sides.linesB[j] + (sides.openB && j === sides.linesB.length - 1 ? "" : "\n");
    }
  }
  return out;
}

/** Changes that share their context, in groups. */
function groups(changes: readonly Change[], context: number): Change[][] {
  const out: Change[][] = [];
  for (const change of changes) {
    const last = out[out.length - 1];
    const previous = last?.[last.length - 1];
    if (previous && change.aStart - previous.aEnd <= 2 * context) last.push(change);
    else out.push([change]);
  }
  return out;
}

export function unifiedText(
  changes: readonly Change[],
  sides: Sides,
  context: number,
  labelA: string,
  labelB: string,
): string {
  let out = `--- ${labelA}\n+++ ${labelB}\n`;
  for (const group of groups(changes, context)) {
    const first = group[0], last = group[group.length - 1];
    const before = Math.min(context, first.aStart),
      after = Math.min(context, sides.linesA.length - last.aEnd);
    const aStart = first.aStart - before, aEnd = last.aEnd + after;
    const bStart = first.bStart - before, bEnd = last.bEnd + Math.min(after, sides.linesB.length - last.bEnd);
    const head = (start: number, end: number) =>
      end - start === 1 ? String(start + 1) : `${end === start ? start : start + 1},${end - start}`;
    out += `@@ -${head(aStart, aEnd)} +${head(bStart, bEnd)} @@\n`;
    let i = aStart;
    for (const change of group) {
      for (; i < change.aStart; i++) out += lineText(" ", sides.linesA, i, sides.openA);
      for (; i < change.aEnd; i++) out += lineText("-", sides.linesA, i, sides.openA);
      for (let j = change.bStart; j < change.bEnd; j++) out += lineText("+", sides.linesB, j, sides.openB);
    }
    for (; i < aEnd; i++) out += lineText(" ", sides.linesA, i, sides.openA);
  }
  return out;
}

export function contextText(
  changes: readonly Change[],
  sides: Sides,
  context: number,
  labelA: string,
  labelB: string,
): string {
  let out = `*** ${labelA}\n--- ${labelB}\n`;
  for (const group of groups(changes, context)) {
    const first = group[0], last = group[group.length - 1];
    const before = Math.min(context, first.aStart),
      after = Math.min(context, sides.linesA.length - last.aEnd);
    const aStart = first.aStart - before, aEnd = last.aEnd + after;
    const bStart = first.bStart - before, bEnd = last.bEnd + after;
    const head = (start: number, end: number) => end - start <= 1 ? String(end) : `${start + 1},${end}`;
    out += `***************\n*** ${head(aStart, aEnd)} ****\n`;
    if (group.some((change) => change.aEnd > change.aStart)) {
      let i = aStart;
      for (const change of group) {
        for (; i < change.aStart; i++) out += lineText("  ", sides.linesA, i, sides.openA);
        const mark = change.bEnd > change.bStart ? "! " : "- ";
        for (; i < change.aEnd; i++) out += lineText(mark, sides.linesA, i, sides.openA);
      }
      for (; i < aEnd; i++) out += lineText("  ", sides.linesA, i, sides.openA);
    }
    out += `--- ${head(bStart, bEnd)} ----\n`;
    if (group.some((change) => change.bEnd > change.bStart)) {
      let j = bStart;
      for (const change of group) {
        for (; j < change.bStart; j++) out += lineText("  ", sides.linesB, j, sides.openB);
        const mark = change.aEnd > change.aStart ? "! " : "+ ";
        for (; j < change.bEnd; j++) out += lineText(mark, sides.linesB, j, sides.openB);
      }
      for (; j < bEnd; j++) out += lineText("  ", sides.linesB, j, sides.openB);
    }
  }
  return out;
}

/** Without the changes of which every line counts for nothing. */
export function dropBlank(
  changes: readonly Change[],
  sides: Sides,
  nothing: (line: string) => boolean,
): Change[] {
  return changes.filter(({ aStart, aEnd, bStart, bEnd }) =>
    !(sides.linesA.slice(aStart, aEnd).every(nothing) && sides.linesB.slice(bStart, bEnd).every(nothing))
  );
}
