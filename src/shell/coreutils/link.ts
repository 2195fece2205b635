/** link: makes one hard link. */
import type { UtilityContext } from "../builtin.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { cite, quote, reason } from "./shared/report.ts";

const TABLE = { options: [], usage: "FILE1 FILE2" };

export async function run(context: UtilityContext): Promise<number> {
  const { operands } = parseOptions(context, TABLE);
  const [from, to, extra] = operands;
  if (from === undefined) throw new UsageError("missing operand");
  if (to === undefined) throw new UsageError(`missing operand after ${cite(from)}`);
  if (extra !== undefined) throw new UsageError(`extra operand ${cite(extra)}`);
  try {
    await context.fs.link(context.path(from), context.path(to));
  } catch (error) {
    throw new Failure(`cannot create link ${quote(to)} to ${quote(from)}: ${reason(error)}`);
  }
  return 0;
}
