/**
 * Copying trees, for cp and for mv between file systems: contents, modes,
 * times, links, as asked.
 */
import type { UtilityContext } from "../../builtin.ts";
import type { FileStat } from "../../host.ts";
import { isStream, joinPath } from "./paths.ts";
import { complain, hasCode, quote, reason } from "./report.ts";
import { confirm, copyContents, lstatIfThere, statIfThere } from "./tree.ts";

export interface CopyPlan {
  /** Verb of messages: "copy" or "move". */
  readonly recursive: boolean;
  /** Follow links: never, only those on the command line, always. */
  readonly follow: "never" | "operands" | "always";
  readonly preserve: {
    readonly mode: boolean;
    readonly times: boolean;
    readonly owner: boolean;
    readonly links: boolean;
  };
  readonly force: boolean;
  readonly ask: boolean;
  /** Existing targets are left alone. */
  readonly noClobber: boolean;
  /** Only where the source is newer. */
  readonly update: boolean;
  readonly verbose: boolean;
  /** Make links instead of copies. */
  readonly make: "copy" | "hard" | "symbolic";
  readonly backup?: (path: string) => string;
  readonly removeTarget: boolean;
  readonly onlyAttributes: boolean;
  /** Hard links seen, when they are kept. */
  readonly seen: Map<string, string>;
  failed: boolean;
}

/** Copies one source to one target. `from` and `to` are as the user wrote them. */
export async function copyEntry(
  context: UtilityContext,
  from: string,
  to: string,
  plan: CopyPlan,
  operand = true,
): Promise<boolean> {
  context.poll();
  const source = context.path(from), target = context.path(to);
  if (isStream(from) || isStream(to)) {
    try {
      await copyContents(
        context,
        isStream(from) ? from : source,
        isStream(to) ? to : target,
        0o666 & ~context.umask,
        false,
      );
      return true;
    } catch (error) {
      return await fail(context, plan, `cannot copy ${quote(from)} to ${quote(to)}: ${reason(error)}`);
    }
  }
  const follows = plan.follow === "always" || (plan.follow === "operands" && operand);
  let stat: FileStat;
  try {
    stat = follows ? context.fs.stat(source) : context.fs.lstat(source);
  } catch (error) {
    return await fail(context, plan, `cannot stat ${quote(from)}: ${reason(error)}`);
  }
  if (stat.kind === "dir") return await copyFolder(context, from, to, stat, plan, operand);
  try {
    const present = lstatIfThere(context, target);
    // Writing goes through a link, so the link's target is what counts.
    const there = present?.kind === "symlink" && !plan.removeTarget && stat.kind !== "symlink"
      ? statIfThere(context, target) ?? present
      : present;
    if (
      there?.kind === "symlink" && stat.kind !== "symlink" && plan.make === "copy" && !plan.removeTarget &&
      !plan.backup
    ) {
      return await fail(context, plan, `not writing through dangling symlink ${quote(to)}`);
    }
    if (there) {
      if (there.kind === "dir") {
        return await fail(context, plan, `cannot overwrite directory ${quote(to)} with non-directory`);
      }
      const same = there.dev === stat.dev && there.ino === stat.ino && stat.ino !== 0;
      if (same && plan.make !== "hard" && !(present?.kind === "symlink" && plan.removeTarget)) {
        return await fail(context, plan, `${quote(from)} and ${quote(to)} are the same file`);
      }
      if (plan.noClobber) return true;
      if (plan.update && there.mtimeMs >= stat.mtimeMs) return true;
      if (plan.ask && !await confirm(context, `overwrite ${quote(to)}?`)) return true;
      if (plan.backup) await context.fs.rename(target, plan.backup(target));
      else if (present && (plan.removeTarget || plan.make !== "copy" || stat.kind === "symlink")) {
        context.fs.unlink(target);
      }
    }
    await copyOne(context, from, to, stat, plan);
    if (plan.verbose) await context.stdout.print(`${quote(from)} -> ${quote(to)}\n`);
    return true;
  } catch (error) {
    const why = reason(error);
    const verb = hasCode(error, "EACCES", "EPERM") && !readable(context, source)
      ? `cannot open ${quote(from)} for reading`
      : plan.make === "copy" && stat.kind === "file"
      ? `cannot create regular file ${quote(to)}`
      : `cannot create ${plan.make === "hard" ? "hard" : "symbolic"} link ${quote(to)}`;
    return await fail(context, plan, `${verb}: ${why}`);
  }
}

