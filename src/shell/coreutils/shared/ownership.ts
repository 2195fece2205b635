/**
 * What chown and chgrp share: changing who owns files and folders. Where
 * nothing would change, nothing is asked of the host, so that who owns a file
 * may "give" it to himself everywhere.
 */
import { UnsupportedOption, type UtilityContext } from "../../builtin.ts";
import { ERROR_TEXT, type FileStat } from "../../host.ts";
import { Failure, type Options, UsageError } from "./options.ts";
import type { Owners } from "./owners.ts";
import { joinPath } from "./paths.ts";
import { cite, complain, hasCode, quote, reason } from "./report.ts";

export const OWNERSHIP_OPTIONS = [
  "c|changes",
  "dereference",
  "f|silent|quiet",
  "h|no-dereference",
  "P",
  "R|recursive",
  "reference=",
  "v|verbose",
  "preserve-root",
  "no-preserve-root",
];

/** Numbers, -1 to keep; names as they were given, for messages. */
export interface Wanted {
  readonly uid: number;
  readonly gid: number;
  readonly user?: string;
  readonly group?: string;
}

/** What a file must belong to for a change; -1 for whomever. */
export interface From {
  readonly uid: number;
  readonly gid: number;
}

/** What is to be set, absent where a file is the example, and the files; throws UsageError where one is missing. */
export function ownerAndFiles(options: Options): { text: string | undefined; files: string[] } {
  const files = [...options.operands];
  const byReference = options.has("reference");
  const text = byReference ? undefined : files.shift();
  if (files.length === 0) {
    if (text === undefined) throw new UsageError("missing operand");
    throw new UsageError(`missing operand after ${cite(text)}`);
  }
  return { text, files };
}

/** The owner and group of `--reference`, where that is given. */
export function referenced(context: UtilityContext, options: Options): FileStat | undefined {
  const reference = options.value("reference");
  if (reference === undefined) return undefined;
  try {
    return context.fs.stat(context.path(reference));
  } catch (error) {
    throw new Failure(`failed to get attributes of ${quote(reference)}: ${reason(error)}`);
  }
}

/** Changes all files; answers the exit status. `noun`: what messages name where nothing was asked for. */
export async function changeOwners(
  context: UtilityContext,
  options: Options,
  files: readonly string[],
  wanted: Wanted,
  owners: Owners,
  noun: "ownership" | "group",
  from: From = { uid: -1, gid: -1 },
): Promise<number> {
  const recursive = options.has("R");
  if (recursive && options.has("dereference")) throw new UnsupportedOption("-R --dereference");
  const follow = !recursive && options.last("h", "dereference") !== "h";
  const silent = options.has("f");
  let status = 0;

  const report = async (
    change: "changed" | "retained" | "failed",
    shown: string,
    old: FileStat | undefined,
  ) => {
    if (!options.has("v") && !(options.has("c") && change === "changed")) return;
    const what = wanted.user === undefined && wanted.group !== undefined ? "group" : noun;
    const before = old && spec(wanted, owners.userName(old.uid), owners.groupName(old.gid));
    const after = spec(wanted, wanted.user, wanted.group);
    const name = quote(shown);
    const text = change === "retained"
      ? `${what} of ${name} retained${before ? ` as ${before}` : ""}`
      : change === "changed"
      ? `changed ${what} of ${name} from ${before} to ${after}`
      : `failed to change ${what} of ${name}${before ? ` from ${before}` : ""}${after ? ` to ${after}` : ""}`;
    await context.stdout.print(`${text}\n`);
  };

  const failed = async (shown: string, verb: string, error: unknown, old: FileStat | undefined) => {
    const why = hasCode(error, "ENOTSUP") ? ERROR_TEXT.EPERM : reason(error);
    status = 1;
    if (!silent) await complain(context, `${verb} ${quote(shown)}: ${why}`);
    await report("failed", shown, old);
  };

  const change = async (path: string, shown: string, top: boolean): Promise<void> => {
    context.poll();
    let stat: FileStat, isLink: boolean;
    try {
      const own = context.fs.lstat(path);
      isLink = own.kind === "symlink" && !follow;
      stat = own.kind === "symlink" && follow ? context.fs.stat(path) : own;
    } catch (error) {
      return await failed(
        shown,
        top && !isDangling(context, path) ? "cannot access" : "cannot dereference",
        error,
        undefined,
      );
    }
    if (recursive && stat.kind === "dir") {
      try {
        const names = context.fs.readDir(path).map(({ name }) => name);
        for (const name of names) await change(joinPath(path, name), joinPath(shown, name), false);
      } catch (error) {
        status = 1;
        if (!silent) await complain(context, `cannot read directory ${quote(shown)}: ${reason(error)}`);
      }
    }
    const uid = wanted.uid < 0 ? stat.uid : wanted.uid, gid = wanted.gid < 0 ? stat.gid : wanted.gid;
    const meant = (from.uid < 0 || from.uid === stat.uid) && (from.gid < 0 || from.gid === stat.gid);
    if (!meant || (uid === stat.uid && gid === stat.gid)) return await report("retained", shown, stat);
    const verb = noun === "group" ? "changing group of" : "changing ownership of";
    try {
      // The port follows links, and this one is not to be followed.
      if (isLink) throw new UnsupportedOption("-h (on a link)");
      context.fs.chown(path, wanted.uid, wanted.gid);
    } catch (error) {
      if (error instanceof UnsupportedOption) {
        if (top && files.length === 1) throw error;
        status = 1;
        await complain(context, `${verb} ${quote(shown)}: ${ERROR_TEXT.ENOTSUP}`);
        return;
      }
      return await failed(shown, verb, error, stat);
    }
    await report("changed", shown, stat);
  };

  for (const name of files) {
    if (recursive && options.last("preserve-root", "no-preserve-root") === "preserve-root") {
      if (context.path(name) === "/") {
        await complain(context, `it is dangerous to operate recursively on ${quote(name)}`);
        await complain(context, "use --no-preserve-root to override this failsafe");
        status = 1;
        continue;
      }
    }
    await change(context.path(name), name, true);
  }
  return status;
}

function isDangling(context: UtilityContext, path: string): boolean {
  try {
    return context.fs.lstat(path).kind === "symlink";
  } catch {
    // Not there at all, or not to be seen: told by the caller.
    return false;
  }
}

function spec(wanted: Wanted, user: string | undefined, group: string | undefined): string {
  if (wanted.user !== undefined) return wanted.group === undefined ? `${user}` : `${user}:${group}`;
  return wanted.group === undefined ? "" : `${group}`;
}

/** A number or a name; undefined where it is neither. */
export function ownerId(text: string, byName: (name: string) => number | undefined): number | undefined {
  if (/^\+\d+$/.test(text)) return Number(text);
  return byName(text);
}
