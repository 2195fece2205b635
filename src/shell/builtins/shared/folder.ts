/** Folder names, kept as the user walked them. */
import { HostError } from "../../host.ts";
import type { Shell } from "../../run/shell.ts";

/** Absolute, without `.`, `..` and doubled slashes; links are not resolved. */
export function normalize(sh: Shell, dir: string): string {
  const path = sh.absolute(dir);
  // What `..` does not lead out of: a drive, a share of the network.
  const drive = (sh.windows ? /^(?:[A-Za-z]:|\/\/[^/]+\/[^/]+)/ : /^$/).exec(path)?.[0] ?? "";
  const out: string[] = [];
  for (const part of path.slice(drive.length).split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") out.pop();
    else out.push(part);
  }
  return out.length === 0 && drive.startsWith("//") ? drive : `${drive}/${out.join("/")}`;
}

/** Throws HostError unless what `..` leads out of is a folder. */
function checkWay(sh: Shell, dir: string): void {
  const parts = dir.split("/");
  for (let i = 1; i < parts.length; i++) {
    if (parts[i] !== ".." || /^\.{0,2}$/.test(parts[i - 1])) continue;
    if (sh.fs.stat(normalize(sh, parts.slice(0, i).join("/"))).kind !== "dir") throw new HostError("ENOTDIR");
  }
}

/** Goes to a folder, for `cd` or whichever builtin `name` says. */
export function change(sh: Shell, dir: string, physical: boolean, name: string): number {
  try {
    // Every part must be there: `nonexistent/..` is no way to go.
    let path = normalize(sh, dir);
    if (!physical && dir.includes("..")) checkWay(sh, dir);
    const stat = sh.fs.stat(dir.includes("..") && !physical ? path : sh.absolute(dir));
    if (stat.kind !== "dir") throw new HostError("ENOTDIR");
    if (!sh.fs.access(path, "x")) throw new HostError("EACCES");
    if (physical) path = sh.fs.realPath(sh.absolute(dir));
    const old = sh.cwd;
    sh.cwd = path;
    sh.vars.assign("OLDPWD", sh.vars.text("PWD") ?? old);
    sh.vars.assign("PWD", path);
    return 0;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    sh.warn(`${name === "pushd" || name === "popd" ? name : "cd"}: ${dir}: ${error.message}`);
    return 1;
  }
}
