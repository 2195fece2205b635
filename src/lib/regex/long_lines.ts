/**
 * Long lines in blocks of lines: what takes time in proportion to the square
 * of a line is harmless on lines of usual length and not on a line of 10 MB.
 */
import { type Regex, type RegexMatch, withIndex } from "./engine.ts";

/** Lines up to this length are given to the quick engine whatever the pattern. */
const SHORT_LINE = 1024;
/** Pieces of a long line on which the quick engine is tried, and the time it may take for one. */
const SAMPLE = 8192;
const SLOW_SAMPLE_MS = 2;

/**
 * For blocks of lines: the quick engine for runs of lines of usual length, the
 * sure one, which takes no time in proportion to the square, for each long
 * line. A text without what every match holds is not searched at all.
 */
export class LongLineRegex implements Regex {
  readonly source: string;
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
  /** The text that was asked about last, and its long lines. */
  #text: string | undefined;
  #long: readonly (readonly [start: number, end: number])[] = [];
  #lastNeeded = -1;
  /** The engines for its long lines, by their places. */
  readonly #judged = new Map<number, Regex>();

  constructor(
    readonly quick: Regex,
    readonly sure: Regex,
    readonly needed: string,
    /** No match touches two lines; else one long line makes the whole text long. */
    readonly lines: boolean,
    readonly poll: () => void,
  ) {
    this.source = quick.source;
    this.groups = quick.groups;
    this.names = quick.names;
  }

  exec(text: string, from = 0): RegexMatch | undefined {
    const found = this.#search(text, from, (regex, part, at) => regex.exec(part, at));
    if (found === undefined || found.base === 0) return found?.value;
    return withIndex([...found.value], found.value.index + found.base);
  }

  spans(text: string, from = 0): Int32Array | undefined {
    const found = this.#search(text, from, (regex, part, at) => regex.spans(part, at));
    return found?.value.map((at) => at < 0 ? at : at + found.base);
  }

  find(text: string, from = 0): number {
    const found = this.#search(text, from, (regex, part, at) => {
      const end = regex.find(part, at);
      return end < 0 ? undefined : end;
    });
    return found === undefined ? -1 : found.value + found.base;
  }

  test(text: string): boolean {
    return this.#search(text, 0, (regex, part) => regex.test(part) || undefined) !== undefined;
  }

  /**
   * The engine for a long line: the quick one where samples of the line, its
   * start, middle and end, take it next to no time. The answer is the same.
   */
  #engine(line: string, place: number): Regex {
    const judged = this.#judged.get(place);
    if (judged !== undefined) return judged;
    // The first question of all includes its own compilation.
    this.quick.test(line.slice(0, 64));
    let engine = this.quick;
    for (const at of [0, (line.length - SAMPLE) >> 1, line.length - SAMPLE]) {
      const sample = line.slice(Math.max(0, at), Math.max(0, at) + SAMPLE);
      const start = performance.now();
      this.quick.test(sample);
      if (performance.now() - start > SLOW_SAMPLE_MS) {
        engine = this.sure;
        break;
      }
    }
    this.#judged.set(place, engine);
    return engine;
  }

  #search<T>(
    text: string,
    from: number,
    ask: (regex: Regex, part: string, at: number) => T | undefined,
  ): { value: T; base: number } | undefined {
    // One short line, as sed and awk ask about: nothing to find out first.
    if (text.length <= SHORT_LINE) return wrap(ask(this.quick, text, from), 0);
    if (this.#text !== text) {
      // Most texts have not what is needed, and looking forward is the quickest way to know.
      if (this.needed !== "" && !text.includes(this.needed)) return undefined;
      this.#text = text;
      this.#judged.clear();
      this.#long = longLines(text);
      this.#lastNeeded = this.needed === "" ? text.length : text.lastIndexOf(this.needed);
    }
    if (this.#lastNeeded < from) return undefined;
    const whole = (regex: Regex) => wrap(ask(regex, text, from), 0);
    if (this.#long.length === 0) return whole(this.quick);
    if (!this.lines) return whole(this.#engine(text, -1));
    let at = from;
    for (const [start, end] of this.#long) {
      if (end < at) continue;
      this.poll();
      if (at < start) {
        // From the start of its line on, so that what looks back sees it; without the feed before the long line.
        const base = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
        const found = ask(this.quick, text.slice(base, start - 1), at - base);
        if (found !== undefined) return { value: found, base };
        at = start;
      }
      const line = text.slice(start, end);
      const found = line.includes(this.needed) ? ask(this.#engine(line, start), line, at - start) : undefined;
      if (found !== undefined) return { value: found, base: start };
      at = end + 1;
    }
    if (at > text.length) return undefined;
    const base = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
    return wrap(ask(this.quick, text.slice(base), at - base), base);
  }
}

function wrap<T>(value: T | undefined, base: number): { value: T; base: number } | undefined {
  return value === undefined ? undefined : { value, base };
}

/** Lines (without their feeds) beyond {@link SHORT_LINE}; looks only at one place in so many. */
function longLines(text: string): [start: number, end: number][] {
  const out: [number, number][] = [];
  let start = 0;
  while (text.length - start > SHORT_LINE) {
    const feed = text.slice(start, start + SHORT_LINE + 1).lastIndexOf("\n");
    if (feed >= 0) {
      start += feed + 1;
      continue;
    }
    const next = text.indexOf("\n", start);
    const end = next < 0 ? text.length : next;
    out.push([start, end]);
    start = end + 1;
  }
  return out;
}
