/** chgrp: changes the group of files and folders. */
import type { UtilityContext } from "../builtin.ts";
import { Failure, parseOptions } from "./shared/options.ts";
import { readOwners } from "./shared/owners.ts";
import { changeOwners, ownerAndFiles, ownerId, OWNERSHIP_OPTIONS, referenced } from "./shared/ownership.ts";
import { cite } from "./shared/report.ts";

const TABLE = {
  options: OWNERSHIP_OPTIONS,
  unsupported: ["H", "L"],
  usage: "[OPTION]... GROUP FILE...",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const { text, files } = ownerAndFiles(options);
  const owners = await readOwners(context);
  const reference = referenced(context, options);
  if (reference !== undefined) {
    const wanted = { uid: -1, gid: reference.gid, group: owners.groupName(reference.gid) };
    return await changeOwners(context, options, files, wanted, owners, "group");
  }
  if (text === undefined || text === "") {
    return await changeOwners(context, options, files, { uid: -1, gid: -1 }, owners, "ownership");
  }
  const gid = ownerId(text, owners.groupId);
  if (gid === undefined) throw new Failure(`invalid group: ${cite(text)}`);
  return await changeOwners(context, options, files, { uid: -1, gid, group: text }, owners, "group");
}
