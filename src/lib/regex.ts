/**
 * The one door for regular expressions that come from outside: from a model, a
 * script, a file. A pattern is read into a tree (three syntaxes), and the
 * tree is given to the fastest engine that is sure to end:
 *
 * - V8, in a form without the flags i and u and without bounded repeats, which
 *   its linear engine can take over (the product runs with that fallback);
 *   without the fallback only patterns that cannot blow up go to V8;
 * - a linear machine of our own for the rest that has neither look-around nor
 *   back-references;
 * - for these, V8 where the pattern cannot blow up and the text is short, else
 *   a backtracking engine with a step budget, which refuses with the reason.
 *
 * Even the harmless ones take time in proportion to the square of a line where
 * a repeat starts at each place of it (`a+b`): in blocks of lines, long lines
 * are left to our own engines, except where samples of them show no such growth.
 */
import { analyse, neededText, rarestOf, repeatsOpenly } from "./regex/analyse.ts";
import { type Node, type Tree, walk } from "./regex/ast.ts";
import { shorten } from "./regex/shorten.ts";
import { BacktrackProgram } from "./regex/backtrack.ts";
import { emit, settleAnchors } from "./regex/emit.ts";
import { parse, RegexError, type Syntax } from "./regex/parse.ts";
import { PikeProgram } from "./regex/pike.ts";

export { RegexError, type Syntax };

export interface RegexOptions {
  /** `perl` (default): what JavaScript, PCRE and models write. */
  readonly syntax?: Syntax;
  readonly ignoreCase?: boolean;
  /** `^` and `$` match at every line. */
  readonly multiline?: boolean;
  /** `.` matches a newline too. POSIX syntaxes: true unless said otherwise. */
  readonly dotAll?: boolean;
  /** The text is a block of many lines, of which no match may touch two: nothing matches a newline, and `multiline` is implied. */
  readonly lines?: boolean;
  /** POSIX syntaxes: `\n`, `\t`, `\xHH` and the like have their meaning (sed, awk). */
  readonly escapes?: boolean;
  /** White space and comments in the pattern are ignored (perl's flag x). */
  readonly extended?: boolean;
  /** POSIX extended: an unmatched `)` is an error, not a character (sed, awk). */
  readonly strict?: boolean;
  /** POSIX extended: a repeat of nothing is ignored, not an error (grep). */
  readonly lenient?: boolean;
  /** The whole text must match (grep -x). */
  readonly whole?: boolean;
  /** The match must stand between characters that are not part of a word (grep -w). */
  readonly word?: boolean;
  /** Only whether and in which line there is a match is asked for, never where it ends. */
  readonly exists?: boolean;
  /** Called now and then in long searches where an engine can be stopped; may throw. */
  readonly poll?: () => void;
}

/** What a search found: the whole match, then the groups; `index` is where it starts. */
export type RegexMatch = readonly (string | undefined)[] & { readonly index: number };

export interface Regex {
  readonly source: string;
  /** Number of capturing groups. */
  readonly groups: number;
  /** Names of groups and their numbers. */
  readonly names: ReadonlyMap<string, number>;
  /** The leftmost match that starts at or after `from`. */
  exec(text: string, from?: number): RegexMatch | undefined;
  /** Start and end of each group (-1 where it took no part). Slower than {@link exec}. */
  spans(text: string, from?: number): Int32Array | undefined;
  /** Where the leftmost match at or after `from` ends, or -1: the cheapest question. */
  find(text: string, from?: number): number;
  test(text: string): boolean;
}

/** Compiles a pattern. Throws {@link RegexError}. */
export function compileRegex(source: string, options: RegexOptions = {}): Regex {
  const syntax = options.syntax ?? "perl";
  const tree = parse(source, {
    syntax,
    ignoreCase: options.ignoreCase ?? false,
    multiline: (options.multiline ?? false) || (options.lines ?? false),
    dotAll: options.dotAll ?? syntax !== "perl",
    lines: options.lines ?? false,
    escapes: options.escapes ?? false,
    extended: options.extended ?? false,
    strict: options.strict ?? false,
    lenient: options.lenient ?? false,
  });
  const ordered = longestFirst(tree, syntax);
  const short = options.exists && !options.word && !options.whole && !analyse(ordered.root).backref;
  const decorated = decorate(short ? { ...ordered, root: shorten(ordered.root) } : ordered, options);
  const regex = bounded(source, decorated, options);
  const rarest = options.lines === true ? rarestOf(neededText(decorated.root)) : "";
  return rarest === "" ? regex : new ScreenedRegex(regex, rarest);
}

