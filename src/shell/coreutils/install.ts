/**
 * install: copies files to where they are to be used, with mode and owner, and
 * makes the folders for them. What stood there is removed first, so that a
 * program that is running keeps its file.
 */
import type { UtilityContext } from "../builtin.ts";
import type { FileStat } from "../host.ts";
import { BLOCK_SIZE } from "./shared/blocks.ts";
import { backupNames } from "./shared/destination.ts";
import { parseMode } from "./shared/modes.ts";
import { Failure, type Options, parseOptions, UsageError } from "./shared/options.ts";
import { readOwners } from "./shared/owners.ts";
import { baseName, dirName, isStream, joinPath } from "./shared/paths.ts";
import { cite, complain, hasCode, quote, reason } from "./shared/report.ts";
import { copyContents, lstatIfThere, statIfThere } from "./shared/tree.ts";

const TABLE = {
  options: [
    "b",
    "backup=?",
    "c",
    "C|compare",
    "d|directory",
    "D",
    "g|group=",
    "m|mode=",
    "o|owner=",
    "p|preserve-timestamps",
    "S|suffix=",
    "t|target-directory=",
    "T|no-target-directory",
    "v|verbose",
  ],
  unsupported: ["s|strip", "strip-program=", "preserve-context", "Z", "context=?"],
  usage: "[OPTION]... SOURCE... DIRECTORY",
};

interface Plan {
  readonly options: Options;
  readonly mode: (dir: boolean) => number;
  readonly uid: number;
  readonly gid: number;
  readonly backup: ((path: string) => string) | undefined;
  /** Files that this run has made. */
  readonly made: Set<string>;
}

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const folder = options.value("t");
  if (options.has("d") && folder !== undefined) {
    throw new Failure("target directory not allowed when installing a directory");
  }
  if (folder !== undefined && options.has("T")) {
    throw new Failure("cannot combine --target-directory (-t) and --no-target-directory (-T)");
  }
  const files = [...options.operands];
  if (files.length === 0) throw new UsageError("missing file operand");
  if (files.length === 1 && !options.has("d") && folder === undefined) {
    throw new UsageError(`missing destination file operand after ${quote(files[0])}`);
  }
  const plan = await makePlan(context, options);
  if (options.has("d")) return await makeFolders(context, plan, files);
  const pairs = await targets(context, plan, files, folder);
  let status = 0;
  for (const [from, to] of pairs) {
    context.poll();
    if (!await installFile(context, plan, from, to)) status = 1;
  }
  return status;
}

async function makePlan(context: UtilityContext, options: Options): Promise<Plan> {
  const text = options.value("m") ?? "755";
  const mode = parseMode(text, 0);
  if (mode === undefined) throw new Failure(`invalid mode ${cite(text)}`);
  const owner = options.value("o"), group = options.value("g");
  const owners = owner === undefined && group === undefined ? undefined : await readOwners(context);
  const uid = owner === undefined ? -1 : owners?.userId(owner);
  if (uid === undefined) throw new Failure(`invalid user ${cite(owner ?? "")}`);
  const gid = group === undefined ? -1 : owners?.groupId(group);
  if (gid === undefined) throw new Failure(`invalid group ${cite(group ?? "")}`);
  return {
    options,
    mode: (dir) => mode(0, dir),
    uid,
    gid,
    backup: backupNames(context, options),
    made: new Set(),
  };
}

/** Where each file goes. */
async function targets(
  context: UtilityContext,
  plan: Plan,
  files: readonly string[],
  folder: string | undefined,
): Promise<[from: string, to: string][]> {
  const leading = plan.options.has("D");
  if (folder !== undefined) {
    if (leading && isMissing(context, folder)) await ancestors(context, plan, joinPath(folder, "x"), quote);
    const stat = failing(() => context.fs.stat(context.path(folder)), `failed to access ${quote(folder)}`);
    if (stat.kind !== "dir") throw new Failure(`failed to access ${quote(folder)}: Not a directory`);
    return files.map((from) => [from, joinPath(folder, baseName(from))]);
  }
  const target = files[files.length - 1], sources = files.slice(0, -1);
  const existing = statIfThere(context, context.path(target));
  if (!plan.options.has("T") && existing?.kind === "dir") {
    return sources.map((from) => [from, joinPath(target, baseName(from))]);
  }
  if (plan.options.has("T") && sources.length > 1) throw new UsageError(`extra operand ${quote(files[2])}`);
  if (sources.length > 1) {
    throw new Failure(
      `target ${quote(target)}: ${existing ? "Not a directory" : "No such file or directory"}`,
    );
  }
  if (leading) await ancestors(context, plan, target, quote);
  return [[sources[0], target]];
}

function isMissing(context: UtilityContext, path: string): boolean {
  try {
    context.fs.stat(context.path(path));
    return false;
  } catch (error) {
    return hasCode(error, "ENOENT");
  }
}

function failing<T>(get: () => T, message: string): T {
  try {
    return get();
  } catch (error) {
    throw new Failure(`${message}: ${reason(error)}`);
  }
}

/** Makes the folders above a path that are missing, with the mode that folders have here whatever the umask says. */
async function ancestors(
  context: UtilityContext,
  plan: Plan,
  path: string,
  quoted: (name: string) => string,
): Promise<void> {
  const missing: string[] = [];
  let top = dirName(path);
  for (; !statIfThere(context, context.path(top)); top = dirName(top)) missing.unshift(top);
  if (context.fs.stat(context.path(top)).kind !== "dir") {
    throw new Failure(`cannot create directory ${quoted(top)}: Not a directory`);
  }
  for (const one of missing) {
    failing(() => {
      context.fs.mkdir(context.path(one), 0o755);
      context.fs.chmod(context.path(one), 0o755);
    }, `cannot create directory ${quoted(one)}`);
    if (plan.options.has("v")) {
      await context.stdout.print(`${context.name}: creating directory ${quote(one)}\n`);
    }
  }
}

