/** unlink: removes one name. */
import type { UtilityContext } from "../builtin.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { cite, quote, reason } from "./shared/report.ts";

const TABLE = { options: [], usage: "FILE" };

export function run(context: UtilityContext): number {
  const [name, extra] = parseOptions(context, TABLE).operands;
  if (name === undefined) throw new UsageError("missing operand");
  if (extra !== undefined) throw new UsageError(`extra operand ${cite(extra)}`);
  try {
    context.fs.unlink(context.path(name));
  } catch (error) {
    throw new Failure(`cannot unlink ${quote(name)}: ${reason(error)}`);
  }
  return 0;
}
