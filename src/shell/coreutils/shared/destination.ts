/** Where cp, mv and ln put things: into a folder or onto a name; and their backups. */
import type { UtilityContext } from "../../builtin.ts";
import { Failure, type Options, UsageError } from "./options.ts";
import { baseName, joinPath, trimSlashes } from "./paths.ts";
import { quote, reason } from "./report.ts";
import { statIfThere } from "./tree.ts";

/** Pairs of source and target from the operands and `-t`, `-T`. */
export function pairs(context: UtilityContext, options: Options): [from: string, to: string][] {
  const operands = [...options.operands];
  const folder = options.value("t");
  if (operands.length === 0) throw new UsageError("missing file operand");
  if (folder !== undefined) {
    if (options.has("T")) {
      throw new UsageError("cannot combine --target-directory (-t) and --no-target-directory (-T)", 1, false);
    }
    requireFolder(context, folder, "target directory");
    return operands.map((from) => [from, into(folder, from)]);
  }
  if (operands.length === 1) {
    throw new UsageError(`missing destination file operand after ${quote(operands[0])}`);
  }
  const target = operands.pop()!;
  if (options.has("T")) {
    if (operands.length > 1) throw new UsageError(`extra operand ${quote(operands[2] ?? target)}`);
    return [[operands[0], target]];
  }
  let isFolder;
  try {
    isFolder = statIfThere(context, context.path(target))?.kind === "dir";
  } catch (error) {
    throw new Failure(`failed to access ${quote(target)}: ${reason(error)}`);
  }
  if (isFolder) return operands.map((from) => [from, into(target, from)]);
  if (operands.length > 1) requireFolder(context, target, "target");
  if (
    target.endsWith("/") && statIfThere(context, context.path(operands[0]))?.kind !== "dir" &&
    statIfThere(context, context.path(operands[0]))
  ) {
    throw new Failure(`cannot create regular file ${quote(target)}: Not a directory`);
  }
  return [[operands[0], target]];
}

function requireFolder(context: UtilityContext, path: string, noun: string): void {
  try {
    if (context.fs.stat(context.path(path)).kind === "dir") return;
  } catch (error) {
    throw new Failure(`${noun} ${quote(path)}: ${reason(error)}`);
  }
  throw new Failure(`${noun} ${quote(path)}: Not a directory`);
}

function into(folder: string, from: string): string {
  const base = baseName(from);
  return base === ".." || base === "." ? joinPath(folder, ".") : joinPath(folder, base);
}

/** The function that names backups, where `-b`, `-S` or `--backup` ask for them. */
export function backupNames(
  context: UtilityContext,
  options: Options,
): ((path: string) => string) | undefined {
  if (!options.has("b", "backup", "S")) return undefined;
  const control = options.value("backup") || context.env.get("VERSION_CONTROL") || "existing";
  if (control === "none" || control === "off") return undefined;
  const suffix = options.value("S") ?? context.env.get("SIMPLE_BACKUP_SUFFIX") ?? "~";
  return (path) => {
    if (control === "simple" || control === "never") return path + suffix;
    const at = path.lastIndexOf("/");
    const prefix = path.slice(at + 1) + ".~";
    const numbers = context.fs.readDir(path.slice(0, at) || "/").map(({ name }) =>
      name.startsWith(prefix) && name.endsWith("~") ? Number(name.slice(prefix.length, -1)) : 0
    );
    const highest = Math.max(0, ...numbers.filter(Number.isInteger));
    if (control === "numbered" || control === "t" || highest > 0) return `${path}.~${highest + 1}~`;
    return path + suffix;
  };
}

/** The path without slashes at its end, as sources are shown. */
export function shownSource(path: string): string {
  return trimSlashes(path);
}
