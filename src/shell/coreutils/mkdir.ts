/** mkdir: makes folders. */
import type { UtilityContext } from "../builtin.ts";
import { parseMode } from "./shared/modes.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { cite, complain, hasCode, quote, reason } from "./shared/report.ts";

const TABLE = {
  options: ["m|mode=", "p|parents", "v|verbose"],
  unsupported: ["Z", "context=?"],
  usage: "[OPTION]... DIRECTORY...",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  if (options.operands.length === 0) throw new UsageError("missing operand");
  const wanted = options.value("m");
  const change = wanted === undefined ? undefined : parseMode(wanted, context.umask);
  if (wanted !== undefined && !change) throw new UsageError(`invalid mode ${cite(wanted)}`, 1, false);
  let status = 0;
  const make = async (path: string, shown: string, last: boolean): Promise<void> => {
    const plain = 0o777 & ~context.umask;
    context.fs.mkdir(path, last ? plain : plain | 0o300);
    if (last && change) context.fs.chmod(path, change(0o777, true));
    if (options.has("v")) await context.stdout.print(`${context.name}: created directory ${quote(shown)}\n`);
  };
  for (const name of options.operands) {
    context.poll();
    try {
      if (!options.has("p")) {
        await make(context.path(name), name, true);
        continue;
      }
      const parts = name.split("/");
      // Below what was not there nothing is.
      let fresh = false;
      for (let i = 1; i <= parts.length; i++) {
        // Each step costs more the deeper it is.
        context.poll();
        const shown = parts.slice(0, i).join("/");
        if (parts[i - 1] === "" || parts[i - 1] === ".") continue;
        if (parts[i - 1] === "..") fresh = false;
        const path = context.path(shown);
        const last = parts.slice(i).every((part) => part === "");
        try {
          if (!fresh) {
            if (context.fs.stat(path).kind === "dir") continue;
            await complain(
              context,
              `cannot create directory ${cite(last ? name : shown)}: ${
                last ? "File exists" : "Not a directory"
              }`,
            );
            status = 1;
            break;
          }
        } catch (error) {
          if (!hasCode(error, "ENOENT")) throw error;
          fresh = true;
        }
        try {
          await make(path, shown, last);
        } catch (error) {
          // Somebody else may have made it meanwhile.
          if (!hasCode(error, "EEXIST") || !isFolder(context, path)) throw error;
        }
      }
    } catch (error) {
      await complain(context, `cannot create directory ${cite(name)}: ${reason(error)}`);
      status = 1;
    }
  }
  return status;
}

function isFolder(context: UtilityContext, path: string): boolean {
  try {
    return context.fs.stat(path).kind === "dir";
  } catch {
    return false;
  }
}
