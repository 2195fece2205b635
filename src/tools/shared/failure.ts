/**
 * Failures of file operations as results that lead a model to the next right
 * step: what, where, why, and names that are near where a path does not exist.
 */
import { errorResult, type ToolResult } from "../../agent/tool.ts";
import { baseName, joinPath, parentOf, shortPath } from "../../lib/files/paths.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { visible } from "../../lib/text/visible.ts";
import { HostError, type HostFs } from "../../sandbox/mod.ts";
import { walkFiles } from "./walk.ts";

/** Names near a missing path are looked for through `fs`; `poll` is asked first, so that a cancel is told as one. */
interface FailureDeps {
  readonly fs: HostFs;
  /** Given where a path that does not exist may well be elsewhere in it. */
  readonly workspace?: string;
  cwd(): string;
  poll(): void;
}

/** The result for what a file operation threw. Anything but a HostError (an abort, a bug) is thrown on. */
export function failure(deps: FailureDeps, doing: string, path: string, error: unknown): ToolResult {
  deps.poll();
  if (!(error instanceof HostError)) throw error;
  const what = `Cannot ${doing} ${visible(shortPath(path, deps.cwd()))}: ${visible(error.message)}`;
  if (error.code === "EDENIED") return errorResult(what, { denied: error.message });
  return errorResult(error.code === "ENOENT" ? what + nearby(deps, path) : what);
}

/** What there is in place of a path that does not exist; empty where nothing is near. */
function nearby(deps: FailureDeps, path: string): string {
  let folder = parentOf(path);
  let missing = baseName(path);
  while (true) {
    const names = namesIn(deps.fs, folder);
    if (names !== undefined) {
      const near = nearNames(missing, names).map((name) => shortPath(joinPath(folder, name), deps.cwd()));
      if (near.length === 0) near.push(...elsewhere(deps, baseName(path)));
      if (near.length > 0) return `. Did you mean ${near.map(visible).join(" or ")}?`;
      const gone = missing === baseName(path) ? "" : `. There is no ${visible(missing)} in `;
      return gone === "" ? "" : gone + visible(shortPath(folder, deps.cwd()));
    }
    if (folder === "/" || parentOf(folder) === folder) return "";
    missing = baseName(folder);
    folder = parentOf(folder);
  }
}

/** Files that are looked at for one of the same name. */
const MOST_LOOKED_AT = 20_000;

/** Up to three files of that name in the workspace. */
function elsewhere(deps: FailureDeps, name: string): string[] {
  if (deps.workspace === undefined) return [];
  const found: string[] = [];
  let seen = 0;
  try {
    const walk = walkFiles({
      fs: deps.fs,
      root: deps.workspace,
      workspace: deps.workspace,
      hidden: false,
      poll: deps.poll,
    });
    for (const file of walk) {
      if (baseName(file.path) === name) found.push(shortPath(file.absolute, deps.cwd()));
      if (found.length === 3 || ++seen >= MOST_LOOKED_AT) break;
    }
  } catch (error) {
    if (!(error instanceof HostError)) throw error; // A workspace that cannot be walked holds no hint.
  }
  return found;
}

function namesIn(fs: HostFs, folder: string): string[] | undefined {
  try {
    return fs.readDir(folder).map((entry) => entry.name);
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

/** Up to three of `names` that somebody who wrote `wanted` may have meant, nearest first. */
function nearNames(wanted: string, names: readonly string[]): string[] {
  const stem = stemOf(wanted);
  const left = new Set(names.slice(0, 5000));
  const near: string[] = [];
  while (near.length < 3) {
    const name = nearest(wanted, left) ?? [...left].find((other) => stem !== "" && stemOf(other) === stem);
    if (name === undefined) break;
    near.push(name);
    left.delete(name);
  }
  return near;
}

/** The name without its endings. */
function stemOf(name: string): string {
  return name.toLowerCase().replace(/(?<=.)\..*$/, "");
}