function readable(context: UtilityContext, path: string): boolean {
  return context.fs.access(path, "r");
}

async function fail(context: UtilityContext, plan: CopyPlan, message: string): Promise<false> {
  await complain(context, message);
  plan.failed = true;
  return false;
}

async function copyOne(
  context: UtilityContext,
  from: string,
  to: string,
  stat: FileStat,
  plan: CopyPlan,
): Promise<void> {
  const source = context.path(from), target = context.path(to);
  if (plan.make === "hard") return await context.fs.link(source, target);
  if (plan.make === "symbolic") return await context.fs.symlink(from, target);
  if (plan.preserve.links && stat.nlink > 1) {
    const id = `${stat.dev}:${stat.ino}`;
    const first = plan.seen.get(id);
    if (first !== undefined) {
      try {
        return await context.fs.link(first, target);
      } catch (error) {
        if (!hasCode(error, "EEXIST")) throw error;
        context.fs.unlink(target);
        return await context.fs.link(first, target);
      }
    }
    plan.seen.set(id, target);
  }
  if (stat.kind === "symlink") return await context.fs.symlink(context.fs.readLink(source), target);
  const mode = plan.preserve.mode ? stat.mode & 0o777 : stat.mode & 0o777 & ~context.umask;
  if (!plan.onlyAttributes) {
    try {
      await copyContents(context, source, target, mode, false);
    } catch (error) {
      if (!plan.force || !hasCode(error, "EACCES", "EPERM")) throw error;
      context.fs.unlink(target);
      await copyContents(context, source, target, mode, false);
    }
  }
  keepAttributes(context, target, stat, plan);
}

function keepAttributes(context: UtilityContext, target: string, stat: FileStat, plan: CopyPlan): void {
  if (plan.preserve.owner) {
    try {
      context.fs.chown(target, stat.uid, stat.gid);
    } catch (error) {
      // Only root may give files away: kept silently, as GNU does.
      if (!hasCode(error, "EPERM", "ENOTSUP", "EACCES", "EDENIED")) throw error;
    }
  }
  if (plan.preserve.mode) context.fs.chmod(target, stat.mode);
  if (plan.preserve.times) context.fs.utime(target, stat.atimeMs, stat.mtimeMs);
}

async function copyFolder(
  context: UtilityContext,
  from: string,
  to: string,
  stat: FileStat,
  plan: CopyPlan,
  operand: boolean,
): Promise<boolean> {
  if (!plan.recursive) {
    return await fail(context, plan, `-r not specified; omitting directory ${quote(from)}`);
  }
  const source = context.path(from), target = context.path(to);
  try {
    const there = statIfThere(context, target);
    if (there && there.kind !== "dir") {
      return await fail(
        context,
        plan,
        `cannot overwrite non-directory ${quote(to)} with directory ${quote(from)}`,
      );
    }
    const real = context.fs.realPath(source);
    const realTarget = there ? context.fs.realPath(target) : targetPath(context, target);
    if (realTarget === real || realTarget.startsWith(real === "/" ? real : real + "/")) {
      return await fail(context, plan, `cannot copy a directory, ${quote(from)}, into itself, ${quote(to)}`);
    }
    if (!there) {
      context.fs.mkdir(target, (stat.mode & 0o777 & ~context.umask) | 0o700);
      if (plan.verbose) await context.stdout.print(`${quote(from)} -> ${quote(to)}\n`);
    } else if (operand && plan.verbose && there) await context.stdout.print("");
    for (const entry of context.fs.readDir(source)) {
      await copyEntry(context, joinPath(from, entry.name), joinPath(to, entry.name), plan, false);
    }
    if (!there || plan.preserve.mode || plan.preserve.times) {
      if (!there && !plan.preserve.mode) context.fs.chmod(target, stat.mode & 0o777 & ~context.umask);
      keepAttributes(context, target, stat, plan);
    }
    return true;
  } catch (error) {
    return await fail(context, plan, `cannot create directory ${quote(to)}: ${reason(error)}`);
  }
}

function targetPath(context: UtilityContext, path: string): string {
  const at = path.lastIndexOf("/");
  try {
    const parent = context.fs.realPath(at <= 0 ? "/" : path.slice(0, at));
    return parent === "/" ? path.slice(at) : parent + path.slice(at);
  } catch {
    // The parent is not there: making the folder will say so.
    return path;
  }
}
