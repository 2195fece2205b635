/**
 * sync: looks whether the files that it is given can be opened. What was
 * written is with the system by then; when the system puts it on the disk is
 * not in the hands of this program.
 */
import type { UtilityContext } from "../builtin.ts";
import { Failure, parseOptions } from "./shared/options.ts";
import { complain, quote, reason } from "./shared/report.ts";

const TABLE = { options: ["d|data", "f|file-system"], usage: "[OPTION] [FILE]..." };

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  if (options.has("d") && options.has("f")) throw new Failure("cannot specify both --data and --file-system");
  if (options.has("d") && options.operands.length === 0) {
    throw new Failure("--data needs at least one argument");
  }
  let status = 0;
  for (const name of options.operands) {
    try {
      const path = context.path(name);
      if (context.fs.stat(path).kind !== "file") continue;
      const file = await context.fs.open(path, { read: true });
      file.close();
    } catch (error) {
      await complain(context, `error opening ${quote(name)}: ${reason(error)}`);
      status = 1;
    }
  }
  return status;
}
