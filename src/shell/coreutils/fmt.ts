/**
 * fmt: paragraphs filled anew. Breaks are chosen as GNU's fmt chooses them:
 * over the whole paragraph from its end, so that the sum of the costs of all
 * lines (too short, uneven, a sentence or a bracket cut from its own) is least.
 * Text is bytes here, one character each, as it is there.
 */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSource } from "../host.ts";
import { encodeBytes } from "../../lib/text/bytes.ts";
import { BLOCK_SIZE, readAll } from "./shared/blocks.ts";
import { type Options, parseOptions, UsageError } from "./shared/options.ts";
import { cite, complain, quote, reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "c|crown-margin",
    "p|prefix=",
    "s|split-only",
    "t|tagged-paragraph",
    "u|uniform-spacing",
    "w|width=",
    "g|goal=",
  ],
  numeric: "w",
  usage: "[-WIDTH] [OPTION]... [FILE]...",
};

const MAX_WIDTH = 2500;
/** A paragraph with more is filled part by part. */
const MAX_WORDS = 998, MAX_CHARACTERS = 5000;

const square = (n: number) => n * n;
const LINE_COST = square(70), SENTENCE_BONUS = square(50), NO_BREAK_COST = square(600);
const PAREN_BONUS = square(40), PUNCTUATION_BONUS = square(40), LINE_CREDIT = square(3);
const widow = (length: number) => Math.trunc(square(200) / (length + 2));
const orphan = (length: number) => Math.trunc(square(150) / (length + 2));
const short = (n: number) => square(n * 10);
const ragged = (n: number) => Math.trunc(short(n) / 2);

interface Word {
  text: string;
  /** Blanks behind it. */
  space: number;
  paren: boolean;
  punctuation: boolean;
  /** Ends in a full stop, perhaps within brackets or quotes. */
  period: boolean;
  /** Ends a sentence. */
  final: boolean;
  /** Of a line that starts here: its length, the start of the next, the cost from here on. */
  length: number;
  next: number;
  cost: number;
}

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const number = (key: string, most: number): number | undefined => {
    const text = options.value(key);
    if (text === undefined) return undefined;
    if (!/^\d+$/.test(text)) throw new UsageError(`invalid width: ${cite(text)}`, 1, false);
    if (Number(text) > most) {
      throw new UsageError(`invalid width: ${cite(text)}: Numerical result out of range`, 1, false);
    }
    return Number(text);
  };
  let width = number("w", MAX_WIDTH);
  const wantedGoal = number("g", width ?? 75);
  if (wantedGoal !== undefined && width === undefined) width = wantedGoal + 10;
  width ??= 75;
  const goal = wantedGoal ?? Math.trunc(width * (2 * (100 - 7) + 1) / 200);
  let status = 0;
  for (const name of options.operands.length === 0 ? ["-"] : options.operands) {
    let source: ByteSource | undefined;
    try {
      source = name === "-" ? context.stdin : await context.open(name);
      const bytes = await readAll(source, () => context.poll());
      let text = "";
      for (let at = 0; at < bytes.length; at += 8192) {
        text += String.fromCharCode(...bytes.subarray(at, at + 8192));
      }
      await new Filler(context, options, width, goal, text).run();
    } catch (error) {
      await complain(
        context,
        source ? "read error" : `cannot open ${quote(name)} for reading: ${reason(error)}`,
      );
      if (source) reason(error);
      status = 1;
    } finally {
      if (source && source !== context.stdin) source.close();
    }
  }
  return status;
}

const isSpace = (c: string) =>
  c === " " || c === "\t" || c === "\n" || c === "\v" || c === "\f" || c === "\r";

class Filler {
  #at = 0;
  /** The column of the next character of the input. */
  #column = 0;
  /** A blank was a tab: blanks are written as tabs too. */
  #tabs = false;
  #words: Word[] = [];
  #characters = 0;
  #out = "";
  #outColumn = 0;
  #firstIndent = 0;
  #otherIndent = 0;
  #prefixIndent = 0;
  #nextPrefixIndent = 0;
  #lastLength = 0;
  readonly #prefix: string;
  /** Blanks in front of the prefix, and its length with those behind it. */
  readonly #prefixLead: number;
  readonly #prefixLength: number;
  readonly #split: boolean;
  readonly #crown: boolean;
  readonly #tagged: boolean;

  constructor(
    readonly context: UtilityContext,
    readonly options: Options,
    readonly width: number,
    readonly goal: number,
    readonly text: string,
  ) {
    const prefix = String.fromCharCode(...encodeBytes(options.value("p") ?? ""));
    const trimmed = prefix.replace(/^ +/, "");
    this.#prefixLead = prefix.length - trimmed.length;
    this.#prefixLength = trimmed.length;
    this.#prefix = trimmed.replace(/ +$/, "");
    this.#split = options.has("s");
    this.#crown = options.has("c");
    this.#tagged = options.has("t");
  }

