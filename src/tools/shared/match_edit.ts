/**
 * Finds the place in a file that an edit means, and the text that goes there.
 *
 * First as it is written; then with line ends, shown control characters,
 * quotes, dashes and special spaces taken as alike; then with the white space
 * within and around lines taken as alike. A looser reading is tried only when
 * the stricter ones find nothing, and used only when it finds one place.
 * Whatever old and new text have in common is taken from the file, not from
 * the edit, so that a loose reading changes nothing that the edit does not.
 */
import { concealed, shownSigns } from "../../lib/text/visible.ts";
import { closestPlace } from "./closest_place.ts";
import { compose, type Slice } from "./compose_edit.ts";
import { folded, LineEnds, lineOf, lineStarts, squeezed } from "./loose_text.ts";
import type { Splice } from "./text_codec.ts";

/** One edit as the model gave it. */
export interface Hunk {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll?: boolean;
}

/** `splices` are in the order of the text; `reason` fits behind a colon. */
type Found =
  | {
    readonly ok: true;
    readonly splices: readonly Splice[];
    /** What was taken as alike to find it, for the model; absent where that needs no word. */
    readonly loosely?: string;
  }
  | { readonly ok: false; readonly reason: string };

/** Where `hunk` applies in `text`, or why it does not; `poll` is called now and then and may throw. */
export function matchEdit(text: string, hunk: Hunk, poll: () => void = () => {}): Found {
  // A carriage return at the very end, in a file with CRLF, is half of a line end.
  const half = text.includes("\r\n") && /[^]\r$/.test(hunk.oldText);
  const oldText = half ? hunk.oldText.slice(0, -1) : hunk.oldText;
  const newText = (half ? hunk.newText.replace(/\r$/, "") : hunk.newText).toWellFormed();
  if (oldText === newText) return refuse("oldText and newText are the same: nothing to change");
  if (oldText === "") {
    if (text === "") return { ok: true, splices: [{ start: 0, end: 0, text: newText }] };
    return refuse("oldText is empty: give the text that is to be replaced (or use write for a whole file)");
  }
  for (const reading of READINGS) {
    poll();
    const places = reading(text, oldText, newText);
    if (places.length === 0) continue;
    if (places.length > 1 && !hunk.replaceAll) return refuse(ambiguous(text, places));
    const splices = places.map((place, i): Splice => {
      if ((i & POLL_MASK) === 0) poll();
      return { start: place.start, end: place.end, text: place.make() };
    });
    return { ok: true, splices, ...LOOSE.get(reading) };
  }
  return refuse(`oldText not found${closestPlace(text, oldText)}`);
}

/** The cancel is asked for once in so many places. */
const POLL_MASK = 1023;

interface Place {
  readonly start: number;
  readonly end: number;
  make(): string;
}

type Reading = (text: string, oldText: string, newText: string) => Place[];

const READINGS: readonly Reading[] = [
  asWritten,
  asShown,
  asNumbered,
  withLineEnds,
  withAlikeCharacters,
  withAnyWhiteSpace,
];

/** The readings after which a second look is in place. */
const LOOSE: ReadonlyMap<Reading, { readonly loosely: string }> = new Map([
  [withAlikeCharacters, { loosely: "quotes, dashes or spaces differed" }],
  [withAnyWhiteSpace, { loosely: "white space differed" }],
]);

function asWritten(text: string, oldText: string, newText: string): Place[] {
  // In a file with CRLF, a bare line feed of the edit stands for a line end: that is the next reading's.
  if (text.includes("\r\n") && /(^|[^\r])\n/.test(oldText)) return [];
  const onlyLineEnds = LineEnds.fold(oldText) === LineEnds.fold(newText);
  const indented = /^[ \t]+\S/.test(oldText) && !oldText.includes("\n") && newText.includes("\n");
  const like = LineEnds.liker(text);
  return occurrences(text, oldText).map((start) => {
    const end = start + oldText.length;
    // Less indentation than the line has: the lines that the edit adds have too little as well.
    if (indented) {
      let line = start;
      while (line > 0 && (text[line - 1] === " " || text[line - 1] === "\t")) line--;
      const short = line < start && (line === 0 || text[line - 1] === "\n");
      if (short) return alike(text, line, end, oldText, newText);
    }
    return { start, end, make: () => onlyLineEnds ? newText : like(start, newText) };
  });
}

/** The edit repeats what `visible()` showed in place of control characters. */
function asShown(text: string, oldText: string, newText: string): Place[] {
  const signs = shownSigns(oldText);
  if (signs.size === 0) return [];
  // Only what the old text shows is known to be in the file; other such signs in the new text are themselves.
  const [old, next] = [concealed(oldText), concealed(newText, signs)];
  const found = asWritten(text, old, next);
  return found.length > 0 ? found : withLineEnds(text, old, next);
}

