/** nproc: number of processors. */
import type { UtilityContext } from "../builtin.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { cite } from "./shared/report.ts";

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, { options: ["all", "ignore="] });
  const ignore = options.value("ignore") ?? "0";
  if (!/^\d+$/.test(ignore)) throw new UsageError(`invalid number to ignore: ${cite(ignore)}`, 1, false);
  await context.stdout.print(Math.max(1, context.host.processors - Number(ignore)) + "\n");
  return 0;
}