/** The engine for a tree, with another one for long lines where there is a way to stop it. */
function bounded(source: string, decorated: Tree, options: RegexOptions): Regex {
  const regex = build(source, decorated);
  if (options.poll === undefined) return regex;
  const { look, backref, atomic } = analyse(decorated.root);
  const hard = look || backref || atomic;
  const poll = options.poll;
  if (!repeatsOpenly(decorated.root)) return regex;
  const sure = new CountedRegex(
    source,
    decorated,
    hard ? new BacktrackProgram(decorated) : new PikeProgram(decorated),
    poll,
  );
  return new LongLineRegex(regex, sure, neededText(decorated.root), apart(decorated.root, options), poll);
}

/** Compiles a POSIX basic regular expression with GNU's additions. */
export function posixBasic(source: string, options: Omit<RegexOptions, "syntax"> = {}): Regex {
  return compileRegex(source, { ...options, syntax: "basic" });
}

/** Compiles a POSIX extended regular expression with GNU's additions. */
export function posixExtended(source: string, options: Omit<RegexOptions, "syntax"> = {}): Regex {
  return compileRegex(source, { ...options, syntax: "extended" });
}

/** A pattern that matches the text itself. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

function decorate(tree: Tree, options: RegexOptions): Tree {
  const multiline = (options.multiline ?? false) || (options.lines ?? false);
  let root = tree.root;
  if (options.whole) {
    root = {
      type: "cat",
      items: [{ type: "assert", kind: "line_start", multiline }, root, {
        type: "assert",
        kind: "line_end",
        multiline,
      }],
    };
  } else if (options.word) {
    const word: Node = {
      type: "set",
      set: { ranges: [[48, 57], [65, 90], [95, 95], [97, 122]], properties: [], negated: false },
    };
    const edge = (ahead: boolean): Node => ({ type: "look", ahead, negated: true, body: word });
    root = isWord(root)
      ? {
        type: "cat",
        items: [{ type: "assert", kind: "word_start", multiline }, root, {
          type: "assert",
          kind: "word_end",
          multiline,
        }],
      }
      : { type: "cat", items: [edge(false), root, edge(true)] };
  }
  return root === tree.root ? tree : { ...tree, root };
}

/** Whether the pattern is a plain word, at whose edges `\b` is enough. */
function isWord(node: Node): boolean {
  if (node.type === "char") return /\w/.test(String.fromCodePoint(node.code));
  return node.type === "cat" && isWord(node.items[0]) && isWord(node.items[node.items.length - 1]);
}

/**
 * POSIX wants the longest of all matches, V8 takes the first alternative that
 * fits. Where all alternatives are fixed texts, trying longer ones first is
 * the same; other alternations keep their order.
 */
function longestFirst(tree: Tree, syntax: Syntax): Tree {
  if (syntax === "perl") return tree;
  const fixed = (node: Node): number => {
    if (node.type === "char" || node.type === "set") return 1;
    if (node.type === "cat") return node.items.reduce((sum, item) => sum + fixed(item), 0);
    if (node.type === "empty" || node.type === "assert") return 0;
    if (node.type === "group") return fixed(node.body);
    if (node.type === "repeat") {
      return node.min === node.max
        ? node.min * fixed(node.body)
        : node.max === Infinity
        ? 1e6
        : node.max * fixed(node.body);
    }
    if (node.type === "alt") return Math.max(...node.items.map(fixed));
    return NaN;
  };
  const order = (node: Node): Node => {
    if (node.type === "cat") return { ...node, items: node.items.map(order) };
    if (node.type === "group" || node.type === "repeat" || node.type === "atomic" || node.type === "look") {
      return { ...node, body: order(node.body) };
    }
    if (node.type !== "alt") return node;
    const items = node.items.map(order);
    const lengths = items.map(fixed);
    if (lengths.some(Number.isNaN)) return { ...node, items };
    const indexes = items.map((_, i) => i).sort((a, b) => lengths[b] - lengths[a] || a - b);
    return { ...node, items: indexes.map((i) => items[i]) };
  };
  const root = order(tree.root);
  return { ...tree, root };
}

/** Whether each line can be searched without the others: no match spans two or asks for the ends of the text. */
function apart(root: Node, options: RegexOptions): boolean {
  let ends = false;
  walk(root, (node) => {
    if (node.type === "assert" && (node.kind.startsWith("text_") || !node.multiline)) {
      ends ||= node.kind.startsWith("text_") || node.kind.startsWith("line_");
    }
  });
  return options.lines === true && !ends;
}

