/** comm: what two sorted files have in common. */
import type { UtilityContext } from "../builtin.ts";
import { LineReader } from "./shared/blocks.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { cite, complain, quoteIfNeeded, reason } from "./shared/report.ts";

const TABLE = {
  options: ["1", "2", "3", "check-order", "nocheck-order", "output-delimiter=", "total", "z|zero-terminated"],
  usage: "[OPTION]... FILE1 FILE2",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const { operands } = options;
  if (operands.length === 0) throw new UsageError("missing operand");
  if (operands.length === 1) throw new UsageError(`missing operand after ${cite(operands[0])}`);
  if (operands.length > 2) throw new UsageError(`extra operand ${cite(operands[2])}`);
  const end = options.has("z") ? "\0" : "\n";
  const between = options.value("output-delimiter") ?? "\t";
  const hidden = [options.has("1"), options.has("2"), options.has("3")];
  const opened = [];
  for (const name of operands) {
    try {
      opened.push(name === "-" ? context.stdin : await context.open(name));
    } catch (error) {
      throw new Failure(`${quoteIfNeeded(name)}: ${reason(error)}`);
    }
  }
  const readers = opened.map((source) => new LineReader(source, end));
  const counts = [0, 0, 0];
  const prefix = ["", hidden[0] ? "" : between, (hidden[0] ? "" : between) + (hidden[1] ? "" : between)];
  const previous: (string | undefined)[] = [undefined, undefined];
  const disordered = [false, false];
  let status = 0;
  const next = async (which: number): Promise<string | undefined> => {
    const pending = readers[which].next();
    const line = pending instanceof Promise ? await pending : pending;
    const before = previous[which];
    if (
      line !== undefined && before !== undefined && line < before && !disordered[which] &&
      !options.has("nocheck-order")
    ) {
      disordered[which] = true;
      await complain(context, `file ${which + 1} is not in sorted order`);
      status = 1;
      if (options.has("check-order")) throw new Failure("input is not in sorted order");
    }
    previous[which] = line;
    return line;
  };
  const put = async (column: number, line: string): Promise<void> => {
    counts[column]++;
    if (hidden[column]) return;
    const done = context.stdout.print(prefix[column] + line + end);
    if (done) await done;
  };
  try {
    let a = await next(0), b = await next(1);
    while (a !== undefined || b !== undefined) {
      context.poll();
      if (b === undefined || (a !== undefined && a < b)) {
        await put(0, a!);
        a = await next(0);
      } else if (a === undefined || b < a) {
        await put(1, b);
        b = await next(1);
      } else {
        await put(2, a);
        a = await next(0);
        b = await next(1);
      }
    }
  } finally {
    for (const source of opened) if (source !== context.stdin) source.close();
  }
  if (options.has("total")) await context.stdout.print(counts.join(between) + between + "total" + end);
  if (status !== 0) await complain(context, "input is not in sorted order");
  return status;
}
