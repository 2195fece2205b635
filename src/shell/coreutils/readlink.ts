/** readlink: what a link holds, or a path without links. */
import type { UtilityContext } from "../builtin.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { complainAbout, reason } from "./shared/report.ts";
import { resolvePath } from "./shared/resolve.ts";

const TABLE = {
  options: [
    "f|canonicalize",
    "e|canonicalize-existing",
    "m|canonicalize-missing",
    "n|no-newline",
    "q|quiet",
    "s|silent",
    "v|verbose",
    "z|zero",
  ],
  usage: "[OPTION]... FILE...",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  if (options.operands.length === 0) throw new UsageError("missing operand");
  const mode = options.last("f", "e", "m");
  const end = options.has("n") && options.operands.length === 1 ? "" : options.has("z") ? "\0" : "\n";
  let status = 0;
  for (const name of options.operands) {
    try {
      const path = context.path(name);
      // context.path drops `..` without a look at links, so the walk starts at the working folder.
      const whole = name.startsWith("/") ? name : `${context.cwd}/${name}`;
      const text = mode === undefined
        ? context.fs.readLink(path)
        : resolvePath(context, whole, mode === "e" ? "none" : mode === "f" ? "last" : "any");
      await context.stdout.print(text + end);
    } catch (error) {
      status = 1;
      if (options.has("v")) await complainAbout(context, name, error);
      else reason(error);
    }
  }
  return status;
}
