/** Making an archive. */
import type { UtilityContext } from "../../builtin.ts";
import type { ByteSink, FileStat } from "../../host.ts";
import { BLOCK_SIZE } from "../shared/blocks.ts";
import { compileGlob } from "../shared/glob.ts";
import { parseMode } from "../shared/modes.ts";
import { Failure, type Options } from "../shared/options.ts";
import { readOwners } from "../shared/owners.ts";
import { parseDate } from "../shared/date_parse.ts";
import { baseName, joinPath } from "../shared/paths.ts";
import { complain, reason } from "../shared/report.ts";
import { zoneOf } from "../../../lib/dates/zone.ts";
import { BLOCK, type Member, writeHeader } from "./header.ts";

/** Records have twenty blocks. */
const RECORD = 20 * BLOCK;
const VCS = new Set([
  ".git",
  ".gitignore",
  ".gitattributes",
  ".gitmodules",
  ".svn",
  ".hg",
  ".hgignore",
  ".hgtags",
  "CVS",
  ".cvsignore",
  ".bzr",
  ".bzrignore",
]);

export async function create(
  context: UtilityContext,
  options: Options,
  names: readonly string[],
  sink: ByteSink,
  log: ByteSink & { print(text: string): unknown },
  archive: string | undefined,
): Promise<number> {
  const owners = await readOwners(context);
  const folders = options.values("C");
  const base = folders.reduce(
    (at, folder) => folder.startsWith("/") ? folder : joinPath(at, folder),
    context.cwd,
  );
  const excluded = options.values("exclude").map((pattern) => ({
    fits: compileGlob(pattern.replace(/\/+$/, "")),
    path: pattern.includes("/"),
  }));
  const seen = new Map<string, string>();
  const fixedTime = options.value("mtime") === undefined
    ? undefined
    : parseDate(options.value("mtime")!, context.host.now(), zoneOf(context.env));
  const mode = options.value("mode") === undefined
    ? undefined
    : parseMode(options.value("mode")!, context.umask);
  if (options.value("mtime") !== undefined && fixedTime === undefined) {
    throw new Failure(`Unknown date '${options.value("mtime")}'`, 2);
  }
  let written = 0;
  let failed = false;
  let warnedSlash = false;
  const write = async (bytes: Uint8Array) => {
    written += bytes.length;
    const done = sink.write(bytes);
    if (done) await done;
  };
  const owner = (key: string, id: number, name: string): [number, string] => {
    const text = options.value(key);
    if (text === undefined) return [id, options.has("numeric-owner") ? "" : name];
    const [given, number] = text.split(":");
    if (/^\d+$/.test(given)) return [Number(given), ""];
    return [
      number === undefined
        ? (key === "owner" ? owners.userId(given) : owners.groupId(given)) ?? id
        : Number(number),
      given,
    ];
  };
  const add = async (path: string, shown: string): Promise<void> => {
    context.poll();
    if (
      excluded.some(({ fits, path: whole }) =>
        fits(shown) || (!whole && shown.split("/").some(fits)) ||
        shown.split("/").some((_, i, all) => i > 0 && fits(all.slice(i).join("/")))
      )
    ) return;
    if (options.has("exclude-vcs") && VCS.has(baseName(shown))) return;
    let stat: FileStat;
    try {
      stat = options.has("h") ? context.fs.stat(path) : context.fs.lstat(path);
    } catch (error) {
      await complain(context, `${shown}: Cannot stat: ${reason(error)}`);
      failed = true;
      return;
    }
    if (path === archive) {
      await complain(context, `${shown}: file is the archive; not dumped`);
      return;
    }
    let name = shown;
    if (!options.has("P") && name.startsWith("/")) {
      if (!warnedSlash) await complain(context, "Removing leading `/' from member names");
      warnedSlash = true;
      name = name.replace(/^\/+/, "");
      if (name === "") name = ".";
    }
    if (stat.kind === "dir" && !name.endsWith("/")) name += "/";
    const [uid, user] = owner("owner", stat.uid, owners.userName(stat.uid));
    const [gid, group] = owner("group", stat.gid, owners.groupName(stat.gid));
    const member: Member = {
      name,
      type: "0",
      mode: mode ? mode(stat.mode, stat.kind === "dir") : stat.mode,
      uid,
      gid,
      size: 0,
      mtime: (fixedTime ?? stat.mtimeMs) / 1000,
      link: "",
      user,
      group,
    };
    const id = `${stat.dev}:${stat.ino}`;
    if (stat.kind === "dir") member.type = "5";
    else if (stat.kind === "symlink") {
      member.type = "2";
      member.link = context.fs.readLink(path);
    } else if (stat.kind !== "file") {
      await complain(context, `${shown}: ${stat.kind} ignored`);
      return;
    } else if (stat.nlink > 1 && seen.has(id)) {
      member.type = "1";
      member.link = seen.get(id)!;
    } else {
      member.size = stat.size;
      if (stat.nlink > 1) seen.set(id, name);
    }
    if (member.type === "0") {
      try {
        await addFile(path, member, shown);
      } catch (error) {
        await complain(context, `${shown}: Cannot open: ${reason(error)}`);
        failed = true;
        return;
      }
    } else await write(writeHeader(member));
    if (options.has("v")) {
      const done = log.print(name + "\n");
      if (done instanceof Promise) await done;
    }
    if (stat.kind !== "dir" || options.has("no-recursion")) return;
    try {
      let entries = context.fs.readDir(path).map((entry) => entry.name);
      if (options.value("sort") === "name") entries = entries.sort();
      for (const entry of entries) await add(joinPath(path, entry), joinPath(shown, entry));
    } catch (error) {
      await complain(context, `${shown}: Cannot open: ${reason(error)}`);
      failed = true;
    }
  };
  const addFile = async (path: string, member: Member, shown: string): Promise<void> => {
    const file = await context.fs.open(path, { read: true });
    try {
      await write(writeHeader(member));
      const buffer = new Uint8Array(BLOCK_SIZE);
      let left = member.size;
      while (left > 0) {
        context.poll();
        const read = file.read(buffer.subarray(0, Math.min(buffer.length, left)));
        const got = typeof read === "number" ? read : await read;
        if (got === 0) {
          await complain(context, `${shown}: File shrank by ${left} bytes; padding with zeros`);
          buffer.fill(0);
          for (; left > 0; left -= Math.min(left, buffer.length)) {
            await write(buffer.subarray(0, Math.min(left, buffer.length)));
          }
          break;
        }
        await write(buffer.subarray(0, got));
        left -= got;
      }
      if (member.size % BLOCK !== 0) await write(new Uint8Array(BLOCK - member.size % BLOCK));
    } finally {
      file.close();
    }
  };
  for (const name of names) await add(name.startsWith("/") ? name : joinPath(base, name), name);
  await write(new Uint8Array(2 * BLOCK));
  if (written % RECORD !== 0) await write(new Uint8Array(RECORD - written % RECORD));
  if (failed) await complain(context, "Exiting with failure status due to previous errors");
  return failed ? 2 : 0;
}
