/**
 * Names of users and groups, read from the machine's lists where they exist.
 * Read at most once per command.
 */
import type { UtilityContext } from "../../builtin.ts";
import { decodeBytes } from "../../../lib/text/bytes.ts";
import { readAll } from "./blocks.ts";

export interface Owners {
  userName(uid: number): string;
  groupName(gid: number): string;
  userId(name: string): number | undefined;
  groupId(name: string): number | undefined;
  /** The group that a user is in at first; undefined where the lists do not tell. */
  loginGroup(name: string): number | undefined;
}

/** A name, its number, and for a user its group. */
type Row = [name: string, id: number, group: number];

export async function readOwners(context: UtilityContext): Promise<Owners> {
  const users = await table(context, "/etc/passwd");
  const groups = await table(context, "/etc/group");
  const me = context.host.user;
  if (!users.some(([, id]) => id === me.uid)) users.push([me.name, me.uid, me.gid]);
  const nameOf = (list: Row[], id: number) => list.find((row) => row[1] === id)?.[0] ?? String(id);
  const idOf = (list: Row[], name: string) =>
    list.find((row) => row[0] === name)?.[1] ?? (/^\d+$/.test(name) ? Number(name) : undefined);
  return {
    userName: (uid) => nameOf(users, uid),
    groupName: (gid) => nameOf(groups, gid),
    userId: (name) => idOf(users, name),
    groupId: (name) => idOf(groups, name),
    loginGroup: (name) => users.find((row) => row[0] === name)?.[2],
  };
}

async function table(context: UtilityContext, path: string): Promise<Row[]> {
  if (context.host.platform === "windows") return [];
  try {
    const file = await context.fs.open(path, { read: true });
    try {
      const text = decodeBytes(await readAll(file, () => context.poll(), 4 * 1024 * 1024));
      return text.split("\n").map((line) => line.split(":")).filter((row) => row.length > 2)
        .map(([name, , id, group]): Row => [name, Number(id), Number(group)]);
    } finally {
      file.close();
    }
  } catch {
    // Not there, or not to be read here: numbers are shown instead.
    return [];
  }
}