/** Steps that one search may take in the engines that count. */
const BUDGET = 20_000_000;
const POLL_STEPS = 20_000;
/** Lines up to this length are given to the quick engine whatever the pattern. */
const SHORT_LINE = 1024;
/** Pieces of a long line on which the quick engine is tried, and the time it may take for one. */
const SAMPLE = 8192;
const SLOW_SAMPLE_MS = 2;
/** Texts up to this length are given to V8 although the pattern has look-around or back-references. */
const SHORT_TEXT = 20_000;

function build(source: string, tree: Tree): Regex {
  const traits = analyse(tree.root);
  const hard = traits.look || traits.backref || traits.atomic;
  if (!hard) {
    if (!traits.unicode) {
      const expanded = emit(tree, { unicode: false, expand: true });
      if (expanded && (!traits.risky || linearFallback())) {
        return new V8Regex(source, tree, expanded.source, false, expanded.slots);
      }
    }
    if (!traits.risky) {
      const plain = emit(tree, { unicode: traits.unicode, expand: false })!;
      return new V8Regex(source, tree, plain.source, traits.unicode, plain.slots);
    }
    return new CountedRegex(source, tree, new PikeProgram(tree));
  }
  const counted = new CountedRegex(source, tree, new BacktrackProgram(tree));
  if (traits.risky || traits.atomic || foldsBackref(tree.root)) return counted;
  const plain = emit(tree, { unicode: traits.unicode, expand: false })!;
  const quick = new V8Regex(source, tree, plain.source, traits.unicode, plain.slots);
  // Word edges and the like look one character far: no harm on any text.
  return !traits.backref && shortLooks(tree.root) ? quick : new EitherRegex(quick, counted);
}

function foldsBackref(node: Node): boolean {
  if (node.type === "backref") return node.ignoreCase;
  if (node.type === "cat" || node.type === "alt") return node.items.some(foldsBackref);
  return "body" in node && foldsBackref(node.body);
}

/** Whether all look-around is over a fixed, small number of characters. */
function shortLooks(node: Node, inside = false): boolean {
  if (node.type === "repeat" && inside) return node.max <= 64 && shortLooks(node.body, true);
  if (node.type === "cat" || node.type === "alt") return node.items.every((item) => shortLooks(item, inside));
  return "body" in node ? shortLooks(node.body, inside || node.type === "look") : true;
}

let linear: boolean | undefined;

/**
 * Whether V8 changes to its linear engine when backtracking gets out of hand:
 * a flag of the process that cannot be asked for, so it is tried, on a pattern
 * that takes some 20 ms without it. One quick try is proof; a slow one may be
 * the machine's load, so it is tried again.
 */
function linearFallback(): boolean {
  if (linear === undefined) {
    const text = "a".repeat(22) + "b";
    linear = false;
    for (let tries = 0; tries < 6 && !linear; tries++) {
      const start = performance.now();
      /^(a+)+$/.test(text);
      linear = performance.now() - start < 4;
    }
  }
  return linear;
}

class V8Regex implements Regex {
  readonly #regex: RegExp;
  #spans: RegExp | undefined;
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;

  constructor(
    readonly source: string,
    tree: Tree,
    written: string,
    unicode: boolean,
    readonly slots: readonly (readonly number[])[] | undefined,
  ) {
    this.groups = tree.groups;
    this.names = tree.names;
    const settled = settleAnchors(written);
    this.#regex = new RegExp(settled.source, "g" + (settled.multiline ? "m" : "") + (unicode ? "u" : ""));
  }

  exec(text: string, from = 0): RegexMatch | undefined {
    this.#regex.lastIndex = from;
    const match = this.#regex.exec(text);
    if (!match) return undefined;
    return this.slots
      ? withIndex(
        this.slots.map((slots, i) => i === 0 ? match[0] : last(slots.map((slot) => match[slot]))),
        match.index,
      )
      : match;
  }

