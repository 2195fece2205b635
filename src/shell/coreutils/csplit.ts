/**
 * csplit: a file into pieces at lines that are named by number or by pattern.
 * Lines are counted from 1; `#at` is the first line that is in no piece yet,
 * `#seen` the last one that a pattern has looked at.
 */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSource } from "../host.ts";
import { decodeBytes } from "../../lib/text/bytes.ts";
import { posixBasic, type Regex, RegexError } from "../../lib/regex.ts";
import { readAll } from "./shared/blocks.ts";
import { Failure, type Options, parseOptions, UsageError } from "./shared/options.ts";
import { type Directive, formatNumber, parseDirective } from "./shared/printf.ts";
import { cite, complain, quote, quoteIfNeeded, reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "b|suffix-format=",
    "f|prefix=",
    "k|keep-files",
    "suppress-matched",
    "n|digits=",
    "s|q|quiet|silent",
    "z|elide-empty-files",
  ],
  usage: "[OPTION]... FILE PATTERN...",
};

interface Step {
  readonly text: string;
  /** Undefined: the step is a line number. */
  readonly regex: Regex | undefined;
  /** %RE%: what comes before is dropped. */
  readonly ignore: boolean;
  /** The line number, or the offset from the match. */
  readonly number: number;
  repeat: number;
}

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const [name, ...patterns] = options.operands;
  const digits = options.value("n") ?? "2";
  if (!/^\d+$/.test(digits)) throw new UsageError(`invalid number: ${cite(digits)}`, 1, false);
  const suffix = options.has("b") ? suffixOf(options.value("b")!) : undefined;
  if (patterns.length === 0) {
    throw new UsageError(name === undefined ? "missing operand" : `missing operand after ${cite(name)}`);
  }
  const steps = await stepsOf(context, patterns);
  let source: ByteSource;
  try {
    source = name === "-" ? context.stdin : await context.open(name);
  } catch (error) {
    throw new Failure(`cannot open ${quote(name)} for reading: ${reason(error)}`);
  }
  let bytes: Uint8Array;
  try {
    bytes = await readAll(source, () => context.poll());
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`read error: ${reason(error)}`);
  } finally {
    if (source !== context.stdin) source.close();
  }
  return await new Splitter(
    context,
    options,
    suffix ?? ((i) => String(i).padStart(Number(digits), "0")),
    bytes,
  ).run(steps);
}

/** The format of -b: text with one directive for a whole number. */
function suffixOf(format: string): (index: number) => string {
  const parts: (string | Directive)[] = [];
  for (let at = 0; at < format.length;) {
    if (format[at] !== "%") {
      parts.push(format[at++]);
      continue;
    }
    if (format[at + 1] === "%") {
      parts.push("%");
      at += 2;
      continue;
    }
    const directive = parseDirective(format, at);
    if (!directive) throw new Failure("missing conversion specifier in suffix");
    if (!/[diouxX]/.test(directive.conversion)) {
      throw new Failure(`invalid conversion specifier in suffix: ${directive.conversion}`);
    }
    parts.push(directive);
    at = directive.end;
  }
  const count = parts.filter((part) => typeof part !== "string").length;
  if (count === 0) throw new Failure("missing % conversion specification in suffix");
  if (count > 1) throw new Failure("too many % conversion specifications in suffix");
  return (index) => parts.map((part) => typeof part === "string" ? part : formatNumber(part, index)).join("");
}

async function stepsOf(context: UtilityContext, patterns: readonly string[]): Promise<Step[]> {
  const steps: Step[] = [];
  let before = 0;
  for (let i = 0; i < patterns.length; i++) {
    const text = patterns[i];
    let step: Step;
    if (text[0] === "/" || text[0] === "%") step = regexStep(context, text);
    else {
      if (!/^\d+$/.test(text)) throw new Failure(`${cite(text)}: invalid pattern`);
      const number = Number(text);
      if (number === 0) throw new Failure(`${text}: line number must be greater than zero`);
      if (number < before) {
        throw new Failure(`line number ${cite(text)} is smaller than preceding line number, ${before}`);
      }
      if (number === before) {
        await complain(
          context,
          `warning: line number ${cite(text)} is the same as preceding line number`,
        );
      }
      before = number;
      step = { text, regex: undefined, ignore: false, number, repeat: 0 };
    }
    const times = patterns[i + 1];
    if (times?.startsWith("{")) {
      if (!times.endsWith("}")) {
        throw new Failure(`${cite(times)}: '}' is required in repeat count`);
      }
      const count = times.slice(1, -1);
      if (count !== "*" && !/^\d+$/.test(count)) {
        throw new Failure(`${cite("{" + count)}}: integer required between '{' and '}'`);
      }
      step.repeat = count === "*" ? Infinity : Number(count);
      i++;
    }
    steps.push(step);
  }
  return steps;
}

