/** mv: renames; between file systems copies and removes. */
import type { UtilityContext } from "../builtin.ts";
import { copyEntry, type CopyPlan } from "./shared/copy.ts";
import { backupNames, pairs } from "./shared/destination.ts";
import { parseOptions } from "./shared/options.ts";
import { complain, hasCode, quote, reason } from "./shared/report.ts";
import { confirm, lstatIfThere, removeTree } from "./shared/tree.ts";

const TABLE = {
  options: [
    "b",
    "backup=?",
    "f|force",
    "i|interactive",
    "n|no-clobber",
    "S|suffix=",
    "strip-trailing-slashes",
    "t|target-directory=",
    "T|no-target-directory",
    "u|update",
    "v|verbose",
  ],
  unsupported: ["Z", "context"],
  usage: "[OPTION]... SOURCE... DEST",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const clobber = options.last("f", "i", "n");
  const backup = backupNames(context, options);
  let status = 0;
  const fail = async (message: string) => {
    await complain(context, message);
    status = 1;
  };
  for (const [from, to] of pairs(context, options)) {
    context.poll();
    const source = context.path(from), target = context.path(to);
    try {
      const stat = lstatIfThere(context, source);
      if (!stat) {
        await fail(`cannot stat ${quote(from)}: No such file or directory`);
        continue;
      }
      const there = lstatIfThere(context, target);
      if (there) {
        if (
          there.dev === stat.dev && there.ino === stat.ino && stat.ino !== 0 &&
          (stat.kind === "dir" || stat.nlink < 2 || source === target)
        ) {
          await fail(
            stat.kind === "dir"
              ? `cannot move ${quote(from)} to a subdirectory of itself, ${quote(to)}`
              : `${quote(from)} and ${quote(to)} are the same file`,
          );
          continue;
        }
        if (clobber === "n") continue;
        if (options.has("u") && there.mtimeMs >= stat.mtimeMs) continue;
        if (there.kind === "dir" && stat.kind !== "dir") {
          await fail(`cannot overwrite directory ${quote(to)} with non-directory`);
          continue;
        }
        if (there.kind !== "dir" && stat.kind === "dir") {
          await fail(`cannot overwrite non-directory ${quote(to)} with directory ${quote(from)}`);
          continue;
        }
        if (clobber === "i" && !await confirm(context, `overwrite ${quote(to)}?`)) continue;
        if (backup) await context.fs.rename(target, backup(target));
      }
      if (stat.kind === "dir" && (target + "/").startsWith(source + "/")) {
        await fail(`cannot move ${quote(from)} to a subdirectory of itself, ${quote(to)}`);
        continue;
      }
      try {
        await context.fs.rename(source, target);
      } catch (error) {
        if (!hasCode(error, "EXDEV")) throw error;
        if (!await moveAcross(context, from, to)) {
          status = 1;
          continue;
        }
      }
      if (options.has("v")) await context.stdout.print(`renamed ${quote(from)} -> ${quote(to)}\n`);
    } catch (error) {
      await fail(`cannot move ${quote(from)} to ${quote(to)}: ${reason(error)}`);
    }
  }
  return status;
}

async function moveAcross(context: UtilityContext, from: string, to: string): Promise<boolean> {
  const plan: CopyPlan = {
    recursive: true,
    follow: "never",
    preserve: { mode: true, times: true, owner: true, links: true },
    force: true,
    ask: false,
    noClobber: false,
    update: false,
    verbose: false,
    make: "copy",
    removeTarget: true,
    onlyAttributes: false,
    seen: new Map(),
    failed: false,
  };
  await copyEntry(context, from, to, plan);
  if (plan.failed) return false;
  removeTree(context, context.path(from));
  return true;
}
