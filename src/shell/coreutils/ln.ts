/** ln: makes hard and symbolic links. */
import type { UtilityContext } from "../builtin.ts";
import { backupNames } from "./shared/destination.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { baseName, dirName, joinPath } from "./shared/paths.ts";
import { cite, complain, quote, reason } from "./shared/report.ts";
import { relativePath } from "./shared/resolve.ts";
import { confirm, lstatIfThere, statIfThere } from "./shared/tree.ts";

const TABLE = {
  options: [
    "b",
    "backup=?",
    "f|force",
    "i|interactive",
    "L|logical",
    "n|no-dereference",
    "P|physical",
    "r|relative",
    "s|symbolic",
    "S|suffix=",
    "t|target-directory=",
    "T|no-target-directory",
    "v|verbose",
  ],
  unsupported: ["d|F|directory"],
  usage: "[OPTION]... TARGET... LINK_NAME",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const operands = [...options.operands];
  if (operands.length === 0) throw new UsageError("missing file operand");
  const symbolic = options.has("s");
  const backup = backupNames(context, options);
  let folder = options.value("t");
  let name: string | undefined;
  if (folder === undefined) {
    const last = operands[operands.length - 1];
    if (operands.length === 1 && !options.has("T")) folder = ".";
    else if (operands.length === 1) {
      throw new UsageError(`missing destination file operand after ${quote(last)}`);
    } else if (options.has("T")) {
      if (operands.length > 2) throw new UsageError(`extra operand ${cite(operands[2])}`);
      name = operands.pop()!;
    } else {
      const path = context.path(last);
      const isFolder =
        (options.has("n") ? lstatIfThere(context, path) : statIfThere(context, path))?.kind === "dir";
      if (isFolder) folder = last;
      else if (operands.length > 2) {
        throw new Failure(
          `target ${quote(last)}: ${
            statIfThere(context, path) ? "Not a directory" : "No such file or directory"
          }`,
        );
      } else name = last;
      operands.pop();
    }
  }
  let status = 0;
  for (const target of operands) {
    context.poll();
    const link = name ??
      (folder === "." && options.operands.length === 1
        ? baseName(target)
        : joinPath(folder!, baseName(target)));
    const path = context.path(link);
    const kind = symbolic ? "symbolic" : "hard";
    try {
      if (!symbolic) {
        const stat = context.fs.lstat(context.path(target));
        if (stat.kind === "dir") {
          await complain(context, `${target}: hard link not allowed for directory`);
          status = 1;
          continue;
        }
      }
    } catch (error) {
      await complain(context, `failed to access ${quote(target)}: ${reason(error)}`);
      status = 1;
      continue;
    }
    try {
      const there = lstatIfThere(context, path);
      if (there) {
        if (there.kind === "dir") {
          await complain(context, `${link}: cannot overwrite directory`);
          status = 1;
          continue;
        }
        if (options.has("i") && !await confirm(context, `replace ${quote(link)}?`)) continue;
        if (!symbolic && (options.has("f") || options.has("i"))) {
          const own = context.fs.lstat(context.path(target));
          if (own.ino === there.ino && own.dev === there.dev) {
            await complain(context, `${quote(target)} and ${quote(link)} are the same file`);
            status = 1;
            continue;
          }
        }
        if (backup) await context.fs.rename(path, backup(path));
        else if (options.has("f", "i")) context.fs.unlink(path);
      }
      const written = options.has("r") && symbolic
        ? relativePath(context, context.path(dirName(link)), context.path(target))
        : target;
      if (symbolic) await context.fs.symlink(written, path);
      else {await context.fs.link(
          options.has("L") ? context.fs.realPath(context.path(target)) : context.path(target),
          path,
        );}
      if (options.has("v")) {
        await context.stdout.print(`${quote(link)} ${symbolic ? "->" : "=>"} ${quote(written)}\n`);
      }
    } catch (error) {
      const arrow = symbolic ? "" : ` => ${quote(target)}`;
      await complain(context, `failed to create ${kind} link ${quote(link)}${arrow}: ${reason(error)}`);
      status = 1;
    }
  }
  return status;
}
