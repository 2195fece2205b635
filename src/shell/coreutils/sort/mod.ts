/**
 * sort: orders lines by bytes, in memory (bounded), by offsets into the input.
 */
import type { UtilityContext } from "../../builtin.ts";
import type { ByteSink } from "../../host.ts";
import { BLOCK_SIZE } from "../shared/blocks.ts";
import { Failure, type Options, parseOptions, UsageError } from "../shared/options.ts";
import { decodeBytes } from "../../../lib/text/bytes.ts";
import { cite, complain, quoteIfNeeded, reason } from "../shared/report.ts";
import {
  applyFlag,
  type Compare,
  type Key,
  keyCompare,
  type KeyFlags,
  parseKey,
  plainFlags,
  separatorByte,
} from "./keys.ts";
import { byteOrder, compareBytes, lineEnd, type Lines, mergeOrder, splitLines } from "./lines.ts";

const TABLE = {
  options: [
    "b|ignore-leading-blanks",
    "d|dictionary-order",
    "f|ignore-case",
    "g|general-numeric-sort",
    "i|ignore-nonprinting",
    "M|month-sort",
    "h|human-numeric-sort",
    "n|numeric-sort",
    "R|random-sort",
    "r|reverse",
    "V|version-sort",
    "sort=",
    "c",
    "check=?",
    "C",
    "k|key=",
    "m|merge",
    "o|output=",
    "s|stable",
    "S|buffer-size=",
    "t|field-separator=",
    "T|temporary-directory=",
    "u|unique",
    "z|zero-terminated",
    "parallel=",
    "batch-size=",
    "files0-from=",
  ],
  unsupported: ["debug", "compress-program=", "random-source="],
  usageStatus: 2,
};

const WORDS: Readonly<Record<string, string>> = {
  "general-numeric": "g",
  "human-numeric": "h",
  month: "M",
  numeric: "n",
  random: "R",
  version: "V",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const poll = () => context.poll();
  const rest = () => context.rest();
  const delimiter = options.has("z") ? 0 : 10;
  const defaults = globalFlags(options);
  const keys = options.values("k").map((text) => parseKey(text, defaults));
  const tab = options.value("t");
  const separator = tab === undefined ? -1 : separatorByte(tab);
  let files = options.operands;
  const list = options.value("files0-from");
  if (list !== undefined) {
    if (files.length > 0) {
      throw new UsageError(
        `extra operand ${cite(files[0])}\nfile operands cannot be combined with --files0-from`,
        2,
      );
    }
    files = decodeBytes(await readFiles(context, [list], 0)).split("\0").filter((name) => name !== "");
  }
  const checks = options.has("c", "C", "check");
  if (checks && files.length > 1) {
    throw new UsageError(`extra operand ${cite(files[1])} not allowed with -c`, 2);
  }
  const lines = await splitLines(await readFiles(context, files, delimiter), delimiter, rest);
  const salt = new Uint8Array(16);
  if (defaults.kind === "random" || keys.some((key) => key.flags.kind === "random")) {
    context.host.random(salt);
  }
  const order = ordering(lines, keys, defaults, separator, options, salt, poll);
  if (checks) return await check(context, lines, order, options, files[0] ?? "-");

  const sorted = order.plain
    ? await byteOrder(lines, rest)
    : await mergeOrder(lines.count, order.compare, rest);
  if (order.plain && defaults.reverse) sorted.reverse();
  const target = options.value("o");
  let sink: ByteSink = context.stdout;
  if (target !== undefined) {
    try {
      sink = await context.create(target);
    } catch (error) {
      throw new Failure(`open failed: ${quoteIfNeeded(target)}: ${reason(error)}`, 2);
    }
  }
  try {
    await writeLines(sink, lines, sorted, options.has("u") ? order.same : undefined, poll);
  } finally {
    if (target !== undefined) sink.close();
  }
  return 0;
}

function globalFlags(options: Options): KeyFlags {
  const flags = plainFlags();
  for (const [key, value] of options.list) {
    if (key === "sort") {
      if (!Object.hasOwn(WORDS, value)) {
        throw new UsageError(`invalid argument ${cite(value)} for '--sort'`, 2);
      }
      applyFlag(flags, WORDS[value], "both");
    } else if (key.length === 1 && "bdfgiMhnRrV".includes(key)) applyFlag(flags, key, "both");
  }
  return flags;
}

interface Ordering {
  /** Whole lines by their bytes: the quick way will do. */
  readonly plain: boolean;
  readonly compare: Compare;
  /** Equality for -u. */
  readonly same: (a: number, b: number) => boolean;
}