  async run(): Promise<void> {
    this.#readPrefix();
    while (this.#paragraph()) {
      this.context.poll();
      this.#fill();
      this.#putParagraph(this.#words.length);
      await this.#flush();
    }
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#out === "") return;
    const out = this.#out;
    this.#out = "";
    // A paragraph can be the whole input.
    for (let at = 0; at < out.length; at += BLOCK_SIZE) {
      this.context.poll();
      const bytes = new Uint8Array(Math.min(BLOCK_SIZE, out.length - at));
      for (let i = 0; i < bytes.length; i++) bytes[i] = out.charCodeAt(at + i);
      const done = this.context.stdout.write(bytes);
      if (done) await done;
    }
  }

  /** The character that is next, "" at the end. */
  get #next(): string {
    return this.text[this.#at] ?? "";
  }

  #blanks(): void {
    for (;; this.#at++) {
      if (this.#next === " ") this.#column++;
      else if (this.#next === "\t") {
        this.#tabs = true;
        this.#column = (Math.floor(this.#column / 8) + 1) * 8;
      } else return;
    }
  }

  /** Goes past the blanks and the prefix at the start of a line. */
  #readPrefix(): void {
    this.#column = 0;
    this.#blanks();
    if (this.#prefixLength === 0) {
      this.#nextPrefixIndent = Math.min(this.#prefixLead, this.#column);
      return;
    }
    this.#nextPrefixIndent = this.#column;
    for (const c of this.#prefix) {
      if (this.#next !== c) return;
      this.#column++;
      this.#at++;
    }
    this.#blanks();
  }

