/** cmp: where two files differ first, or everywhere. */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSource } from "../host.ts";
import { BLOCK_SIZE } from "./shared/blocks.ts";
import { parseSize } from "./shared/numbers.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { cite, reason } from "./shared/report.ts";

const TABLE = {
  options: ["b|print-bytes", "i|ignore-initial=", "l|verbose", "n|bytes=", "s|quiet|silent"],
  usageStatus: 2,
  usage: "[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const [first, second = "-", ...skips] = options.operands;
  if (first === undefined) throw new UsageError(`missing operand after ${cite(context.name)}`, 2);
  const sizeOf = (text: string | undefined): number => {
    if (text === undefined) return 0;
    const size = parseSize(text);
    if (size === undefined) throw new UsageError(`invalid --ignore-initial value ${cite(text)}`, 2);
    return size;
  };
  const [a, b] = (options.value("i") ?? "").split(":");
  const skipFirst = options.has("i") ? sizeOf(a) : sizeOf(skips[0]);
  const skipSecond = options.has("i") ? sizeOf(b ?? a) : sizeOf(skips[1]);
  const limit = options.has("n") ? sizeOf(options.value("n")) : Infinity;
  const open = async (name: string): Promise<ByteSource> => {
    try {
      return name === "-" ? context.stdin : await context.open(name);
    } catch (error) {
      throw new Failure(`${name}: ${reason(error)}`, 2);
    }
  };
  const locale = context.env.get("LC_ALL") || context.env.get("LC_MESSAGES") || context.env.get("LANG") ||
    "C";
  const byteWord = options.has("b") || !/^(C|POSIX)$/.test(locale) ? "byte" : "char";
  const sources = [await open(first)];
  try {
    sources.push(await open(second));
  } catch (error) {
    if (sources[0] !== context.stdin) sources[0].close();
    throw error;
  }
  const readers = [new Bytes(sources[0]), new Bytes(sources[1])];
  try {
    await readers[0].skip(skipFirst);
    await readers[1].skip(skipSecond);
    let position = 0;
    let line = 1;
    let status = 0;
    let lastNewline = true;
    while (position < limit) {
      context.poll();
      const [x, y] = [await readers[0].fill(), await readers[1].fill()];
      const count = Math.min(x.length, y.length, limit - position);
      for (let i = 0; i < count; i++) {
        if (x[i] !== y[i]) {
          if (options.has("s")) return 1;
          status = 1;
          const at = position + i + 1;
          if (!options.has("l")) {
            const bytes = options.has("b")
              ? ` is ${octal(x[i])} ${visible(x[i])} ${octal(y[i])} ${visible(y[i])}`
              : "";
            await context.stdout.print(
              `${first} ${second} differ: ${byteWord} ${at}, line ${line}${bytes}\n`,
            );
            return 1;
          }
          const shown = options.has("b")
            ? ` ${octal(x[i])} ${visible(x[i]).padEnd(4)} ${octal(y[i])} ${visible(y[i])}`
            : ` ${octal(x[i])} ${octal(y[i])}`;
          await context.stdout.print(`${at}${shown}\n`);
        }
        lastNewline = x[i] === 10;
        if (lastNewline) line++;
      }
      position += count;
      readers[0].take(count);
      readers[1].take(count);
      if (count === 0) {
        if (x.length === y.length) return status;
        const short = x.length === 0 ? first : second;
        if (!options.has("s")) {
          const where = position === 0
            ? "which is empty"
            : options.has("l")
            ? `after byte ${position}`
            : `after byte ${position}, ${lastNewline ? `line ${line - 1}` : `in line ${line}`}`;
          await context.stderr.print(`${context.name}: EOF on ${short} ${where}\n`);
        }
        return 1;
      }
    }
    return status;
  } finally {
    for (const source of sources) if (source !== context.stdin) source.close();
  }
}

class Bytes {
  readonly #buffer = new Uint8Array(BLOCK_SIZE);
  #start = 0;
  #end = 0;
  constructor(readonly source: ByteSource) {}

  async fill(): Promise<Uint8Array> {
    if (this.#start === this.#end) {
      this.#start = 0;
      this.#end = await this.source.read(this.#buffer);
    }
    return this.#buffer.subarray(this.#start, this.#end);
  }

  take(count: number): void {
    this.#start += count;
  }

  async skip(count: number): Promise<void> {
    while (count > 0) {
      const bytes = await this.fill();
      if (bytes.length === 0) return;
      this.take(Math.min(count, bytes.length));
      count -= Math.min(count, bytes.length);
    }
  }
}

function octal(byte: number): string {
  return byte.toString(8).padStart(3);
}

function visible(byte: number): string {
  const high = byte >= 128 ? "M-" : "";
  const low = byte & 127;
  return high +
    (low < 32 ? "^" + String.fromCharCode(low + 64) : low === 127 ? "^?" : String.fromCharCode(low));
}
