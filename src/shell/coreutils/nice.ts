/**
 * nice: runs a command. Everything here runs in one process, so that no
 * command can have a priority of its own: the number is read and checked, and
 * the priority that is told is always 0.
 */
import type { UtilityContext } from "../builtin.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { cite, localized } from "./shared/report.ts";

const TABLE = {
  options: ["n|adjustment="],
  stopAtOperand: true,
  usageStatus: 125,
  usage: "[OPTION] [COMMAND [ARG]...]",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE, withoutOldForm(context.args));
  const adjustment = options.value("n");
  if (adjustment !== undefined && !/^\s*[-+]?\d+$/.test(adjustment)) {
    throw new Failure(`invalid adjustment ${cite(adjustment)}`, 125);
  }
  const argv = options.operands;
  if (argv.length === 0) {
    if (adjustment !== undefined) throw new UsageError("a command must be given with an adjustment", 125);
    await context.stdout.print("0\n");
    return 0;
  }
  return await context.run(argv, {
    missing: (why) => localized(context, `${context.name}: ${cite(argv[0])}: ${why}`),
  });
}

/** `-5`, `--5` and `-+5` in the words before the command: `-n 5`, `-n -5`. */
function withoutOldForm(args: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const old = /^-([-+]?\d.*)$/.exec(args[i]);
    if (old) out.push("-n", old[1]);
    else if (args[i] === "-n" || args[i] === "--adjustment") out.push(args[i], ...args.slice(++i, i + 1));
    else if (args[i].startsWith("-") && args[i] !== "--" && args[i] !== "-") out.push(args[i]);
    else return [...out, ...args.slice(i)];
  }
  return out;
}