  #belongs(): boolean {
    return this.#nextPrefixIndent === this.#prefixIndent &&
      this.#column >= this.#nextPrefixIndent + this.#prefixLength && this.#next !== "\n" && this.#next !== "";
  }

  #paragraph(): boolean {
    this.#lastLength = 0;
    while (
      this.#next === "\n" || this.#next === "" || this.#nextPrefixIndent < this.#prefixLead ||
      this.#column < this.#nextPrefixIndent + this.#prefixLength
    ) {
      this.#copyLine();
      if (this.#next === "") return false;
      this.#out += "\n";
      this.#at++;
      this.#readPrefix();
    }
    this.#prefixIndent = this.#nextPrefixIndent;
    this.#firstIndent = this.#column;
    this.#words = [];
    this.#characters = 0;
    this.#line();
    this.#setOtherIndent(this.#belongs());
    if (!this.#split) {
      const more = this.#crown || (this.#tagged && this.#column !== this.#firstIndent)
        ? this.#belongs()
        : !this.#tagged && this.#belongs() && this.#column === this.#otherIndent;
      if (more) { do this.#line(); while (this.#belongs() && this.#column === this.#otherIndent); }
    }
    const last = this.#words[this.#words.length - 1];
    last.period = last.final = true;
    return true;
  }

  /** A line that is in no paragraph, as it is. */
  #copyLine(): void {
    this.#outColumn = 0;
    const c = this.#next;
    if (this.#column > this.#nextPrefixIndent || (c !== "\n" && c !== "")) {
      this.#putSpace(this.#nextPrefixIndent);
      let at = 0;
      for (; this.#outColumn !== this.#column && at < this.#prefix.length; at++) {
        this.#out += this.#prefix[at];
        this.#outColumn++;
      }
      if (c !== "" && c !== "\n") this.#putSpace(this.#column - this.#outColumn);
      if (c === "" && this.#column >= this.#nextPrefixIndent + this.#prefixLength) this.#out += "\n";
    }
    const end = this.text.indexOf("\n", this.#at);
    const stop = end < 0 ? this.text.length : end;
    this.#out += this.text.slice(this.#at, stop);
    this.#at = stop;
  }

  #setOtherIndent(more: boolean): void {
    if (this.#split) this.#otherIndent = this.#firstIndent;
    else if (this.#crown) this.#otherIndent = more ? this.#column : this.#firstIndent;
    else if (this.#tagged) {
      if (more && this.#column !== this.#firstIndent) this.#otherIndent = this.#column;
      else if (this.#otherIndent === this.#firstIndent) this.#otherIndent = this.#firstIndent === 0 ? 3 : 0;
    } else this.#otherIndent = this.#firstIndent;
  }

  /** The words of a line, and the start of the next one. */
  #line(): void {
    const uniform = this.options.has("u");
    do {
      const start = this.#at;
      do {
        if (this.#characters === MAX_CHARACTERS) {
          this.#setOtherIndent(true);
          this.#fillPart(this.#at - start);
        }
        this.#characters++;
        this.#at++;
      } while (this.#next !== "" && !isSpace(this.#next));
      const word = wordOf(this.text.slice(start, this.#at));
      this.#column += word.text.length;
      const before = this.#column;
      this.#blanks();
      word.space = this.#column - before;
      const ends = this.#next === "" || this.#next === "\n";
      word.final = this.#next === "" || (word.period && (ends || word.space > 1));
      if (ends || uniform) word.space = word.final ? 2 : 1;
      if (this.#words.length === MAX_WORDS) {
        this.#setOtherIndent(true);
        this.#fillPart(word.text.length);
      }
      this.#words.push(word);
      // A form feed and the like is part of no word, and no line ends there.
    } while (this.#next !== "\n" && this.#next !== "");
    if (this.#next === "\n") this.#at++;
    this.#readPrefix();
  }

  /** Writes the good first part of a paragraph that is too long; `open` characters are of a word not finished. */
  #fillPart(open: number): void {
    this.context.poll();
    if (this.#words.length === 0) {
      this.#characters = open;
      return;
    }
    this.#fill();
    const words = this.#words;
    let split = words.length;
    let best = Infinity;
    for (let w = words[0].next; w < words.length; w = words[w].next) {
      const cost = words[w].cost - (words[words[w].next]?.cost ?? 0);
      if (cost < best) {
        split = w;
        best = cost;
      }
      best += LINE_CREDIT;
    }
    this.#putParagraph(split);
    this.#words = words.slice(split);
    this.#characters = this.#words.reduce((sum, { text }) => sum + text.length, open);
  }

  #fill(): void {
    const words = this.#words, count = words.length;
    const costAt = (i: number) => i === count ? 0 : words[i].cost;
    for (let start = count - 1; start >= 0; start--) {
      const word = words[start];
      let best = Infinity;
      let length = (start === 0 ? this.#firstIndent : this.#otherIndent) + word.text.length;
      for (let w = start + 1;; w++) {
        let cost = this.#lineCost(w, length) + costAt(w);
        if (start === 0 && this.#lastLength > 0) cost += ragged(length - this.#lastLength);
        if (cost < best) {
          best = cost;
          word.next = w;
          word.length = length;
        }
        if (w === count) break;
        length += words[w - 1].space + words[w].text.length;
        if (length >= this.width) break;
      }
      word.cost = best + this.#baseCost(start);
    }
  }

  #baseCost(i: number): number {
    const words = this.#words;
    let cost = LINE_COST;
    if (i > 0) {
      const before = words[i - 1];
      if (before.period) cost += before.final ? -SENTENCE_BONUS : NO_BREAK_COST;
      else if (before.punctuation) cost -= PUNCTUATION_BONUS;
      else if (i > 1 && words[i - 2].final) cost += widow(before.text.length);
    }
    if (words[i].paren) cost -= PAREN_BONUS;
    else if (words[i].final) cost += orphan(words[i].text.length);
    return cost;
  }

  #lineCost(next: number, length: number): number {
    const words = this.#words;
    if (next === words.length) return 0;
    let cost = short(this.goal - length);
    if (words[next].next !== words.length) cost += ragged(length - words[next].length);
    return cost;
  }

  #putParagraph(end: number): void {
    let indent = this.#firstIndent;
    for (let start = 0; start < end;) {
      const stop = this.#words[start].next;
      this.#outColumn = 0;
      this.#putSpace(this.#prefixIndent);
      this.#out += this.#prefix;
      this.#outColumn += this.#prefix.length;
      this.#putSpace(indent - this.#outColumn);
      for (let i = start; i < stop; i++) {
        const { text, space } = this.#words[i];
        this.#out += text;
        this.#outColumn += text.length;
        if (i < stop - 1) this.#putSpace(space);
      }
      this.#lastLength = this.#outColumn;
      this.#out += "\n";
      start = stop;
      indent = this.#otherIndent;
    }
  }

  #putSpace(space: number): void {
    const target = this.#outColumn + space;
    if (this.#tabs) {
      const stop = Math.floor(target / 8) * 8;
      if (this.#outColumn + 1 < stop) {
        while (this.#outColumn < stop) {
          this.#out += "\t";
          this.#outColumn = (Math.floor(this.#outColumn / 8) + 1) * 8;
        }
      }
    }
    while (this.#outColumn < target) {
      this.#out += " ";
      this.#outColumn++;
    }
  }
}

function wordOf(text: string): Word {
  const inner = text[0] + text.slice(1).replace(/[)\]'"]+$/, "");
  return {
    text,
    space: 0,
    paren: /^[(['`"]/.test(text),
    punctuation: /[!-\/:-@[-`{-~]$/.test(text),
    period: /[.?!]$/.test(inner),
    final: false,
    length: 0,
    next: 0,
    cost: 0,
  };
}
