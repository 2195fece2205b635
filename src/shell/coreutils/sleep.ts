/** sleep: waits, and ends at once when the run or the command is ended. */
import type { UtilityContext } from "../builtin.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { parseDuration } from "./shared/duration.ts";
import { cite } from "./shared/report.ts";

const TABLE = { options: [], usage: "NUMBER[SUFFIX]..." };

export async function run(context: UtilityContext): Promise<number> {
  const { operands } = parseOptions(context, TABLE);
  if (operands.length === 0) throw new UsageError("missing operand");
  let total = 0;
  for (const text of operands) {
    const seconds = parseDuration(text);
    if (seconds === undefined) throw new UsageError(`invalid time interval ${cite(text)}`);
    total += seconds;
  }
  // Timers hold at most 2^31 ms.
  const end = context.host.now() + total * 1000;
  for (;;) {
    const left = end - context.host.now();
    if (!(left > 0)) return 0;
    await context.host.sleep(Math.min(left, 1e9), context.signal);
    context.poll();
    context.poll();
    if (context.signal.aborted) return 0;
  }
}
