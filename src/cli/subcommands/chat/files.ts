/** The files of a workspace that a person may mean: without what git ignores. Lets others have the thread between folders. */
import { IgnoreRules } from "../../../lib/files/ignore_rules.ts";

interface Level {
  readonly path: string;
  readonly rules: IgnoreRules;
}

/** More than anybody searches by hand; a folder of data must not fill the memory. */
const MAX_FILES = 200_000;
/** Never of interest, whatever the rules say. */
const SKIPPED = new Set([".git", ".hg", ".svn"]);

/** Relative paths, a piece for each few folders. */
export async function* walkFiles(root: string): AsyncGenerator<readonly string[]> {
  let piece: string[] = [];
  let count = 0;
  const waiting: { readonly path: string; readonly levels: readonly Level[] }[] = [{ path: "", levels: [] }];
  for (let folder = waiting.shift(); folder !== undefined && count < MAX_FILES; folder = waiting.shift()) {
    const entries: Deno.DirEntry[] = [];
    try {
      for await (const entry of Deno.readDir(`${root}/${folder.path}`)) entries.push(entry);
    } catch {
      continue; // it may not be read, or is gone by now
    }
    const own = [".gitignore", ".ignore"].filter((name) => entries.some((entry) => entry.name === name));
    const levels = [...folder.levels];
    for (const name of own) {
      try {
        const rules = new IgnoreRules(await Deno.readTextFile(`${root}/${folder.path}${name}`));
        if (!rules.empty) levels.push({ path: folder.path, rules });
      } catch {
        // It may not be read: then it ignores nothing.
      }
    }
    for (const { name, isDirectory, isFile } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
      const path = folder.path + name;
      if (ignored(levels, path, name, isDirectory)) continue;
      if (isDirectory && !SKIPPED.has(name)) waiting.push({ path: `${path}/`, levels });
      else if (isFile) {
        piece.push(path);
        count++;
      }
    }
    if (piece.length >= 500) {
      yield piece;
      piece = [];
    }
  }
  if (piece.length > 0) yield piece;
}

function ignored(levels: readonly Level[], path: string, name: string, isFolder: boolean): boolean {
  for (let i = levels.length - 1; i >= 0; i--) {
    const verdict = levels[i].rules.judge(path.slice(levels[i].path.length), name, isFolder);
    if (verdict !== undefined) return verdict === "ignore";
  }
  return false;
}
