/** rm: removes files and trees. Never the root, never `.` or `..`. */
import type { UtilityContext } from "../builtin.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { baseName, joinPath, trimSlashes } from "./shared/paths.ts";
import { complain, hasCode, quote, reason } from "./shared/report.ts";
import { confirm } from "./shared/tree.ts";

const TABLE = {
  options: [
    "f|force",
    "i",
    "I",
    "interactive=?",
    "r|R|recursive",
    "d|dir",
    "v|verbose",
    "preserve-root=?",
    "no-preserve-root",
  ],
  unsupported: ["one-file-system"],
  usage: "[OPTION]... [FILE]...",
};

interface Plan {
  readonly force: boolean;
  readonly ask: boolean;
  readonly recursive: boolean;
  readonly folders: boolean;
  readonly verbose: boolean;
  failed: boolean;
}

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const last = options.last("f", "i", "I", "interactive");
  const when = options.value("interactive");
  const plan: Plan = {
    force: options.has("f") && last !== "i",
    ask: last === "i" || (last === "interactive" && (when === "" || when === "always" || when === "yes")),
    recursive: options.has("r"),
    folders: options.has("d"),
    verbose: options.has("v"),
    failed: false,
  };
  if (options.operands.length === 0) {
    if (plan.force) return 0;
    throw new UsageError("missing operand");
  }
  if ((last === "I" || when === "once") && (options.operands.length > 3 || plan.recursive)) {
    const count = options.operands.length;
    const noun = `${count} argument${count === 1 ? "" : "s"}`;
    if (!await confirm(context, `remove ${noun}${plan.recursive ? " recursively" : ""}?`)) return 0;
  }
  for (const name of options.operands) {
    const base = name === "" ? "" : baseName(name);
    if (base === "." || base === "..") {
      await complain(context, `refusing to remove '.' or '..' directory: skipping ${quote(name)}`);
      plan.failed = true;
      continue;
    }
    if (plan.recursive && !options.has("no-preserve-root") && trimSlashes(context.path(name)) === "/") {
      await complain(context, "it is dangerous to operate recursively on '/'");
      await complain(context, "use --no-preserve-root to override this failsafe");
      plan.failed = true;
      continue;
    }
    await remove(context, context.path(name), name, plan);
  }
  return plan.failed ? 1 : 0;
}

/** Answers whether the entry is gone. */
async function remove(context: UtilityContext, path: string, shown: string, plan: Plan): Promise<boolean> {
  context.poll();
  try {
    const stat = context.fs.lstat(path);
    if (stat.kind !== "dir") {
      if (shown.endsWith("/")) {
        await complain(context, `cannot remove ${quote(shown)}: Not a directory`);
        plan.failed = true;
        return false;
      }
      const noun = stat.size === 0 && stat.kind === "file" ? "regular empty file" : {
        file: "regular file",
        symlink: "symbolic link",
        fifo: "fifo",
        socket: "socket",
        char: "character special file",
        block: "block special file",
        dir: "directory",
      }[stat.kind];
      if (plan.ask && !await confirm(context, `remove ${noun} ${quote(shown)}?`)) return false;
      context.fs.unlink(path);
      if (plan.verbose) await context.stdout.print(`removed ${quote(shown)}\n`);
      return true;
    }
    if (!plan.recursive) {
      if (!plan.folders) {
        await complain(context, `cannot remove ${quote(shown)}: Is a directory`);
        plan.failed = true;
        return false;
      }
    } else {
      const entries = context.fs.readDir(path);
      if (
        entries.length > 0 && plan.ask && !await confirm(context, `descend into directory ${quote(shown)}?`)
      ) return false;
      let whole = true;
      for (const entry of entries) {
        // Plain files are the many: removed without a look at each.
        if (entry.kind === "file" && !plan.ask && !plan.verbose) {
          context.poll();
          try {
            context.fs.unlink(`${path}/${entry.name}`);
            continue;
          } catch (error) {
            if (!hasCode(error, "EISDIR", "EPERM", "EACCES", "ENOENT")) throw error;
          }
        }
        if (!await remove(context, `${path}/${entry.name}`, joinPath(shown, entry.name), plan)) whole = false;
      }
      if (!whole) return false;
    }
    if (plan.ask && !await confirm(context, `remove directory ${quote(shown)}?`)) return false;
    context.fs.rmdir(path);
    if (plan.verbose) await context.stdout.print(`removed directory ${quote(shown)}\n`);
    return true;
  } catch (error) {
    if (plan.force && hasCode(error, "ENOENT", "ENOTDIR")) return true;
    await complain(context, `cannot remove ${quote(shown)}: ${reason(error)}`);
    plan.failed = true;
    return false;
  }
}
