/** tty: names the terminal of standard input. */
import type { UtilityContext } from "../builtin.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { cite } from "./shared/report.ts";

const TABLE = { options: ["s|silent|quiet"], usageStatus: 2, usage: "[OPTION]..." };

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  if (options.operands.length > 0) throw new UsageError(`extra operand ${cite(options.operands[0])}`, 2);
  const terminal = context.isTerminal?.(0) ?? false;
  if (!options.has("s")) await context.stdout.print(terminal ? `${name(context)}\n` : "not a tty\n");
  return terminal ? 0 : 1;
}

function name(context: UtilityContext): string {
  try {
    return context.fs.readLink("/proc/self/fd/0");
  } catch {
    // No such list here, or hidden: the name that every terminal answers to.
    return "/dev/tty";
  }
}
