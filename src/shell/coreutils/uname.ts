/** uname: about the system. */
import type { UtilityContext } from "../builtin.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { cite } from "./shared/report.ts";

const TABLE = {
  options: [
    "a|all",
    "s|kernel-name",
    "n|nodename",
    "r|kernel-release",
    "v|kernel-version",
    "m|machine",
    "p|processor",
    "i|hardware-platform",
    "o|operating-system",
  ],
  usage: "[OPTION]...",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  if (options.operands.length > 0) throw new UsageError(`extra operand ${cite(options.operands[0])}`);
  const { system, hostname, platform } = context.host;
  const fields: [string, string | undefined][] = [
    ["s", system.sysname],
    ["n", hostname],
    ["r", system.release],
    ["v", system.version],
    ["m", system.machine],
    ["p", options.has("a") ? undefined : "unknown"],
    ["i", options.has("a") ? undefined : "unknown"],
    ["o", platform === "linux" ? "GNU/Linux" : system.sysname],
  ];
  const chosen = fields.filter(([key, value]) =>
    value !== undefined && (options.has("a") || options.has(key))
  );
  await context.stdout.print(
    (options.list.length === 0 ? system.sysname : chosen.map(([, value]) => value).join(" ")) + "\n",
  );
  return 0;
}
