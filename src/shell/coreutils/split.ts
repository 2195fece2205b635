/** split: a file into pieces. */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSink, ByteSource } from "../host.ts";
import { BLOCK_SIZE, readAll } from "./shared/blocks.ts";
import { parseSize } from "./shared/numbers.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { cite, quote, quoteIfNeeded, reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "a|suffix-length=",
    "additional-suffix=",
    "b|bytes=",
    "C|line-bytes=",
    "d",
    "numeric-suffixes=?",
    "x",
    "hex-suffixes=?",
    "l|lines=",
    "n|number=",
    "t|separator=",
    "verbose",
    "e|elide-empty-files",
  ],
  unsupported: ["filter=", "u|unbuffered"],
  numeric: "l",
  usage: "[OPTION]... [FILE [PREFIX]]",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const [name = "-", prefix = "x", extra] = options.operands;
  if (extra !== undefined) throw new UsageError(`extra operand ${cite(extra)}`);
  const how = options.list.filter(([key]) => ["b", "C", "l", "n"].includes(key));
  if (how.length > 1) throw new UsageError("cannot split in more than one way");
  const [key, text] = how[0] ?? ["l", "1000"];
  const chunks = key === "n" ? /^(?:([lr])\/)?(?:([^\/]*)\/)?([^\/]*)$/.exec(text) : undefined;
  if (key === "n" && !/^\d+$/.test(chunks?.[3] ?? "")) {
    throw new UsageError(`invalid number of chunks: ${cite(chunks?.[3] ?? text)}`, 1, false);
  }
  const size = key === "n" ? Number(chunks![3]) : parseSize(text);
  if (size === undefined || size === 0) {
    const noun = key === "l" ? "lines" : key === "n" ? "chunks" : "bytes";
    throw new UsageError(
      `invalid number of ${noun}: ${cite(text)}${
        size === 0 && key !== "n" ? ": Numerical result out of range" : ""
      }`,
      1,
      false,
    );
  }
  const only = chunks?.[2] === undefined ? undefined : /^\d+$/.test(chunks[2]) ? Number(chunks[2]) : NaN;
  if (only !== undefined && !(only >= 1 && only <= size)) {
    const range = Number.isNaN(only) ? "" : ": Numerical result out of range";
    throw new UsageError(`invalid chunk number: ${cite(chunks![2])}${range}`, 1, false);
  }
  const separator = options.has("t")
    ? (options.value("t") === "\\0" ? 0 : options.value("t")!.charCodeAt(0))
    : 10;
  const pieces = new Pieces(context, prefix, options);
  let source: ByteSource;
  try {
    source = name === "-" ? context.stdin : await context.open(name);
  } catch (error) {
    throw new Failure(`cannot open ${quote(name)} for reading: ${reason(error)}`);
  }
  try {
    if (key === "n") {
      const plan = { count: size, only, lines: chunks![1] === "l", separator, elide: options.has("e") };
      if (chunks![1] === "r") await byTurns(context, source, pieces, plan);
      else await byChunks(context, source, pieces, plan);
    } else if (key === "l") await byLines(context, source, pieces, size, separator);
    else if (key === "b") await byBytes(context, source, pieces, size);
    else await byLineBytes(context, source, pieces, size, separator);
  } finally {
    pieces.close();
    if (source !== context.stdin) source.close();
  }
  return 0;
}

class Pieces {
  #sink: ByteSink | undefined;
  #index: number;
  readonly #letters: string;
  readonly #width: number;
  readonly #grows: boolean;

  constructor(
    readonly context: UtilityContext,
    readonly prefix: string,
    readonly options: ReturnType<typeof parseOptions>,
  ) {
    const numeric = options.last("d", "numeric-suffixes", "x", "hex-suffixes");
    this.#letters = numeric === undefined
      ? "abcdefghijklmnopqrstuvwxyz"
      : numeric === "x" || numeric === "hex-suffixes"
      ? "0123456789abcdef"
      : "0123456789";
    const start = options.value("numeric-suffixes") || options.value("hex-suffixes");
    this.#index = start ? parseInt(start, numeric === "hex-suffixes" ? 16 : 10) : 0;
    this.#width = Number(options.value("a") ?? 2);
    this.#grows = !options.has("a") && !start;
  }

