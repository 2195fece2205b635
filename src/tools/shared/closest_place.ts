/** Where in a file an edit's old text nearly is: told with a refusal, so that the next try can be right. */
import { diffArrays } from "diff";
import { visible } from "../../lib/text/visible.ts";
import { clipBytes } from "./limit_output.ts";
import { LineEnds, squeezed } from "./loose_text.ts";

const MAX_ROWS = 24;
/** Lines that are compared one by one where no line of the edit is in the file. */
const MAX_COMPARED = 20_000;

/** A text to stand after "oldText not found": empty where nothing is near. */
export function closestPlace(text: string, oldText: string): string {
  const lines = LineEnds.fold(text).split("\n");
  const flat = squeezed(LineEnds.fold(text)).text.split("\n");
  const olds = LineEnds.fold(oldText).replace(/\n$/, "").split("\n");
  const flatOlds = olds.map((line) => squeezed(line).text);
  const start = voted(flat, flatOlds) ?? similar(flat, flatOlds);
  if (start === undefined) return "; nothing in the file is near it: read the file again";
  const first = Math.max(0, Math.min(start, lines.length - 1));
  const window = lines.slice(first, first + olds.length);
  const rows: string[] = [];
  // What is shown is bounded, so what is compared may be too.
  for (const part of diffArrays(olds.slice(0, MAX_ROWS), window.slice(0, MAX_ROWS))) {
    const sign = part.removed ? "-" : part.added ? "+" : " ";
    for (const line of part.value) rows.push(sign + clipBytes(visible(line), 200));
  }
  const last = first + window.length;
  const where = window.length === 1 ? `line ${last}` : `lines ${first + 1} to ${last}`;
  const more = olds.length > MAX_ROWS || rows.length > MAX_ROWS ? "\n[and more]" : "";
  return `. Closest is ${where} (- oldText, + file):\n${rows.slice(0, MAX_ROWS).join("\n")}${more}`;
}

/** The start on which most lines of the edit agree, long lines weighing more. */
function voted(flat: readonly string[], olds: readonly string[]): number | undefined {
  const wanted = new Map<string, number[]>();
  olds.forEach((line, i) => {
    if (line.length >= 4) wanted.set(line, [...(wanted.get(line) ?? []), i]);
  });
  const votes = new Map<number, number>();
  flat.forEach((line, at) => {
    for (const i of wanted.get(line) ?? []) {
      votes.set(at - i, (votes.get(at - i) ?? 0) + Math.min(line.length, 60));
    }
  });
  let best: number | undefined;
  for (const [start, weight] of votes) {
    if (best === undefined || weight > votes.get(best)!) best = start;
  }
  return best;
}

/** The place of the line that is most like the longest of the edit. */
function similar(flat: readonly string[], olds: readonly string[]): number | undefined {
  const index = olds.reduce((best, line, i) => line.length > olds[best].length ? i : best, 0);
  const wanted = bigrams(olds[index].slice(0, 400));
  if (wanted.size === 0) return undefined;
  let best: number | undefined;
  let bestScore = 0.45;
  for (let at = 0; at < Math.min(flat.length, MAX_COMPARED); at++) {
    const line = flat[at].slice(0, 400);
    if (line.length < olds[index].length / 4) continue;
    const have = bigrams(line);
    let shared = 0;
    for (const pair of wanted) if (have.has(pair)) shared++;
    const score = 2 * shared / (wanted.size + have.size);
    if (score > bestScore) [best, bestScore] = [at, score];
  }
  return best === undefined ? undefined : best - index;
}

function bigrams(text: string): Set<string> {
  const out = new Set<string>();
  for (let i = 0; i + 1 < text.length; i++) out.add(text.slice(i, i + 2));
  return out;
}
