/** dirname: a path without its last part. */
import type { UtilityContext } from "../builtin.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { dirName } from "./shared/paths.ts";

const TABLE = { options: ["z|zero"], usage: "[OPTION] NAME..." };

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  if (options.operands.length === 0) throw new UsageError("missing operand");
  for (const name of options.operands) {
    await context.stdout.print((name === "" ? "." : dirName(name)) + (options.has("z") ? "\0" : "\n"));
  }
  return 0;
}