  #suffix(index: number): string {
    const base = this.#letters.length;
    let width = this.#width;
    let first = 0;
    if (this.#grows) {
      // The last letter starts a longer suffix: xyz, xzaaa.
      let room = base ** width - base ** (width - 1);
      while (index - first >= room) {
        first += room;
        width++;
        room = base ** width - base ** (width - 1);
      }
      const extra = width - this.#width;
      let rest = index - first;
      let out = "";
      for (let i = 0; i < width; i++) {
        out = this.#letters[rest % base] + out;
        rest = Math.floor(rest / base);
      }
      return this.#letters[base - 1].repeat(extra) + out;
    }
    if (index >= base ** width) throw new Failure("output file suffixes exhausted");
    let out = "";
    for (let i = 0; i < width; i++) {
      out = this.#letters[index % base] + out;
      index = Math.floor(index / base);
    }
    return out;
  }

  async next(): Promise<void> {
    // A file for each byte: no read comes between them.
    this.context.poll();
    this.close();
    const name = this.prefix + this.#suffix(this.#index++) + (this.options.value("additional-suffix") ?? "");
    if (this.options.has("verbose")) await this.context.stdout.print(`creating file ${quote(name)}\n`);
    try {
      this.#sink = await this.context.create(name);
    } catch (error) {
      throw new Failure(`${quoteIfNeeded(name)}: ${reason(error)}`);
    }
  }

  get open(): boolean {
    return this.#sink !== undefined;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#sink) await this.next();
    const done = this.#sink!.write(bytes);
    if (done) await done;
  }

  close(): void {
    this.#sink?.close();
    this.#sink = undefined;
  }
}

async function byLines(
  context: UtilityContext,
  source: ByteSource,
  pieces: Pieces,
  count: number,
  separator: number,
): Promise<void> {
  const buffer = new Uint8Array(BLOCK_SIZE);
  let lines = 0;
  for (;;) {
    context.poll();
    const got = await source.read(buffer);
    if (got === 0) return;
    for (let start = 0; start < got;) {
      let end = start;
      while (end < got && lines < count) {
        const at = buffer.subarray(end, got).indexOf(separator);
        if (at < 0) end = got;
        else {
          end += at + 1;
          lines++;
        }
      }
      await pieces.write(buffer.subarray(start, end));
      if (lines === count) {
        pieces.close();
        lines = 0;
      }
      start = end;
    }
  }
}

async function byBytes(
  context: UtilityContext,
  source: ByteSource,
  pieces: Pieces,
  size: number,
): Promise<void> {
  const buffer = new Uint8Array(BLOCK_SIZE);
  let left = size;
  for (;;) {
    context.poll();
    const got = await source.read(buffer);
    if (got === 0) return;
    for (let start = 0; start < got;) {
      const end = Math.min(got, start + left);
      await pieces.write(buffer.subarray(start, end));
      left -= end - start;
      if (left === 0) {
        pieces.close();
        left = size;
      }
      start = end;
    }
  }
}

async function byLineBytes(
  context: UtilityContext,
  source: ByteSource,
  pieces: Pieces,
  size: number,
  separator: number,
): Promise<void> {
  const bytes = await readAll(source, () => context.poll());
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(bytes.length, start + size);
    if (end < bytes.length) {
      const at = bytes.lastIndexOf(separator, end - 1);
      if (at >= start) end = at + 1;
    }
    await pieces.write(bytes.subarray(start, end));
    pieces.close();
    start = end;
  }
}

interface ChunkPlan {
  readonly count: number;
  /** The one chunk that is wanted, on standard output. */
  readonly only: number | undefined;
  /** Only whole lines. */
  readonly lines: boolean;
  readonly separator: number;
  readonly elide: boolean;
}

/** Lines go to the chunks in turns. */
async function byTurns(
  context: UtilityContext,
  source: ByteSource,
  pieces: Pieces,
  { count, only, separator, elide }: ChunkPlan,
): Promise<void> {
  const bytes = await readAll(source, () => context.poll());
  const chunks: Uint8Array[][] = Array.from({ length: count }, () => []);
  for (let start = 0, turn = 0; start < bytes.length; turn++) {
    context.poll();
    const at = bytes.indexOf(separator, start);
    const end = at < 0 ? bytes.length : at + 1;
    const line = bytes.subarray(start, end);
    if (only === undefined) chunks[turn % count].push(line);
    else if (turn % count === only - 1) await context.stdout.write(line);
    start = end;
  }
  if (only !== undefined) return;
  for (const lines of chunks) {
    if (lines.length === 0 && elide) continue;
    await pieces.next();
    for (const line of lines) await pieces.write(line);
    pieces.close();
  }
}

async function byChunks(
  context: UtilityContext,
  source: ByteSource,
  pieces: Pieces,
  { count, only, lines, separator, elide }: ChunkPlan,
): Promise<void> {
  const bytes = await readAll(source, () => context.poll());
  const each = Math.floor(bytes.length / count);
  let start = 0;
  for (let i = 1; i <= count; i++) {
    let end = i === count ? bytes.length : each * i;
    if (lines && end < bytes.length) {
      // A line belongs to the chunk in which it starts.
      const at = end === 0 ? -1 : bytes.indexOf(separator, end - 1);
      end = at < 0 ? (end === 0 ? 0 : bytes.length) : at + 1;
    }
    end = Math.max(start, end);
    if (only !== undefined) {
      if (i === only) await context.stdout.write(bytes.subarray(start, end));
    } else if (end > start || !elide) {
      await pieces.next();
      await pieces.write(bytes.subarray(start, end));
      pieces.close();
    }
    start = end;
  }
}
