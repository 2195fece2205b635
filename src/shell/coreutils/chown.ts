/** chown: changes owner and group of files and folders. */
import type { UtilityContext } from "../builtin.ts";
import { Failure, parseOptions } from "./shared/options.ts";
import { type Owners, readOwners } from "./shared/owners.ts";
import {
  changeOwners,
  ownerAndFiles,
  ownerId,
  OWNERSHIP_OPTIONS,
  referenced,
  type Wanted,
} from "./shared/ownership.ts";
import { cite, complain } from "./shared/report.ts";

const TABLE = {
  options: [...OWNERSHIP_OPTIONS, "from="],
  unsupported: ["H", "L"],
  usage: "[OPTION]... [OWNER][:[GROUP]] FILE...",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const { text, files } = ownerAndFiles(options);
  const owners = await readOwners(context);
  const reference = referenced(context, options);
  const wanted = reference === undefined ? await parseSpec(context, text ?? "", owners) : {
    uid: reference.uid,
    gid: reference.gid,
    user: owners.userName(reference.uid),
    group: owners.groupName(reference.gid),
  };
  const only = options.value("from");
  const from = only === undefined ? undefined : await parseSpec(context, only, owners);
  return await changeOwners(context, options, files, wanted, owners, "ownership", from);
}

/** `user`, `user:group`, `:group`, `user:` (its own group), and `user.group` as of old. */
async function parseSpec(context: UtilityContext, text: string, owners: Owners): Promise<Wanted> {
  const colon = text.indexOf(":");
  if (colon < 0) {
    const uid = text === "" ? -1 : ownerId(text, owners.userId);
    if (uid !== undefined) return { uid, gid: -1, ...(text === "" ? {} : { user: text }) };
    const dot = text.indexOf(".");
    const old = dot < 0 ? undefined : resolve(text.slice(0, dot), text.slice(dot + 1), owners);
    if (typeof old !== "object") throw new Failure(`invalid user: ${cite(text)}`);
    await complain(context, `warning: '.' should be ':': ${cite(text)}`);
    return old;
  }
  const found = resolve(text.slice(0, colon), text.slice(colon + 1), owners);
  if (typeof found === "string") throw new Failure(`invalid ${found}: ${cite(text)}`);
  return found;
}

/** What is wrong with it where it stands for nobody. */
function resolve(user: string, group: string, owners: Owners): Wanted | "user" | "group" | "spec" {
  const uid = user === "" ? -1 : ownerId(user, owners.userId);
  if (uid === undefined) return "user";
  const names = user === "" ? {} : { user };
  if (group === "") {
    if (user === "") return { uid, gid: -1 };
    const own = owners.loginGroup(user);
    return own === undefined ? "spec" : { uid, gid: own, ...names, group: owners.groupName(own) };
  }
  const gid = ownerId(group, owners.groupId);
  return gid === undefined ? "group" : { uid, gid, ...names, group };
}
