/**
 * Searching one input. Without context lines, the pattern runs over whole
 * blocks and jumps from match to match; lines between matches are never cut
 * out. Where text and bytes have the same length, what is printed are the
 * input's own bytes.
 */
import type { UtilityContext } from "../../builtin.ts";
import type { ByteSource } from "../../host.ts";
import { decodeBytes, encodeBytes } from "../../../lib/text/bytes.ts";
import type { Regex } from "../../../lib/regex.ts";
import { BlockReader } from "../shared/blocks.ts";
import { findAny, matchAny } from "./pattern.ts";

export interface SearchPlan {
  readonly regexes: readonly Regex[];
  readonly invert: boolean;
  readonly mode: "lines" | "matches" | "count" | "with" | "without" | "quiet";
  readonly limit: number;
  readonly names: boolean;
  readonly nullNames: boolean;
  readonly numbers: boolean;
  readonly offsets: boolean;
  readonly before: number;
  readonly after: number;
  readonly separator: string | undefined;
  readonly binary: "text" | "binary" | "without-match";
  readonly delimiter: number;
  readonly flushEach: boolean;
}

interface Place {
  /** Lines before the current block. */
  line: number;
  /** Bytes before the current block. */
  offset: number;
}

export class Search {
  #separated = false;
  /** Selected lines of the current block. */
  #selected = new Uint8Array(65_536);
  #gathered = 0;
  /** One buffer for all files. */
  #blocks: BlockReader | undefined;
  constructor(readonly context: UtilityContext, readonly plan: SearchPlan) {}

  /** Whether a line was selected. */
  async run(source: ByteSource, name: string): Promise<boolean> {
    const { plan } = this;
    if (plan.limit === 0) return false;
    const context = plan.mode === "lines" && (plan.before >= 0 || plan.after >= 0);
    const count = context || plan.delimiter === 0
      ? await this.#byLines(source, name)
      : await this.#byBlocks(source, name);
    if (plan.mode === "count") {
      await this.#print((plan.names ? name + (plan.nullNames ? "\0" : ":") : "") + count + "\n");
    } else if ((plan.mode === "with" && count > 0) || (plan.mode === "without" && count === 0)) {
      await this.#print(name + (plan.nullNames ? "\0" : "\n"));
    }
    return count > 0;
  }

  #gather(bytes: Uint8Array, from: number, to: number): void {
    const open = bytes[to - 1] !== 10;
    if (this.#gathered + to - from + 1 > this.#selected.length) {
      const larger = new Uint8Array(Math.max(this.#selected.length * 2, this.#gathered + to - from + 1));
      larger.set(this.#selected.subarray(0, this.#gathered));
      this.#selected = larger;
    }
    this.#selected.set(bytes.subarray(from, to), this.#gathered);
    this.#gathered += to - from;
    if (open) this.#selected[this.#gathered++] = 10;
  }

  /** Writes what was gathered of one block. */
  async #flush(): Promise<void> {
    if (this.#gathered === 0) return;
    const bytes = this.#selected.subarray(0, this.#gathered);
    this.#gathered = 0;
    const done = this.context.stdout.write(bytes);
    if (done) await done;
    if (this.plan.flushEach) await this.context.stdout.flush();
  }

  #reader(source: ByteSource): BlockReader {
    if (this.#blocks) return this.#blocks.restart(source);
    return this.#blocks = new BlockReader(source, this.plan.delimiter);
  }

  async #print(text: string): Promise<void> {
    const done = this.context.stdout.print(text);
    if (done) await done;
    if (this.plan.flushEach) await this.context.stdout.flush();
  }

  /** Stops after this many selected lines. */
  get #enough(): number {
    const { mode, limit } = this.plan;
    return mode === "quiet" || mode === "with" || mode === "without" ? 1 : limit;
  }

