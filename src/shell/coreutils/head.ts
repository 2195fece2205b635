/** head: the first lines or bytes, or all but the last ones. */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSource } from "../host.ts";
import { BLOCK_SIZE, eachInput, readAll } from "./shared/blocks.ts";
import { parseSize } from "./shared/numbers.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { cite, complain, quote, reason } from "./shared/report.ts";

const TABLE = {
  options: ["c|bytes=", "n|lines=", "q|quiet|silent", "v|verbose", "z|zero-terminated"],
  numeric: "n",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE, oldForm(context.args));
  const unit = options.last("c", "n") ?? "n";
  const text = options.value(unit) ?? "10";
  const fromEnd = text.startsWith("-");
  const count = parseSize(text.replace(/^[-+]/, ""));
  if (count === undefined) {
    throw new UsageError(`invalid number of ${unit === "c" ? "bytes" : "lines"}: ${cite(text)}`, 1, false);
  }
  const delimiter = options.has("z") ? 0 : 10;
  const headers = options.has("v") || (options.operands.length > 1 && !options.has("q"));
  let status = 0;
  let first = true;
  await eachInput(context, options.operands, async (source, name) => {
    if (headers) {
      await context.stdout.print(`${first ? "" : "\n"}==> ${name === "-" ? "standard input" : name} <==\n`);
      first = false;
    }
    if (fromEnd) await allBut(context, source, unit, count, delimiter);
    else await take(context, source, unit, count, delimiter);
  }, async (name, error) => {
    const verb = (error as { code?: string }).code === "EISDIR" ? "error reading" : "cannot open";
    await complain(
      context,
      `${verb} ${quote(name)}${verb === "cannot open" ? " for reading" : ""}: ${reason(error)}`,
    );
    status = 1;
  });
  return status;
}

/** `-5c` and `-3q`: the form of old, only as first argument. */
function oldForm(args: readonly string[]): readonly string[] {
  const match = /^-(\d+)([bkmcqvlz]+)$/.exec(args[0] ?? "");
  if (!match) return args;
  const [, number, letters] = match;
  const bytes = /[bkmc]/.exec(letters)?.[0];
  const rest = letters.replace(/[^qvz]/g, "");
  return [
    bytes ? `-c${number}${bytes === "c" ? "" : bytes}` : `-n${number}`,
    ...(rest ? [`-${rest}`] : []),
    ...args.slice(1),
  ];
}

async function take(
  context: UtilityContext,
  source: ByteSource,
  unit: string,
  count: number,
  delimiter: number,
): Promise<void> {
  let left = count;
  // Reads no more than it needs where it can know, for those who read after it.
  const buffer = new Uint8Array(unit === "c" ? Math.max(1, Math.min(BLOCK_SIZE, left)) : BLOCK_SIZE);
  while (left > 0) {
    context.poll();
    const read = source.read(unit === "c" ? buffer.subarray(0, Math.min(buffer.length, left)) : buffer);
    const got = typeof read === "number" ? read : await read;
    if (got === 0) return;
    let end = got;
    if (unit === "c") left -= got;
    else {
      end = 0;
      while (left > 0) {
        const at = buffer.subarray(end, got).indexOf(delimiter);
        if (at < 0) {
          end = got;
          break;
        }
        end += at + 1;
        left--;
      }
    }
    const done = context.stdout.write(buffer.subarray(0, end));
    if (done) await done;
    if (left === 0 && end < got) giveBack(source, end - got);
  }
}

/** A file's position is shared: what was read too far is given back, so that the next reader gets it. */
function giveBack(source: ByteSource, by: number): void {
  const file: ByteSource & { seek?: (offset: number, from: "current") => number } = source;
  try {
    file.seek?.(by, "current");
  } catch {
    // A pipe: what was read is gone, as with GNU's.
  }
}

async function allBut(
  context: UtilityContext,
  source: ByteSource,
  unit: string,
  count: number,
  delimiter: number,
): Promise<void> {
  const bytes = await readAll(source, () => context.poll());
  let end = bytes.length;
  if (unit === "c") end = Math.max(0, end - count);
  else {
    let left = count;
    if (left > 0 && end > 0 && bytes[end - 1] !== delimiter) {
      // The unfinished last line is a line.
      left--;
      end = bytes.lastIndexOf(delimiter) + 1;
    }
    while (left > 0 && end > 0) {
      end = end < 2 ? 0 : bytes.lastIndexOf(delimiter, end - 2) + 1;
      left--;
    }
  }
  const done = context.stdout.write(bytes.subarray(0, end));
  if (done) await done;
}
