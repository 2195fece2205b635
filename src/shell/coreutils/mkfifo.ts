/** mkfifo: only the host's own program can make named pipes; this one knows what is wrong without it. */
import { UnsupportedOption, type UtilityContext } from "../builtin.ts";
import { parseMode } from "./shared/modes.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";

const TABLE = { options: ["m|mode="], unsupported: ["Z", "context=?"], usage: "[OPTION]... NAME..." };

export function run(context: UtilityContext): number {
  const options = parseOptions(context, TABLE);
  if (options.operands.length === 0) throw new UsageError("missing operand");
  const mode = options.value("m");
  if (mode !== undefined && parseMode(mode, context.umask) === undefined) throw new Failure("invalid mode");
  throw new UnsupportedOption("NAME", "making named pipes is not supported here");
}