  async #byBlocks(source: ByteSource, name: string): Promise<number> {
    const { plan, context } = this;
    const blocks = this.#reader(source);
    const place: Place = { line: 0, offset: 0 };
    const simple = plan.mode === "lines" && !plan.names && !plan.numbers && !plan.offsets;
    const silent = plan.mode !== "lines" && plan.mode !== "matches";
    // Matches alone, of all lines: no need to know the lines.
    const plain = !plan.names && !plan.numbers && !plan.offsets && !plan.invert && plan.limit === Infinity;
    let selected = 0;
    let binary = false;
    for (;;) {
      context.poll();
      const next = blocks.next();
      const block = next instanceof Promise ? await next : next;
      if (!block) break;
      const text = decodeBytes(block);
      if (!binary && plan.binary !== "text" && text.includes("\0")) {
        if (plan.binary === "without-match") return 0;
        binary = true;
      }
      const bytes = text.length === block.length ? block : undefined;
      const length = text.length;
      if (plan.mode === "matches" && plain && !binary) {
        const [out, count] = this.#allMatches(text);
        selected += count;
        if (out !== "") await this.#print(out);
        continue;
      }
      let at = 0;
      /** Lines before `counted` are in place.line. */
      let counted = 0;
      let lines = place.line;
      while (at < length) {
        const end = findAny(plan.regexes, text, at);
        let start: number, stop: number;
        if (end < 0) start = stop = length;
        else {
          start = end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1;
          stop = text.indexOf("\n", end);
          stop = stop < 0 ? length : stop + 1;
        }
        if (start >= length) start = stop = length;
        // Selected is [from, to): one line, or with -v all lines before the match.
        const from = plan.invert ? at : start;
        const to = plan.invert ? start : stop;
        at = stop;
        if (from >= to) continue;
        if (silent || binary) {
          selected += plan.invert ? countLines(text, from, to) : 1;
          if (selected >= this.#enough || (binary && !silent)) {
            if (binary && !silent) {
              await context.stderr.print(`${context.name}: ${name}: binary file matches\n`);
            }
            return Math.min(selected, this.#enough);
          }
          continue;
        }
        if (simple && (!plan.invert || plan.limit === Infinity)) {
          selected++;
          if (bytes) this.#gather(bytes, from, to);
          else await this.#print(text[to - 1] === "\n" ? text.slice(from, to) : text.slice(from, to) + "\n");
          if (selected >= plan.limit) {
            await this.#flush();
            return selected;
          }
          continue;
        }
        for (let lineStart = from; lineStart < to;) {
          let lineEnd = text.indexOf("\n", lineStart);
          if (lineEnd < 0) lineEnd = length;
          if (plan.numbers) {
            lines += countLines(text, counted, lineStart);
            counted = lineStart;
          }
          selected++;
          const offset = plan.offsets
            ? place.offset + (bytes ? lineStart : encodeBytes(text.slice(0, lineStart)).length)
            : 0;
          await this.#line(text, lineStart, lineEnd, name, lines + 1, offset);
          if (selected >= plan.limit) return selected;
          lineStart = lineEnd + 1;
        }
      }
      await this.#flush();
      if (plan.numbers) place.line = lines + countLines(text, counted, length);
      place.offset += block.length;
    }
    return selected;
  }

