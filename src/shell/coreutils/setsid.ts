/** setsid: runs a command that signals to the script's own group do not reach. */
import { UnsupportedOption, type UtilityContext } from "../builtin.ts";
import { parseOptions, UsageError } from "./shared/options.ts";

const TABLE = {
  options: ["c|ctty", "f|fork", "w|wait"],
  stopAtOperand: true,
  usage: "[options] <program> [arguments ...]",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const argv = options.operands;
  if (argv.length === 0) throw new UsageError("no command specified");
  // There is no terminal that it could have.
  if (options.has("c")) throw new UnsupportedOption("-c");
  return await context.run(argv, {
    shield: "session",
    beside: options.has("f") && !options.has("w"),
    missing: (why) => `${context.name}: failed to execute ${argv[0]}: ${why}`,
  });
}
