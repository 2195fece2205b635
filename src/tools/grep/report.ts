/**
 * What `grep` tells: hits under the name of their file, bounded, and totals
 * that go on counting when nothing more is shown.
 */
import { visible } from "../../lib/text/visible.ts";
import type { Regex } from "../../lib/regex.ts";
import { utf8Length } from "../shared/limit_output.ts";
import { replaced } from "./replacement.ts";
import { around, countLines, type Hit, hitsOf, linesOf } from "./search_text.ts";
import { grouped } from "../../lib/text/count.ts";

/** Lines with their numbers; names of files with a hit; or how many lines each has. */
type Show = "lines" | "files" | "counts";

/** `context` in lines, `maxBytes` for the whole report as UTF-8. */
interface ReportOptions {
  readonly show: Show;
  readonly context: number;
  readonly maxBytes: number;
  /** Names of files stand above their hits. */
  readonly names: boolean;
  /** What matches would become: shown below the lines. */
  readonly replace?: string;
  poll(): void;
}

/** What was shown of a text so far, and where its numbers begin. */
interface Seen {
  readonly shownTo: number;
  readonly next: number;
  readonly lineBase: number;
  readonly again: boolean;
}

/** Characters of a line that are shown; of a longer one, those around its hit. */
const LINE_CHARS = 300;
const LEAD_CHARS = 100;

/** Filled text by text in the order of the search; what was found before a search broke off counts. */
export class Report {
  readonly #options: ReportOptions;
  readonly #out: string[] = [];
  #bytes = 0;
  #full = false;
  #files = 0;
  #lines = 0;
  #shownLines = 0;
  #shownFiles = 0;
  readonly paths: string[] = [];

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  /** Adds the hits in a text. `line` is the number of its first line where it is part of a file. */
  add(
    name: string,
    text: string,
    regex: Regex,
    part: { readonly line: number; readonly first: boolean },
  ): boolean {
    const { show, context } = this.#options;
    let hits = 0;
    let lines = 0;
    let shownTo = -1;
    let pending: Hit | undefined;
    const emit = (hit: Hit, next: number) => {
      const seen = { shownTo, next, lineBase: part.line - 1, again: hits > 0 || !part.first };
      shownTo = this.#emit(name, text, hit, context, seen, regex);
      hits++;
    };
    let polled = 0;
    let stop: { readonly reason: unknown } | undefined;
    try {
      // Where no hit is shown, it is enough to count.
      if (show === "counts" || (show === "lines" && this.#full)) {
        countLines(text, regex, (touched) => {
          if (++polled % 1000 === 0) this.#options.poll();
          lines += touched;
        });
      } else {
        for (const hit of hitsOf(text, regex)) {
          if (++polled % 1000 === 0) this.#options.poll();
          lines += linesOf(text, hit);
          if (show === "files") break;
          if (this.#full) continue;
          if (pending !== undefined) emit(pending, hit.start);
          pending = hit;
        }
      }
    } catch (reason) {
      stop = { reason }; // What was found before counts.
    }
    if (pending !== undefined && !this.#full) emit(pending, Infinity);
    if (lines === 0) {
      if (stop !== undefined) throw stop.reason;
      return false;
    }
    this.#lines += lines;
    if (part.first) this.#files++;
    if (show === "files" && part.first) this.#put(visible(name), name);
    if (show === "counts") this.#put(`${visible(name)}:${lines}`, name);
    if (stop !== undefined) throw stop.reason;
    return true;
  }

  get full(): boolean {
    return this.#full;
  }

  /** The text of the whole report. */
  end(searched: number, skipped: readonly string[]): string {
    const notes = [...skipped];
    if (this.#files === 0) {
      return [
        `No matches in ${grouped(searched)} file${searched === 1 ? "" : "s"}`,
        ...notes.map((note) => `[${note}]`),
      ].join("\n");
    }
    if (this.#full) {
      const all = this.#options.show === "files"
        ? `${grouped(this.#files)} files`
        : `${grouped(this.#lines)} lines in ${grouped(this.#files)} files`;
      const shown = this.#options.show === "lines"
        ? `${grouped(this.#shownLines)} lines of ${grouped(this.#shownFiles)} files`
        : `${grouped(this.#shownFiles)} files`;
      notes.unshift(`${all} match; ${shown} shown: narrow the pattern, path or glob`);
    }
    return [...this.#out, ...notes.map((note) => `[${note}]`)].join("\n");
  }

  /** Shows a hit; returns up to where the text has been shown. */
  #emit(
    name: string,
    text: string,
    hit: Hit,
    context: number,
    { shownTo, next, lineBase, again }: Seen,
    regex: Regex,
  ): number {
    let to = shownTo;
    let first = true;
    for (const line of around(text, hit, context, Math.max(0, shownTo), next)) {
      const lead: string[] = [];
      if (first && !again && this.#options.names) {
        lead.push(...(this.#out.length > 0 ? [""] : []), visible(name));
      }
      const startsAt = line.end - line.text.length - 1;
      if (first && again && context > 0 && startsAt !== shownTo) lead.push("--");
      const number = line.number + lineBase;
      const body = line.hit === undefined
        ? `${number}-${clip(line.text, 0)}`
        : `${number}:${clip(line.text, line.hit)}`;
      if (!this.#fits([...lead, body])) return to;
      if (first && !again) {
        this.#shownFiles++;
        this.paths.push(name);
      }
      this.#out.push(...lead, body);
      if (line.hit !== undefined) this.#shownLines++;
      if (line.end - 1 === hit.end && !this.#preview(text, hit, lineBase, regex)) return to;
      to = line.end;
      first = false;
    }
    return to;
  }

  /** What the lines of a hit would become; false where there is no more room. */
  #preview(text: string, hit: Hit, lineBase: number, regex: Regex): boolean {
    const { replace } = this.#options;
    if (replace === undefined) return true;
    const lines = replaced(text, hit.start, hit.end, regex, replace).split("\n")
      .map((line, i) => `${hit.line + lineBase + i}>${clip(line, hit.from - hit.start)}`);
    if (!this.#fits(lines)) return false;
    this.#out.push(...lines);
    return true;
  }

  #put(line: string, name: string): void {
    if (!this.#fits([line])) return;
    this.#out.push(line);
    this.paths.push(name);
    this.#shownFiles++;
  }

  #fits(lines: readonly string[]): boolean {
    if (this.#full) return false;
    const bytes = lines.reduce((sum, line) => sum + utf8Length(line) + 1, 0);
    if (this.#bytes + bytes > this.#options.maxBytes - 300) {
      this.#full = true;
      return false;
    }
    this.#bytes += bytes;
    return true;
  }
}

/** A line, or of a long one the part around `hit`, with its place named. */
function clip(line: string, hit: number): string {
  if (line.length <= LINE_CHARS) return visible(line);
  let from = Math.max(0, Math.min(hit - LEAD_CHARS, line.length - LINE_CHARS));
  let to = from + LINE_CHARS;
  if (isTail(line, from)) from--;
  if (isTail(line, to)) to--;
  const part = visible(line.slice(from, to));
  return `${from > 0 ? "…" : ""}${part}${to < line.length ? "…" : ""} [characters ${grouped(from + 1)} to ${
    grouped(to)
  } of ${grouped(line.length)}]`;
}

/** Whether the unit at `at` is the second one of a pair. */
function isTail(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