function regexStep(context: UtilityContext, text: string): Step {
  const close = text.lastIndexOf(text[0]);
  if (close === 0) throw new Failure(`${text}: closing delimiter '${text[0]}' missing`);
  const offset = text.slice(close + 1);
  if (offset !== "" && !/^[+-]?\d+$/.test(offset)) {
    throw new Failure(`${cite(text)}: integer expected after delimiter`);
  }
  try {
    const regex = posixBasic(text.slice(1, close), { poll: () => context.poll() });
    return { text, regex, ignore: text[0] === "%", number: Number(offset), repeat: 0 };
  } catch (error) {
    if (!(error instanceof RegexError)) throw error;
    throw new Failure(`${cite(text)}: invalid regular expression: ${error.message}`);
  }
}

/** The rest is said, the files are to go. */
class Stop extends Error {}

class Splitter {
  /** Where each line starts, and the end of the last. */
  readonly #starts: number[] = [0];
  #at = 1;
  #seen = 0;
  /** Pieces on the disk; an empty one that was dropped gives its name to the next. */
  readonly #made: string[] = [];

  constructor(
    readonly context: UtilityContext,
    readonly options: Options,
    readonly suffix: (index: number) => string,
    readonly bytes: Uint8Array,
  ) {
    for (let from = 0; from < bytes.length;) {
      const at = bytes.indexOf(10, from);
      from = at < 0 ? bytes.length : at + 1;
      this.#starts.push(from);
    }
  }

  get #count(): number {
    return this.#starts.length - 1;
  }

  async run(steps: readonly Step[]): Promise<number> {
    let good = false;
    try {
      good = await this.#steps(steps);
      return good ? 0 : 1;
    } finally {
      if (!good && !this.options.has("k")) {
        for (const name of this.#made) this.context.fs.unlink(this.context.path(name));
      }
    }
  }

  async #steps(steps: readonly Step[]): Promise<boolean> {
    try {
      for (const step of steps) {
        for (let turn = 0; turn <= step.repeat; turn++) {
          this.context.poll();
          if (step.regex) {
            if (await this.#toMatch(step, step.regex, turn)) return true;
          } else await this.#toLine(step, turn);
        }
      }
      await this.#piece(this.#count + 1, true);
      return true;
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      if (error.message !== "") await complain(this.context, error.message);
      return false;
    }
  }

  async #toLine(step: Step, turn: number): Promise<void> {
    const skip = this.options.has("suppress-matched");
    const target = step.number * (turn + 1);
    const message = `${cite(String(step.number))}: line number out of range${repetition(turn)}`;
    if (skip && this.#at > this.#count) {
      await this.#piece(this.#at, true);
      throw new Stop(message);
    }
    const end = Math.max(this.#at, target);
    await this.#piece(end, true);
    if (end > this.#count + 1) throw new Stop(message);
    if (skip) this.#at = Math.min(this.#at + 1, this.#count + 1);
    else if (this.#at > this.#count) throw new Stop(message);
  }

  /** Answers true where the input ends before a pattern that may be repeated at will. */
  async #toMatch(step: Step, regex: Regex, turn: number): Promise<boolean> {
    const writes = !step.ignore;
    let line = Math.max(this.#seen + 1, this.#at);
    while (line <= this.#count && !regex.test(this.#line(line))) line++;
    this.#seen = line;
    if (line > this.#count) {
      await this.#piece(this.#count + 1, writes);
      if (step.repeat === Infinity) return true;
      throw new Stop(`${cite(step.text)}: match not found${repetition(turn)}`);
    }
    const end = line + step.number;
    if (end < this.#at || end > this.#count + 1) {
      await this.#piece(Math.max(this.#at, end), writes);
      throw new Stop(`${cite(step.text)}: line number out of range`);
    }
    await this.#piece(end, writes);
    if (step.number > 0) this.#seen = end;
    if (this.options.has("suppress-matched")) this.#at = Math.min(this.#at + 1, this.#count + 1);
    return false;
  }

  #line(number: number): string {
    const end = this.#starts[number];
    const closed = end > 0 && this.bytes[end - 1] === 10;
    return decodeBytes(this.bytes.subarray(this.#starts[number - 1], closed ? end - 1 : end));
  }

  /** Takes the lines before `end`, into a file or nowhere. */
  async #piece(end: number, writes: boolean): Promise<void> {
    const stop = Math.min(end, this.#count + 1);
    const bytes = this.bytes.subarray(this.#starts[this.#at - 1], this.#starts[stop - 1]);
    this.#at = Math.max(this.#at, stop);
    if (!writes || (bytes.length === 0 && this.options.has("z"))) return;
    const name = (this.options.value("f") ?? "xx") + this.suffix(this.#made.length);
    try {
      const sink = await this.context.create(name);
      this.#made.push(name);
      try {
        const done = sink.write(bytes);
        if (done) await done;
      } finally {
        sink.close();
      }
    } catch (error) {
      throw new Stop(`${quoteIfNeeded(name)}: ${reason(error)}`);
    }
    if (!this.options.has("s")) await this.context.stdout.print(`${bytes.length}\n`);
  }
}

function repetition(turn: number): string {
  return turn === 0 ? "" : ` on repetition ${turn}`;
}
