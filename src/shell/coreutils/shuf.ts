/**
 * shuf: lines, words or numbers in random order. With --random-source the
 * bytes of the file are used up as GNU's shuf uses them, so that a recorded
 * source gives the same order in both.
 */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSource } from "../host.ts";
import { decodeBytes, encodeBytes } from "../../lib/text/bytes.ts";
import { LineReader, readAll } from "./shared/blocks.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { cite, quoteIfNeeded, reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "e|echo",
    "i|input-range=",
    "n|head-count=",
    "o|output=",
    "random-source=",
    "r|repeat",
    "z|zero-terminated",
  ],
  usage: "[OPTION]... [FILE]",
};

/** A larger file is sampled while it is read. */
const SAMPLED_SIZE = 8 * 1024 * 1024;

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const { operands } = options;
  if (options.has("e") && options.has("i")) throw new UsageError("cannot combine -e and -i options");
  let count = Infinity;
  for (const text of options.values("n")) {
    if (!/^\+?\d+$/.test(text)) throw new UsageError(`invalid line count: ${cite(text)}`, 1, false);
    count = Math.min(count, Number(text));
  }
  for (
    const [key, noun] of [["i", "-i options"], ["o", "output files"], ["random-source", "random sources"]]
  ) {
    if (key === "i" ? options.count(key) > 1 : new Set(options.values(key)).size > 1) {
      throw new UsageError(`multiple ${noun} specified`, 1, false);
    }
  }
  const repeat = options.has("r");
  const extra = options.has("i") ? operands[0] : options.has("e") ? undefined : operands[1];
  const range = options.has("i") ? rangeOf(options.value("i")!) : undefined;
  if (extra !== undefined) throw new UsageError(`extra operand ${cite(extra)}`);
  const random = await openRandom(context, options.value("random-source"));
  try {
    const delimiter = options.has("z") ? "\0" : "\n";
    let list: Items;
    if (range) list = range;
    else if (options.has("e")) list = { count: operands.length, at: (i) => operands[i] };
    else list = await linesOf(context, operands[0] ?? "-", delimiter, repeat ? Infinity : count, random);
    const out = options.has("o") ? await create(context, options.value("o")!) : undefined;
    let text = "";
    const print = async (last: boolean) => {
      if (text === "" || (!last && text.length < 16_384)) return;
      const done = out ? out.write(encodeBytes(text)) : context.stdout.print(text);
      text = "";
      if (done) await done;
    };
    try {
      if (repeat) {
        if (list.count === 0 && count > 0) throw new Failure("no lines to repeat");
        for (let i = 0; i < count; i++) {
          if ((i & 255) === 0) context.poll();
          text += list.at(await random.below(list.count)) + delimiter;
          if (text.length >= 16_384) await print(false);
        }
      } else {
        // Places that differ from their own number: a small sample of a large range stays small.
        const moved = new Map<number, number>();
        const many = Math.min(count, list.count);
        for (let i = 0; i < many; i++) {
          if ((i & 255) === 0) context.poll();
          const j = i + await random.below(list.count - i);
          const chosen = moved.get(j) ?? j;
          moved.set(j, moved.get(i) ?? i);
          moved.delete(i);
          text += list.at(chosen) + delimiter;
          if (text.length >= 16_384) await print(false);
        }
      }
      await print(true);
    } finally {
      out?.close();
    }
  } finally {
    random.close();
  }
  return 0;
}

interface Items {
  readonly count: number;
  at(index: number): string;
}

function rangeOf(text: string): Items {
  const match = /^(\d+)-(\d+)$/.exec(text);
  const low = Number(match?.[1]), high = Number(match?.[2]);
  if (!match) {
    const dash = text.indexOf("-");
    // GNU names the part that is wrong.
    const part = dash < 0
      ? text
      : /^\d+$/.test(text.slice(0, dash))
      ? text.slice(dash + 1)
      : text.slice(0, dash);
    throw new UsageError(`invalid input range: ${cite(part)}`, 1, false);
  }
  if (low > high + 1 || high >= Number.MAX_SAFE_INTEGER) {
    throw new UsageError(`invalid input range: ${cite(text)}`, 1, false);
  }
  return { count: high - low + 1, at: (i) => String(low + i) };
}

