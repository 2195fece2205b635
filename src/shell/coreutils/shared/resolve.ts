/** Paths without links: with components that may be missing, and relative to another. */
import type { UtilityContext } from "../../builtin.ts";
import { HostError } from "../../host.ts";

/** How much of a path must exist. */
export type Missing = "none" | "last" | "any";

const MAX_LINKS = 40;

/** The path without links, `.` and `..`. Throws HostError. */
export function resolvePath(context: UtilityContext, path: string, missing: Missing): string {
  let links = 0;
  let todo = path.split("/").filter((part) => part !== "" && part !== ".");
  let done = "";
  while (todo.length > 0) {
    const part = todo.shift()!;
    if (part === "..") {
      done = done.slice(0, Math.max(0, done.lastIndexOf("/")));
      continue;
    }
    const next = `${done}/${part}`;
    let stat;
    try {
      stat = context.fs.lstat(next);
    } catch (error) {
      if (!(error instanceof HostError) || (error.code !== "ENOENT" && error.code !== "ENOTDIR")) throw error;
      if (missing === "none" || (missing === "last" && (todo.length > 0 || error.code === "ENOTDIR"))) {
        throw error;
      }
      done = next;
      continue;
    }
    if (stat.kind === "symlink") {
      if (++links > MAX_LINKS) throw new HostError("ELOOP", path);
      const target = context.fs.readLink(next);
      todo = [...target.split("/").filter((each) => each !== "" && each !== "."), ...todo];
      if (target.startsWith("/")) done = "";
      continue;
    }
    if (stat.kind !== "dir" && (todo.length > 0 || path.endsWith("/")) && missing !== "any") {
      throw new HostError("ENOTDIR", path);
    }
    done = next;
  }
  return done === "" ? "/" : done;
}

/** `to` as seen from the folder `from`; links in both are resolved. */
export function relativePath(context: UtilityContext, from: string, to: string): string {
  return relativeBetween(resolvePath(context, from, "any"), resolvePath(context, to, "any"));
}

export function relativeBetween(from: string, to: string): string {
  const a = from.split("/").filter((part) => part !== ""), b = to.split("/").filter((part) => part !== "");
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/") || ".";
}
