/** uniq: drops or chooses lines that repeat the one before; compares bytes in place. */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSink } from "../host.ts";
import { BlockReader } from "./shared/blocks.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { complainAbout, quote } from "./shared/report.ts";

const TABLE = {
  options: [
    "c|count",
    "d|repeated",
    "D",
    "all-repeated=?",
    "f|skip-fields=",
    "group=?",
    "i|ignore-case",
    "s|skip-chars=",
    "u|unique",
    "w|check-chars=",
    "z|zero-terminated",
  ],
  usage: "[OPTION]... [INPUT [OUTPUT]]",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const { operands } = options;
  if (operands.length > 2) throw new UsageError(`extra operand ${quote(operands[2])}`);
  const number = (key: string, what: string): number | undefined => {
    const text = options.value(key);
    if (text === undefined) return undefined;
    if (!/^\d+$/.test(text)) throw new UsageError(`${text}: invalid number of ${what}`, 1, false);
    return Number(text);
  };
  const skipFields = number("f", "fields to skip") ?? 0;
  const skipChars = number("s", "bytes to skip") ?? 0;
  const check = number("w", "bytes to compare") ?? Infinity;
  const group = options.has("group") ? options.value("group") || "separate" : undefined;
  if (group !== undefined && options.has("c", "d", "D", "all-repeated", "u")) {
    throw new UsageError("--group is mutually exclusive with -c/-d/-D/-u");
  }
  const all = options.has("D", "all-repeated");
  if (all && options.has("c")) {
    throw new UsageError("printing all duplicated lines and repeat counts is meaningless");
  }
  const allStyle = options.value("all-repeated") || "none";
  const end = options.has("z") ? 0 : 10;
  const fold = options.has("i");
  const separator = Uint8Array.of(end);

  let source;
  try {
    source = operands.length === 0 || operands[0] === "-" ? context.stdin : await context.open(operands[0]);
  } catch (error) {
    await complainAbout(context, operands[0], error);
    return 1;
  }
  const sink: ByteSink = operands.length === 2 && operands[1] !== "-"
    ? await context.create(operands[1])
    : context.stdout;
  const key = (line: Uint8Array): Uint8Array => {
    let at = 0;
    for (let i = 0; i < skipFields; i++) {
      while (at < line.length && (line[at] === 32 || line[at] === 9)) at++;
      while (at < line.length && line[at] !== 32 && line[at] !== 9) at++;
    }
    at = Math.min(line.length, at + skipChars);
    return line.subarray(at, check === Infinity ? line.length : Math.min(line.length, at + check));
  };
  const encoder = new TextEncoder();
  let groups = 0;
  const emit = async (lines: Uint8Array[], count: number): Promise<void> => {
    if (group !== undefined || all) {
      if (all && count < 2) return;
      const style = group ?? allStyle;
      if (
        (groups > 0 && (style === "separate" || style === "both")) || style === "prepend" ||
        (style === "both" && groups === 0)
      ) await sink.write(separator);
      groups++;
      for (const line of lines) {
        const done = sink.write(withEnd(line, end));
        if (done) await done;
      }
      if (style === "append") await sink.write(separator);
      return;
    }
    if (options.has("d") && count < 2) return;
    if (options.has("u") && count > 1) return;
    const done = sink.write(
      options.has("c")
        ? concat(encoder.encode(String(count).padStart(7) + " "), withEnd(lines[0], end))
        : withEnd(lines[0], end),
    );
    if (done) await done;
  };

  let current: Uint8Array[] = [];
  let currentKey = new Uint8Array();
  let count = 0;
  const keepAll = all || group !== undefined;
  const blocks = new BlockReader(source, end);
  try {
    for (;;) {
      context.poll();
      const next = blocks.next();
      const block = next instanceof Promise ? await next : next;
      if (!block) break;
      for (let start = 0; start < block.length;) {
        let stop = block.indexOf(end, start);
        if (stop < 0) stop = block.length;
        const line = block.subarray(start, stop);
        start = stop + 1;
        const lineKey = key(line);
        if (count > 0 && same(lineKey, currentKey, fold)) {
          count++;
          if (keepAll) current.push(line.slice());
          continue;
        }
        if (count > 0) await emit(current, count);
        const copy = line.slice();
        current = [copy];
        currentKey = key(copy) as Uint8Array<ArrayBuffer>;
        count = 1;
      }
    }
    if (count > 0) await emit(current, count);
    if (group === "both" && groups > 0) await sink.write(separator);
  } finally {
    if (source !== context.stdin) source.close();
    if (sink !== context.stdout) sink.close();
  }
  return 0;
}

function same(a: Uint8Array, b: Uint8Array, fold: boolean): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (a[i] === b[i]) continue;
    if (!fold || lower(a[i]) !== lower(b[i])) return false;
  }
  return true;
}

function lower(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte + 32 : byte;
}

function withEnd(line: Uint8Array, end: number): Uint8Array {
  const out = new Uint8Array(line.length + 1);
  out.set(line);
  out[line.length] = end;
  return out;
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}