/** The edit repeats the line numbers that `read` puts before lines. */
function asNumbered(text: string, oldText: string, newText: string): Place[] {
  const lines = LineEnds.fold(oldText).replace(/\n$/, "").split("\n");
  const first = Number(/^(\d+)\t/.exec(lines[0])?.[1]);
  if (!lines.every((line, i) => line.startsWith(`${first + i}\t`))) return [];
  const bare = (numbered: string) => numbered.replace(/^\d+\t/gm, "");
  const found = asWritten(text, bare(oldText), bare(newText));
  return found.length > 0 ? found : withLineEnds(text, bare(oldText), bare(newText));
}

function withLineEnds(text: string, oldText: string, newText: string): Place[] {
  const ends = new LineEnds(text);
  const old = LineEnds.fold(oldText);
  if (ends.text === text && old === oldText) return [];
  return occurrences(ends.text, old).map((at) =>
    alike(text, ends.original(at), ends.original(at + old.length), oldText, newText)
  );
}

function withAlikeCharacters(text: string, oldText: string, newText: string): Place[] {
  const ends = new LineEnds(text);
  const old = folded(LineEnds.fold(oldText));
  const whole = folded(ends.text);
  return occurrences(whole, old)
    .filter((at) => standsAlone(whole, at, at + old.length))
    .map((at) => alike(text, ends.original(at), ends.original(at + old.length), oldText, newText));
}

function alike(text: string, start: number, end: number, oldText: string, newText: string): Place {
  return { start, end, make: () => compose(sliceOf(text, start, end), oldText, newText) };
}

function withAnyWhiteSpace(text: string, oldText: string, newText: string): Place[] {
  const whole = squeezed(text);
  for (const [old, next] of trims(oldText, newText)) {
    const wanted = squeezed(old);
    if (!/[^\s]/.test(wanted.text)) continue;
    // An edit whose first line is indented begins at the start of a line.
    const fromLineStart = /^[ \t]/.test(old);
    const places = occurrences(whole.text, wanted.text)
      .filter((at) => standsAlone(whole.text, at, at + wanted.text.length))
      .filter((at) => !fromLineStart || at === 0 || whole.text[at - 1] === "\n")
      .map((at) => {
        const atLineStart = at === 0 || whole.text[at - 1] === "\n";
        const start = whole.original(at, atLineStart);
        const endAtLineStart = wanted.text.endsWith("\n");
        const end = endAtLineStart
          ? whole.original(at + wanted.text.length, true)
          : whole.original(at + wanted.text.length - 1, false) + 1;
        return alike(text, start, end, old, next);
      });
    if (places.length > 0) return places;
  }
  return [];
}

/** The edit as it is, then without a line feed at the end (the last line of a file may have none), then without blank lines around. */
function trims(oldText: string, newText: string): [string, string][] {
  // A carriage return at the very end is half of a line end that was cut.
  const old = LineEnds.fold(oldText).replace(/\r$/, "");
  const next = LineEnds.fold(newText).replace(/\r$/, "");
  const out: [string, string][] = [[old, next]];
  if (old.endsWith("\n")) out.push([old.slice(0, -1), next.endsWith("\n") ? next.slice(0, -1) : next]);
  const lead = /^(?:[ \t]*\n)+/;
  const tail = /(?:\n[ \t]*)+$/;
  if (lead.test(old) || tail.test(old)) {
    out.push([old.replace(lead, "").replace(tail, ""), next.replace(lead, "").replace(tail, "")]);
  }
  return out;
}

function sliceOf(text: string, start: number, end: number): Slice {
  return { text: text.slice(start, end), whole: text, start };
}

/** Whether neither end of a range cuts a word. */
function standsAlone(text: string, start: number, end: number): boolean {
  const word = /[\p{L}\p{N}_]/u;
  const cuts = (at: number) => at > 0 && at < text.length && word.test(text[at - 1]) && word.test(text[at]);
  return !cuts(start) && !cuts(end);
}

function occurrences(text: string, wanted: string): number[] {
  const out: number[] = [];
  if (wanted === "") return out;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) out.push(at);
  return out;
}

function ambiguous(text: string, places: readonly Place[]): string {
  const starts = lineStarts(text);
  const lines = places.slice(0, 10).map((place) => lineOf(starts, place.start));
  const more = places.length > lines.length ? ` and ${places.length - lines.length} more` : "";
  return `oldText matches ${places.length} places (lines ${lines.join(", ")}${more}): ` +
    "add lines around it until it is unique, or set replaceAll";
}

function refuse(reason: string): Found {
  return { ok: false, reason };
}
