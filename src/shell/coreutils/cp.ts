/** cp: copies files and trees. */
import type { UtilityContext } from "../builtin.ts";
import { copyEntry, type CopyPlan } from "./shared/copy.ts";
import { backupNames, pairs } from "./shared/destination.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { joinPath } from "./shared/paths.ts";
import { cite } from "./shared/report.ts";

const TABLE = {
  options: [
    "a|archive",
    "b",
    "backup=?",
    "d",
    "f|force",
    "i|interactive",
    "H",
    "l|link",
    "L|dereference",
    "n|no-clobber",
    "P|no-dereference",
    "p",
    "preserve=?",
    "no-preserve=",
    "parents",
    "r|R|recursive",
    "remove-destination",
    "reflink=?",
    "sparse=",
    "s|symbolic-link",
    "S|suffix=",
    "t|target-directory=",
    "T|no-target-directory",
    "u|update",
    "v|verbose",
    "x|one-file-system",
    "attributes-only",
    "strip-trailing-slashes",
  ],
  unsupported: ["Z", "context=?", "copy-contents"],
  usage: "[OPTION]... SOURCE... DEST",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const kept = new Set<string>();
  for (const [key, value] of options.list) {
    const names = value.split(",");
    if (key === "a") ["mode", "timestamps", "ownership", "links"].forEach((name) => kept.add(name));
    else if (key === "d") kept.add("links");
    else if (key === "p" || (key === "preserve" && value === "")) {
      ["mode", "timestamps", "ownership"].forEach((name) => kept.add(name));
    } else if (key === "preserve") {
      for (const name of names) {
        if (name === "all") ["mode", "timestamps", "ownership", "links"].forEach((each) => kept.add(each));
        else if (["mode", "timestamps", "ownership", "links", "context", "xattr"].includes(name)) {
          kept.add(name);
        } else throw new UsageError(`invalid argument ${cite(name)} for '--preserve'`);
      }
    } else if (key === "no-preserve") {
      for (const name of names) {
        name === "all" ? kept.clear() : kept.delete(name);
      }
    }
  }
  const recursive = options.has("a", "r");
  const follow = options.last("a", "d", "H", "L", "P");
  const make = options.has("l") ? "hard" : options.has("s") ? "symbolic" : "copy";
  const clobber = options.last("i", "n", "f");
  const plan: CopyPlan = {
    recursive,
    follow: follow === "L"
      ? "always"
      : follow === "H"
      ? "operands"
      : follow !== undefined
      ? "never"
      : recursive || make === "hard"
      ? "never"
      : "always",
    preserve: {
      mode: kept.has("mode"),
      times: kept.has("timestamps"),
      owner: kept.has("ownership"),
      links: kept.has("links"),
    },
    force: options.has("f"),
    ask: clobber === "i",
    noClobber: clobber === "n",
    update: options.has("u"),
    verbose: options.has("v"),
    make,
    backup: backupNames(context, options),
    removeTarget: options.has("remove-destination"),
    onlyAttributes: options.has("attributes-only"),
    seen: new Map(),
    failed: false,
  };
  for (const [from, to] of pairs(context, options)) {
    const target = options.has("parents")
      ? joinPath(to.slice(0, to.lastIndexOf("/")), from.replace(/^\/+/, ""))
      : to;
    if (options.has("parents")) makeParents(context, target);
    await copyEntry(context, from, target, plan);
  }
  return plan.failed ? 1 : 0;
}

function makeParents(context: UtilityContext, target: string): void {
  const parts = target.split("/");
  for (let i = 1; i < parts.length; i++) {
    const path = context.path(parts.slice(0, i).join("/") || "/");
    try {
      context.fs.stat(path);
    } catch {
      context.fs.mkdir(path, 0o777 & ~context.umask);
    }
  }
}
