/** whoami: name of the user. */
import type { UtilityContext } from "../builtin.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { readOwners } from "./shared/owners.ts";
import { cite } from "./shared/report.ts";

export async function run(context: UtilityContext): Promise<number> {
  const { operands } = parseOptions(context, { options: [], usage: "[OPTION]..." });
  if (operands.length > 0) throw new UsageError(`extra operand ${cite(operands[0])}`);
  const owners = await readOwners(context);
  await context.stdout.print(owners.userName(context.host.user.uid) + "\n");
  return 0;
}