function ordering(
  lines: Lines,
  keys: readonly Key[],
  defaults: KeyFlags,
  separator: number,
  options: Options,
  salt: Uint8Array,
  poll: () => void,
): Ordering {
  const whole: Compare = (a, b) =>
    compareBytes(lines.bytes, lines.starts[a], lineEnd(lines, a), lines.starts[b], lineEnd(lines, b));
  const { kind, fold, dictionary, printable, blanksStart } = defaults;
  if (keys.length === 0 && kind === "text" && !fold && !dictionary && !printable && !blanksStart) {
    return {
      plain: true,
      compare: defaults.reverse ? (a, b) => whole(b, a) : whole,
      same: (a, b) => whole(a, b) === 0,
    };
  }
  const all = keys.length > 0
    ? keys
    : [{ startField: 1, startChar: 1, endField: 0, endChar: 0, flags: defaults }];
  const compares = all.map((key) => keyCompare(lines, key, separator, salt, poll));
  const byKeys: Compare = compares.length === 1 ? compares[0] : (a, b) => {
    for (const compare of compares) {
      const difference = compare(a, b);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  const same = (a: number, b: number) => byKeys(a, b) === 0;
  if (options.has("s", "u")) return { plain: false, compare: byKeys, same };
  const last: Compare = defaults.reverse ? (a, b) => whole(b, a) : whole;
  return { plain: false, compare: (a, b) => byKeys(a, b) || last(a, b), same };
}

async function check(
  context: UtilityContext,
  lines: Lines,
  order: Ordering,
  options: Options,
  file: string,
): Promise<number> {
  const strict = options.has("u");
  for (let i = 1; i < lines.count; i++) {
    if ((i & 0xffff) === 0) context.poll();
    const difference = order.compare(i - 1, i);
    if (difference > 0 || (strict && order.same(i - 1, i))) {
      if (!options.has("C") && !["quiet", "silent"].includes(options.value("check") ?? "")) {
        const text = decodeBytes(lines.bytes.subarray(lines.starts[i], lineEnd(lines, i)));
        await complain(context, `${file}:${i + 1}: disorder: ${text}`);
      }
      return 1;
    }
  }
  return 0;
}

/** All files in one array; each ends with the delimiter. */
async function readFiles(
  context: UtilityContext,
  files: readonly string[],
  delimiter: number,
): Promise<Uint8Array> {
  let buffer = new Uint8Array(1 << 20);
  let end = 0;
  const reserve = (size: number) => {
    if (end + size <= buffer.length) return;
    if (buffer.length >= 2 ** 32 - 1) throw new Failure("memory exhausted", 2);
    const larger = new Uint8Array(Math.min(2 ** 32 - 1, Math.max(buffer.length * 2, end + size)));
    larger.set(buffer.subarray(0, end));
    buffer = larger;
  };
  for (const name of files.length === 0 ? ["-"] : files) {
    try {
      const source = name === "-" ? context.stdin : await context.open(name);
      try {
        for (;;) {
          context.poll();
          reserve(BLOCK_SIZE);
          const read = source.read(buffer.subarray(end));
          const got = typeof read === "number" ? read : await read;
          if (got === 0) break;
          end += got;
        }
      } finally {
        if (source !== context.stdin) source.close();
      }
    } catch (error) {
      const folder = (error as { code?: string }).code === "EISDIR";
      throw new Failure(
        `${folder ? "read failed" : "cannot read"}: ${quoteIfNeeded(name)}: ${reason(error)}`,
        2,
      );
    }
    if (end > 0 && buffer[end - 1] !== delimiter) {
      reserve(1);
      buffer[end++] = delimiter;
    }
  }
  return buffer.subarray(0, end);
}

async function writeLines(
  sink: ByteSink,
  lines: Lines,
  order: Uint32Array,
  same: ((a: number, b: number) => boolean) | undefined,
  poll: () => void,
): Promise<void> {
  const { bytes, starts } = lines;
  const buffer = new Uint8Array(BLOCK_SIZE);
  let end = 0;
  for (let i = 0; i < order.length; i++) {
    const line = order[i];
    if (same && i > 0 && same(order[i - 1], line)) continue;
    const start = starts[line], stop = starts[line + 1];
    if (end + stop - start > buffer.length) {
      poll();
      const done = sink.write(buffer.subarray(0, end));
      if (done) await done;
      end = 0;
      if (stop - start > buffer.length) {
        const written = sink.write(bytes.subarray(start, stop));
        if (written) await written;
        continue;
      }
    }
    for (let k = start; k < stop; k++) buffer[end++] = bytes[k];
  }
  const done = sink.write(buffer.subarray(0, end));
  if (done) await done;
}