async function linesOf(
  context: UtilityContext,
  name: string,
  delimiter: string,
  count: number,
  random: Random,
): Promise<Items> {
  let source: ByteSource;
  let large: boolean;
  try {
    source = name === "-" ? context.stdin : await context.open(name);
    large = name === "-" || context.fs.stat(context.path(name)).size > SAMPLED_SIZE;
  } catch (error) {
    throw new Failure(`${quoteIfNeeded(name)}: ${reason(error)}`);
  }
  try {
    if (count === 0) return { count: 0, at: () => "" };
    if (large && count !== Infinity) {
      const kept = await sample(context, new LineReader(source, delimiter), count, random);
      return { count: kept.length, at: (i) => kept[i] };
    }
    const lines = decodeBytes(await readAll(source, () => context.poll())).split(delimiter);
    if (lines[lines.length - 1] === "") lines.pop();
    return { count: lines.length, at: (i) => lines[i] };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`read error: ${reason(error)}`);
  } finally {
    if (source !== context.stdin) source.close();
  }
}

/** So many lines of a stream, each with the same chance, without keeping the others. */
async function sample(
  context: UtilityContext,
  reader: LineReader,
  count: number,
  random: Random,
): Promise<string[]> {
  const kept: string[] = [];
  for (let seen = 0;; seen++) {
    if ((seen & 255) === 0) context.poll();
    // GNU draws before it knows whether there is another line.
    const place = seen < count ? seen : await random.below(seen + 1);
    const next = reader.next();
    const line = next instanceof Promise ? await next : next;
    if (line === undefined) return kept;
    if (place < count) kept[place] = line;
  }
}

async function create(context: UtilityContext, name: string) {
  try {
    return await context.create(name);
  } catch (error) {
    throw new Failure(`${quoteIfNeeded(name)}: ${reason(error)}`);
  }
}

async function openRandom(context: UtilityContext, name: string | undefined): Promise<Random> {
  if (name === undefined) return new Random((into) => (context.host.random(into), into.length), "");
  try {
    const source = await context.open(name);
    return new Random((into) => source.read(into), cite(name), () => source.close());
  } catch (error) {
    throw new Failure(`${quoteIfNeeded(name)}: ${reason(error)}`);
  }
}

/**
 * Even numbers below a bound out of bytes. What a draw leaves over is kept
 * for the next one: `#value` is even in 0..`#most`.
 */
class Random {
  #value = 0n;
  #most = 0n;
  readonly #buffer = new Uint8Array(4096);
  #at = 0;
  #end = 0;

  constructor(
    readonly read: (into: Uint8Array) => number | Promise<number>,
    readonly name: string,
    readonly close: () => void = () => {},
  ) {}

  async #byte(): Promise<bigint> {
    if (this.#at === this.#end) {
      const got = this.read(this.#buffer);
      this.#end = typeof got === "number" ? got : await got;
      this.#at = 0;
      if (this.#end === 0) throw new Failure(`${this.name}: end of file`);
    }
    return BigInt(this.#buffer[this.#at++]);
  }

  async below(bound: number): Promise<number> {
    const choices = BigInt(bound);
    for (;;) {
      while (this.#most < choices - 1n) {
        this.#value = this.#value * 256n + await this.#byte();
        this.#most = this.#most * 256n + 255n;
      }
      const outcomes = this.#most + 1n;
      const left = outcomes % choices;
      const even = outcomes - left;
      if (this.#value < even) {
        const chosen = this.#value % choices;
        this.#value /= choices;
        this.#most = even / choices - 1n;
        return Number(chosen);
      }
      this.#value -= even;
      this.#most = left - 1n;
    }
  }
}