  /** V8's linear engine knows no indices: where a match is, the plain expression finds; the other one starts there. */
  spans(text: string, from = 0): Int32Array | undefined {
    this.#regex.lastIndex = from;
    const found = this.#regex.exec(text);
    if (!found) return undefined;
    if (this.groups === 0) return Int32Array.of(found.index, found.index + found[0].length);
    this.#spans ??= new RegExp(this.#regex.source, this.#regex.flags.replace("g", "y") + "d");
    this.#spans.lastIndex = found.index;
    const match = this.#spans.exec(text);
    if (!match) return undefined;
    const out = new Int32Array((this.groups + 1) * 2).fill(-1);
    for (let i = 0; i <= this.groups; i++) {
      const span = i === 0 || !this.slots
        ? match.indices![i]
        : last(this.slots[i].map((slot) => match.indices![slot]));
      if (span) out.set(span, i * 2);
    }
    return out;
  }

  find(text: string, from = 0): number {
    this.#regex.lastIndex = from;
    return this.#regex.test(text) ? this.#regex.lastIndex : -1;
  }

  test(text: string): boolean {
    this.#regex.lastIndex = 0;
    return this.#regex.test(text);
  }
}

function last<T>(values: readonly (T | undefined)[]): T | undefined {
  for (let i = values.length - 1; i >= 0; i--) if (values[i] !== undefined) return values[i];
  return undefined;
}

function withIndex(values: (string | undefined)[], index: number): RegexMatch {
  return Object.assign(values, { index });
}

interface Program {
  run(text: string, from: number, spend: (steps: number) => void): Int32Array | undefined;
}

/** An engine of ours, with a budget for each search. */
class CountedRegex implements Regex {
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;

  constructor(
    readonly source: string,
    tree: Tree,
    readonly program: Program,
    readonly poll: () => void = () => {},
  ) {
    this.groups = tree.groups;
    this.names = tree.names;
  }

  spans(text: string, from = 0): Int32Array | undefined {
    let left = BUDGET + (this.program instanceof PikeProgram ? text.length * 2000 : 0);
    let unpolled = 0;
    return this.program.run(text, from, (steps) => {
      left -= steps;
      if ((unpolled += steps) > POLL_STEPS) {
        unpolled = 0;
        this.poll();
      }
      if (left < 0) {
        throw new RegexError("refused", "regular expression takes too long on this text", {
          hint: "Write it without nested repeats, look-around or back-references.",
        });
      }
    });
  }

  exec(text: string, from = 0): RegexMatch | undefined {
    const spans = this.spans(text, from);
    if (!spans) return undefined;
    const values: (string | undefined)[] = [];
    for (let i = 0; i < spans.length; i += 2) {
      values.push(spans[i] < 0 || spans[i + 1] < 0 ? undefined : text.slice(spans[i], spans[i + 1]));
    }
    return withIndex(values, spans[0]);
  }

  find(text: string, from = 0): number {
    return this.spans(text, from)?.[1] ?? -1;
  }

  test(text: string): boolean {
    return this.spans(text) !== undefined;
  }
}

/** For blocks of lines, of which most have no match: a text without a character that every match holds is told at once. */
class ScreenedRegex implements Regex {
  readonly source: string;
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;

  constructor(readonly regex: Regex, readonly needed: string) {
    this.source = regex.source;
    this.groups = regex.groups;
    this.names = regex.names;
  }

  exec(text: string, from?: number): RegexMatch | undefined {
    return this.regex.exec(text, from);
  }

  spans(text: string, from?: number): Int32Array | undefined {
    return this.regex.spans(text, from);
  }

  find(text: string, from?: number): number {
    return this.regex.find(text, from);
  }

  test(text: string): boolean {
    return text.includes(this.needed) && this.regex.test(text);
  }
}

/** V8 for short texts, the counting engine for long ones. */
class EitherRegex implements Regex {
  readonly source: string;
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;

  constructor(readonly quick: Regex, readonly counted: Regex) {
    this.source = quick.source;
    this.groups = quick.groups;
    this.names = quick.names;
  }

  #for(text: string): Regex {
    return text.length <= SHORT_TEXT ? this.quick : this.counted;
  }

  exec(text: string, from?: number): RegexMatch | undefined {
    return this.#for(text).exec(text, from);
  }

  spans(text: string, from?: number): Int32Array | undefined {
    return this.#for(text).spans(text, from);
  }

  find(text: string, from?: number): number {
    return this.#for(text).find(text, from);
  }

  test(text: string): boolean {
    return this.#for(text).test(text);
  }
}

/**
 * For blocks of lines: the quick engine for runs of lines of usual length, the
 * sure one, which takes no time in proportion to the square, for each long
 * line. A text without what every match holds is not searched at all.
 */
class LongLineRegex implements Regex {
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
