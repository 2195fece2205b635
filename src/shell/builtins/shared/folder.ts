/** Folder names, kept as the user walked them. */
import type { Shell } from "../../run/shell.ts";

/** Absolute, without `.`, `..` and doubled slashes; links are not resolved. */
export function normalize(sh: Shell, dir: string): string {
  const path = sh.absolute(dir);
  const drive = /^[A-Za-z]:/.exec(path)?.[0] ?? "";
  const out: string[] = [];
  for (const part of path.slice(drive.length).split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") out.pop();
    else out.push(part);
  }
  return `${drive}/${out.join("/")}`;
}
