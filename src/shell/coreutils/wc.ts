/**
 * wc: counts lines, words, bytes, characters and the longest line, on bytes.
 * Bytes alone are taken from the file's size where it has one.
 */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSource } from "../host.ts";
import { decodeBytes } from "../../lib/text/bytes.ts";
import { BLOCK_SIZE, eachInput, readAll } from "./shared/blocks.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { cite, complainAbout, quoteIfNeeded } from "./shared/report.ts";

const TABLE = {
  options: ["c|bytes", "m|chars", "l|lines", "w|words", "L|max-line-length", "files0-from=", "total="],
};

interface Counts {
  lines: number;
  words: number;
  chars: number;
  bytes: number;
  longest: number;
}

const COLUMNS = [["l", "lines"], ["w", "words"], ["m", "chars"], ["c", "bytes"], ["L", "longest"]] as const;

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const total = options.value("total") ?? "auto";
  if (!["auto", "always", "only", "never"].includes(total)) {
    throw new UsageError(`invalid argument ${cite(total)} for '--total'`);
  }
  let files = options.operands;
  const list = options.value("files0-from");
  if (list !== undefined) {
    if (files.length > 0) {
      throw new UsageError(
        `extra operand ${cite(files[0])}\nfile operands cannot be combined with --files0-from`,
      );
    }
    const source = list === "-" ? context.stdin : await context.open(list);
    files = decodeBytes(await readAll(source, () => context.poll())).split("\0").filter((name) =>
      name !== ""
    );
    if (files.length === 0) return 0;
  }
  const chosen = options.has("c", "m", "l", "w", "L");
  const columns = COLUMNS.filter(([key]) =>
    chosen ? options.has(key) : key === "l" || key === "w" || key === "c"
  ).map(([, field]) => field);
  const rows: { counts: Counts; name: string }[] = [];
  const sum: Counts = { lines: 0, words: 0, chars: 0, bytes: 0, longest: 0 };
  let status = 0;
  const width = widthFor(context, files, columns.length);
  const show = async (counts: Counts, name: string): Promise<void> => {
    const text = columns.map((field) => String(counts[field]).padStart(total === "only" ? 0 : width)).join(
      " ",
    );
    await context.stdout.print(text + (name === "" ? "" : " " + quoteIfNeeded(name)) + "\n");
  };
  await eachInput(context, files, async (source, name) => {
    const counts = await count(context, source, columns);
    for (const key of ["lines", "words", "chars", "bytes"] as const) sum[key] += counts[key];
    sum.longest = Math.max(sum.longest, counts.longest);
    rows.push({ counts, name });
    if (total !== "only") await show(counts, files.length === 0 ? "" : name);
  }, async (name, error) => {
    await complainAbout(context, name, error);
    status = 1;
  });
  if (total === "only") await show(sum, "");
  else if (total === "always" || (total === "auto" && files.length > 1)) await show(sum, "total");
  return status;
}

/** GNU's width: as many digits as the sum of the sizes has, at least 7 where a size is not known. */
function widthFor(context: UtilityContext, files: readonly string[], columns: number): number {
  if (files.length <= 1 && columns === 1) return 1;
  let width = 1;
  let sum = 0;
  for (const name of files.length === 0 ? ["-"] : files) {
    try {
      const stat = name === "-" ? stdinStat(context) : context.fs.stat(context.path(name));
      if (stat?.kind === "file") sum += stat.size;
      else width = 7;
    } catch {
      // Reported when it is opened.
    }
  }
  return Math.max(width, String(sum).length);
}

function stdinStat(context: UtilityContext): { kind: string; size: number } | undefined {
  const source: ByteSource & { stat?: () => { kind: string; size: number } } = context.stdin;
  return typeof source.stat === "function" ? source.stat() : undefined;
}

async function count(
  context: UtilityContext,
  source: ByteSource,
  columns: readonly (keyof Counts)[],
): Promise<Counts> {
  const counts: Counts = { lines: 0, words: 0, chars: 0, bytes: 0, longest: 0 };
  const buffer = new Uint8Array(BLOCK_SIZE);
  const words = columns.includes("words") || columns.includes("longest");
  const chars = columns.includes("chars");
  const lines = columns.includes("lines");
  let inWord = false;
  let column = 0;
  for (;;) {
    context.poll();
    const read = source.read(buffer);
    const got = typeof read === "number" ? read : await read;
    if (got === 0) break;
    counts.bytes += got;
    if (words) {
      for (let i = 0; i < got; i++) {
        const byte = buffer[i];
        if (byte === 10) {
          counts.lines++;
          inWord = false;
          if (column > counts.longest) counts.longest = column;
          column = 0;
        } else if (byte === 32 || (byte >= 9 && byte <= 13)) {
          inWord = false;
          if (byte === 9) column += 8 - column % 8;
          else if (byte === 32) column++;
          else if (byte === 13 || byte === 12) {
            if (column > counts.longest) counts.longest = column;
            column = 0;
          }
        } else {
          if (!inWord && byte > 32 && byte !== 127) {
            inWord = true;
            counts.words++;
          }
          if (byte > 32 && byte < 127 || byte >= 0xc0) column++;
        }
      }
    } else if (lines) {
      counts.lines += newlines(buffer, got);
    }
    if (chars) { for (let i = 0; i < got; i++) if ((buffer[i] & 0xc0) !== 0x80) counts.chars++; }
  }
  if (column > counts.longest) counts.longest = column;
  if (counts.bytes > Number.MAX_SAFE_INTEGER) throw new Failure("input too large");
  return counts;
}

/** Number of newlines: the native search where lines are long, a plain loop where they are short. */
function newlines(buffer: Uint8Array, length: number): number {
  let found = 0;
  const bytes = buffer.subarray(0, length);
  for (let i = bytes.indexOf(10); i >= 0; i = bytes.indexOf(10, i + 1)) {
    if (++found > 256 && i < found * 32) {
      for (i++; i < length; i++) if (bytes[i] === 10) found++;
      return found;
    }
  }
  return found;
}
