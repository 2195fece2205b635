/** id: numbers and names of the user and its groups. */
import type { UtilityContext } from "../builtin.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { readOwners } from "./shared/owners.ts";
import { cite, quote } from "./shared/report.ts";

const TABLE = {
  options: ["a", "g|group", "G|groups", "n|name", "r|real", "u|user", "z|zero"],
  unsupported: ["Z|context"],
  usage: "[OPTION]... [USER]...",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const owners = await readOwners(context);
  const { uid, gid, groups } = context.host.user;
  if (options.has("u", "g", "G") === false && options.has("n")) {
    throw new UsageError("cannot print only names or real IDs in default format", 1, false);
  }
  const own = owners.userName(uid);
  for (const name of options.operands) {
    if (name === own || name === String(uid)) continue;
    if (owners.userId(name) === undefined || /^\d+$/.test(name)) {
      throw new Failure(`${cite(name)}: no such user`);
    }
    throw new Failure(`${quote(name)}: only the user of this process is known here`);
  }
  const all = [gid, ...groups.filter((group) => group !== gid)];
  const end = options.has("z") ? "\0" : "\n";
  const named = options.has("n");
  const user = named ? own : String(uid);
  const group = (id: number) => named ? owners.groupName(id) : String(id);
  if (options.has("u")) await context.stdout.print(user + end);
  else if (options.has("g")) await context.stdout.print(group(gid) + end);
  else if (options.has("G")) {
    await context.stdout.print(all.map(group).join(options.has("z") ? "\0" : " ") + end);
  } else {
    const pair = (id: number, name: string) => `${id}(${name})`;
    await context.stdout.print(
      `uid=${pair(uid, own)} gid=${pair(gid, owners.groupName(gid))} groups=${
        all.map((each) => pair(each, owners.groupName(each))).join(",")
      }\n`,
    );
  }
  return 0;
}
