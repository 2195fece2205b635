/** printenv: values of environment variables. */
import type { UtilityContext } from "../builtin.ts";
import { parseOptions } from "./shared/options.ts";

const TABLE = {
  options: ["0|null"],
  stopAtOperand: true,
  usageStatus: 2,
  usage: "[OPTION]... [VARIABLE]...",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const end = options.has("0") ? "\0" : "\n";
  if (options.operands.length === 0) {
    for (const [name, value] of context.env) await context.stdout.print(`${name}=${value}${end}`);
    return 0;
  }
  let status = 0;
  for (const name of options.operands) {
    const value = context.env.get(name);
    if (value === undefined) status = 1;
    else await context.stdout.print(value + end);
  }
  return status;
}