  #allMatches(text: string): [out: string, count: number] {
    let out = "";
    let count = 0;
    for (let at = 0; at < text.length;) {
      const match = matchAny(this.plan.regexes, text, at);
      if (!match || match[0] >= text.length) break;
      count++;
      if (match[1] > match[0]) out += text.slice(match[0], match[1]) + "\n";
      at = match[1] > match[0] ? match[1] : match[1] + 1;
    }
    return [out, count];
  }

  async #line(
    text: string,
    start: number,
    end: number,
    name: string,
    number: number,
    offset: number,
  ): Promise<void> {
    if (this.plan.mode === "lines") {
      await this.#print(this.#prefix(name, number, offset, ":") + text.slice(start, end) + "\n");
      return;
    }
    if (this.plan.invert) return;
    let out = "";
    for (let at = start; at <= end;) {
      const match = matchAny(this.plan.regexes, text, at);
      if (!match || match[0] > end || match[1] > end) break;
      if (match[1] > match[0]) {
        const where = this.plan.offsets ? offset + encodeBytes(text.slice(start, match[0])).length : 0;
        out += this.#prefix(name, number, where, ":") + text.slice(match[0], match[1]) + "\n";
      }
      at = match[1] > match[0] ? match[1] : match[1] + 1;
    }
    if (out !== "") await this.#print(out);
  }

  #prefix(name: string, number: number, offset: number, mark: string): string {
    const { plan } = this;
    let out = "";
    if (plan.names) out += name + (plan.nullNames ? "\0" : mark);
    if (plan.numbers) out += number + mark;
    if (plan.offsets) out += offset + mark;
    return out;
  }

  /** Line by line: for context lines, and for records that end with NUL. */
  async #byLines(source: ByteSource, name: string): Promise<number> {
    const { plan, context } = this;
    const blocks = this.#reader(source);
    const delimiter = String.fromCharCode(plan.delimiter);
    const silent = plan.mode !== "lines" && plan.mode !== "matches";
    const contextual = plan.before >= 0 || plan.after >= 0;
    let waiting: { text: string; number: number; offset: number }[] = [];
    let number = 0;
    let offset = 0;
    let selected = 0;
    let after = 0;
    let lastPrinted = 0;
    let binary = false;
    for (;;) {
      context.poll();
      const next = blocks.next();
      const block = next instanceof Promise ? await next : next;
      if (!block) break;
      if (!binary && plan.binary !== "text" && plan.delimiter === 10 && block.includes(0)) {
        if (plan.binary === "without-match") return 0;
        binary = true;
      }
      const lines = decodeBytes(block).split(delimiter);
      if (lines[lines.length - 1] === "") lines.pop();
      for (const text of lines) {
        number++;
        const here = offset;
        if (plan.offsets) offset += encodeBytes(text).length + 1;
        const hit = selected < plan.limit && (findAny(plan.regexes, text, 0) >= 0) !== plan.invert;
        if (hit) {
          selected++;
          if (binary && !silent) {
            await context.stderr.print(`${context.name}: ${name}: binary file matches\n`);
            return selected;
          }
          if (silent) {
            if (selected >= this.#enough) return selected;
            continue;
          }
          if (
            contextual && plan.separator !== undefined && this.#separated &&
            (waiting[0]?.number ?? number) > lastPrinted + 1
          ) {
            await this.#print(plan.separator + "\n");
          }
          for (const each of waiting) {
            await this.#print(this.#prefix(name, each.number, each.offset, "-") + each.text + delimiter);
          }
          waiting = [];
          this.#separated = true;
          if (plan.mode === "lines") {
            await this.#print(this.#prefix(name, number, here, ":") + text + delimiter);
          } else await this.#line(text, 0, text.length, name, number, here);
          lastPrinted = number;
          after = plan.after;
          if (selected >= plan.limit && after <= 0) return selected;
        } else if (!silent && contextual) {
          if (after > 0) {
            after--;
            lastPrinted = number;
            await this.#print(this.#prefix(name, number, here, "-") + text + delimiter);
          } else if (plan.before > 0) {
            waiting.push({ text, number, offset: here });
            if (waiting.length > plan.before) waiting.shift();
          }
          if (selected >= plan.limit && after <= 0) return selected;
        }
      }
    }
    return selected;
  }
}

function countLines(text: string, from: number, to: number): number {
  let count = 0;
  for (let i = text.indexOf("\n", from); i >= 0 && i < to; i = text.indexOf("\n", i + 1)) count++;
  // A last line without newline is one too.
  return to === text.length && to > from && text.charCodeAt(to - 1) !== 10 ? count + 1 : count;
}