async function makeFolders(context: UtilityContext, plan: Plan, names: readonly string[]): Promise<number> {
  let status = 0;
  for (const name of names) {
    context.poll();
    try {
      await ancestors(context, plan, name, cite);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      await complain(context, error.message);
      status = 1;
      continue;
    }
    try {
      const path = context.path(name);
      if (statIfThere(context, path)?.kind !== "dir") {
        context.fs.mkdir(path, 0o755);
        if (plan.options.has("v")) {
          await context.stdout.print(`${context.name}: creating directory ${quote(name)}\n`);
        }
      }
      if (plan.uid >= 0 || plan.gid >= 0) context.fs.chown(path, plan.uid, plan.gid);
      context.fs.chmod(path, plan.mode(true));
    } catch (error) {
      await complain(context, `cannot create directory ${cite(name)}: ${reason(error)}`);
      status = 1;
    }
  }
  return status;
}

/** Installs one file; whether that went well. */
async function installFile(context: UtilityContext, plan: Plan, from: string, to: string): Promise<boolean> {
  const source = context.path(from), target = context.path(to);
  const fail = async (message: string) => {
    await complain(context, message);
    return false;
  };
  let stat: FileStat;
  try {
    // A stream (`install /dev/stdin file`) is opened by the shell.
    stat = isStream(from) ? context.fs.stat("/dev/null") : context.fs.stat(source);
  } catch (error) {
    return await fail(`cannot stat ${quote(from)}: ${reason(error)}`);
  }
  if (stat.kind === "dir") return await fail(`omitting directory ${quote(from)}`);
  try {
    if (to.endsWith("/")) context.fs.lstat(joinPath(target, "."));
  } catch (error) {
    return await fail(`cannot stat ${quote(to)}: ${reason(error)}`);
  }
  const old = lstatIfThere(context, target);
  if (old?.kind === "dir") return await fail(`cannot overwrite directory ${quote(to)} with non-directory`);
  if (plan.made.has(target)) {
    return await fail(`will not overwrite just-created ${quote(to)} with ${quote(from)}`);
  }
  const seen = old && statIfThere(context, target);
  if (seen && old.kind !== "symlink" && seen.dev === stat.dev && seen.ino === stat.ino && !isStream(from)) {
    return await fail(`${quote(from)} and ${quote(to)} are the same file`);
  }
  const verbose = plan.options.has("v");
  if (plan.options.has("C") && old && await isSame(context, plan, source, stat, target, old)) return true;
  let backup: string | undefined;
  try {
    if (old) {
      if (plan.backup) {
        backup = plan.backup(target);
        await context.fs.rename(target, backup);
      } else {
        context.fs.unlink(target);
        if (verbose) await context.stdout.print(`removed ${quote(to)}\n`);
      }
    }
  } catch (error) {
    return await fail(`cannot remove ${quote(to)}: ${reason(error)}`);
  }
  if (verbose) {
    const note = backup === undefined ? "" : ` (backup: ${quote(beside(to, baseName(backup)))})`;
    await context.stdout.print(`${quote(from)} -> ${quote(to)}${note}\n`);
  }
  try {
    // Nobody else sees it before it has the mode that it is to have.
    await copyContents(context, isStream(from) ? from : source, target, 0o600, true);
  } catch (error) {
    return await fail(`cannot create regular file ${quote(to)}: ${reason(error)}`);
  }
  plan.made.add(target);
  try {
    if (plan.options.has("p")) context.fs.utime(target, stat.atimeMs, stat.mtimeMs);
    if (plan.uid >= 0 || plan.gid >= 0) context.fs.chown(target, plan.uid, plan.gid);
  } catch (error) {
    return await fail(`cannot change ownership of ${quote(to)}: ${reason(error)}`);
  }
  try {
    context.fs.chmod(target, plan.mode(false));
  } catch (error) {
    return await fail(`cannot change permissions of ${quote(to)}: ${reason(error)}`);
  }
  return true;
}

/** Another name in the folder of a path. */
function beside(path: string, name: string): string {
  return path.includes("/") ? joinPath(dirName(path), name) : name;
}

/** Whether what is there is what would be put there (`-C`). */
async function isSame(
  context: UtilityContext,
  plan: Plan,
  source: string,
  stat: FileStat,
  target: string,
  old: FileStat,
): Promise<boolean> {
  const me = context.host.user;
  if (
    old.kind !== "file" || stat.kind !== "file" || old.size !== stat.size || old.mode !== plan.mode(false)
  ) return false;
  if (old.uid !== (plan.uid < 0 ? me.uid : plan.uid) || old.gid !== (plan.gid < 0 ? me.gid : plan.gid)) {
    return false;
  }
  const [a, b] = [
    await context.fs.open(source, { read: true }),
    await context.fs.open(target, { read: true }),
  ];
  try {
    const left = new Uint8Array(BLOCK_SIZE), right = new Uint8Array(BLOCK_SIZE);
    for (;;) {
      context.poll();
      const n = await a.read(left), m = await b.read(right);
      if (n !== m) return false;
      if (n === 0) return true;
      for (let i = 0; i < n; i++) if (left[i] !== right[i]) return false;
    }
  } finally {
    a.close();
    b.close();
  }
}
