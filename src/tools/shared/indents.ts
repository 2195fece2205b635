/**
 * Translates the indentation of an edit into that of the file: learnt from
 * the lines that both have, carried on to the lines that the edit adds.
 */

/** A line of the old text beside the line of the file that it matched. */
interface IndentPair {
  readonly old: string;
  readonly file: string;
  /** The line without white space around it. */
  readonly text: string;
  readonly blank: boolean;
}

/** The white space that a line begins with. */
export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)![0];
}

/** Translates indentation of the edit into that of the file, by the lines that both have. */
export class Indents {
  readonly #pairs: readonly IndentPair[];
  /** Those to learn from. */
  readonly #known: readonly IndentPair[];
  /** Columns of one level in the edit. */
  readonly #unit: number;
  /** One level in the file. */
  readonly #level: string;
  readonly #sameStyle: boolean;
  /** The new text is indented as the file is, only the old one was off. */
  readonly #asFile: boolean;

  constructor(pairs: readonly IndentPair[], midLine: boolean, news: readonly string[], whole: string) {
    const newIndents = news.filter((line) => line.trim() !== "").map(indentOf);
    this.#pairs = pairs;
    this.#known = trusted(pairs, midLine);
    const tabs = this.#known.some((pair) => pair.file.includes("\t")) ||
      (this.#known.every((pair) => pair.file === "") && /^\t/m.test(whole));
    const oldTabs = [...this.#known.map((pair) => pair.old), ...newIndents].some((indent) =>
      indent.includes("\t")
    );
    this.#sameStyle = tabs === oldTabs && !scaled(this.#known);
    this.#asFile = this.#isAsFile(news, newIndents);
    this.#unit = this.#unitOf(newIndents, oldTabs);
    this.#level = tabs ? "\t" : " ".repeat(this.#spacesPerLevel(whole, oldTabs));
  }

  /** The file's form of `indent`; `paired` is the old line in whose place the new one stands. */
  translate(indent: string, paired: number | undefined): string {
    if (this.#asFile) return indent;
    if (paired !== undefined && this.#pairs[paired].old === indent && !this.#pairs[paired].blank) {
      return this.#pairs[paired].file;
    }
    const same = this.#known.find((pair) => pair.old === indent);
    if (same !== undefined) return same.file;
    if (paired !== undefined && this.#pairs[paired].file === indent) return indent;
    const near = this.#nearest(width(indent));
    if (near === undefined) return indent;
    if (this.#sameStyle) {
      if (indent.startsWith(near.old)) return near.file + indent.slice(near.old.length);
      const less = near.old.length - indent.length;
      if (near.old.startsWith(indent)) return near.file.slice(0, Math.max(0, near.file.length - less));
    }
    const extra = width(indent) - width(near.old);
    const levels = Math.trunc(extra / this.#unit);
    const rest = extra - levels * this.#unit;
    if (levels < 0) {
      return near.file.slice(0, Math.max(0, near.file.length + levels * this.#level.length));
    }
    return near.file + this.#level.repeat(levels) + " ".repeat(Math.max(0, rest));
  }

  /** The same for the first line, which, where the old text was cut at its start, is cut there too. */
  translateFirst(indent: string, paired: number | undefined): string {
    const first = this.#pairs[0];
    const cut = first !== undefined && indent === "" && first.old === "" && !this.#known.includes(first);
    return cut ? this.#pairs[paired ?? 0].file : this.translate(indent, paired);
  }

  /** Lines that stand in both texts tell: by whether the new text indents them as the old one or as the file. */
  #isAsFile(news: readonly string[], newIndents: readonly string[]): boolean {
    const off = this.#pairs.filter((pair) => !pair.blank && pair.old !== pair.file);
    if (off.length === 0) return false;
    const byText = new Map(off.map((pair) => [pair.text, pair]));
    let votes = 0;
    for (const line of news) {
      const pair = byText.get(line.trim());
      if (pair === undefined) continue;
      const indent = indentOf(line);
      if (indent === pair.file) votes++;
      else if (indent === pair.old) votes--;
    }
    if (votes !== 0) return votes > 0;
    return !newIndents.some((indent) => off.some((pair) => pair.old === indent)) &&
      newIndents.some((indent) => this.#known.some((pair) => pair.file === indent));
  }

  #nearest(columns: number): IndentPair | undefined {
    let best: IndentPair | undefined;
    for (const pair of this.#known) {
      const far = Math.abs(width(pair.old) - columns);
      if (best === undefined || far < Math.abs(width(best.old) - columns)) best = pair;
    }
    return best;
  }

  #unitOf(newIndents: readonly string[], oldTabs: boolean): number {
    if (oldTabs) return TAB;
    for (const pair of this.#known) {
      const tabs = pair.file.length;
      // Tabs in the file tell how many columns the edit has for one.
      if (/^\t+$/.test(pair.file) && pair.old.length > 0 && pair.old.length % tabs === 0) {
        return pair.old.length / tabs;
      }
    }
    const columns = [...this.#known.map((pair) => width(pair.old)), ...newIndents.map(width)];
    return smallestStep(columns) ?? TAB;
  }

  #spacesPerLevel(whole: string, oldTabs: boolean): number {
    for (const pair of this.#known) {
      const tabs = pair.old.length;
      if (oldTabs && /^\t+$/.test(pair.old) && pair.file.length > 0 && pair.file.length % tabs === 0) {
        return pair.file.length / tabs;
      }
    }
    const own = smallestStep(this.#known.map((pair) => width(pair.file)));
    if (own !== undefined) return own;
    const lines = whole.slice(0, 20_000).match(/^ +(?=\S)/gm) ?? [];
    const counts = new Map<number, number>();
    for (const line of lines) {
      for (const size of [8, 4, 2]) {
        if (line.length % size === 0) counts.set(size, (counts.get(size) ?? 0) + 1);
      }
    }
    const most = lines.length * 0.9;
    return [8, 4, 2].find((size) => (counts.get(size) ?? 0) >= most && lines.length > 0) ?? this.#unit;
  }
}

const TAB = 4;

function width(indent: string): number {
  let columns = 0;
  for (const character of indent) columns += character === "\t" ? TAB : 1;
  return columns;
}

/** The smallest difference between two of the widths. */
function smallestStep(columns: readonly number[]): number | undefined {
  const sorted = [...new Set(columns)].sort((a, b) => a - b);
  let step: number | undefined;
  for (let i = 1; i < sorted.length; i++) step = Math.min(step ?? Infinity, sorted[i] - sorted[i - 1]);
  return step;
}

/** Whether the file's steps are wider or narrower than the edit's, not merely shifted. */
function scaled(pairs: readonly IndentPair[]): boolean {
  for (const a of pairs) {
    for (const b of pairs) {
      const old = width(b.old) - width(a.old);
      if (old > 1 && old !== width(b.file) - width(a.file)) return true;
    }
  }
  return false;
}

/** A first line without indentation is often just cut short: it teaches only where it agrees with the others. */
function trusted(pairs: readonly IndentPair[], midLine: boolean): IndentPair[] {
  const [first, ...rest] = pairs;
  const others = rest.filter((pair) => !pair.blank);
  if (first === undefined || first.blank) return others;
  if (midLine) return others;
  if (others.length === 0) return [first];
  const shift = (pair: IndentPair) => width(pair.file) - width(pair.old);
  const cutShort = first.old === "" && first.file !== "" &&
    others.every((pair) => shift(pair) !== shift(first)) &&
    others.some((pair) => pair.old !== "");
  return cutShort ? others : [first, ...others];
}
