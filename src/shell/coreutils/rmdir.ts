/** rmdir: removes empty folders. */
import type { UtilityContext } from "../builtin.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { trimSlashes } from "./shared/paths.ts";
import { complain, hasCode, quote, reason } from "./shared/report.ts";

const TABLE = {
  options: ["p|parents", "v|verbose", "ignore-fail-on-non-empty"],
  usage: "[OPTION]... DIRECTORY...",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  if (options.operands.length === 0) throw new UsageError("missing operand");
  let status = 0;
  for (const name of options.operands) {
    const chain = [name];
    if (options.has("p")) {
      for (let path = trimSlashes(name); path.includes("/");) {
        path = trimSlashes(path.slice(0, path.lastIndexOf("/")));
        if (path === "" || path === "/") break;
        chain.push(path);
      }
    }
    for (const each of chain) {
      context.poll();
      try {
        if (options.has("v")) {
          await context.stdout.print(`${context.name}: removing directory, ${quote(each)}\n`);
        }
        context.fs.rmdir(context.path(each));
      } catch (error) {
        if (options.has("ignore-fail-on-non-empty") && hasCode(error, "ENOTEMPTY", "EEXIST")) break;
        await complain(
          context,
          `failed to remove ${each === name ? "" : "directory "}${quote(each)}: ${reason(error)}`,
        );
        status = 1;
        break;
      }
    }
  }
  return status;
}
