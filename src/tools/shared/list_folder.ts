/** The entries of a folder as a model reads them: what `ls` says, and `read` of a folder. */
import { joinPath } from "../../lib/files/paths.ts";
import { visible } from "../../lib/text/visible.ts";
import type { DirEntry, HostFs } from "../../sandbox/mod.ts";
import { clipBytes, utf8Length } from "./limit_output.ts";
import { grouped } from "../../lib/text/count.ts";

/** `text` has a line for each name, and one for what was left out. */
interface FolderList {
  readonly text: string;
  /** Names as shown, for interfaces. */
  readonly names: readonly string[];
}

/** Sorted by name, folders with a `/`, links with their target; bounded in number and bytes, the rest counted. */
export function listFolder(fs: HostFs, path: string, maxEntries: number, maxBytes: number): FolderList {
  const entries = fs.readDir(path).sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  const names: string[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const name = clipBytes(visible(label(fs, path, entry)), 600);
    bytes += utf8Length(name) + 1;
    if (names.length >= maxEntries || bytes > maxBytes - 60) break;
    names.push(name);
  }
  const more = entries.length - names.length;
  const lines = [...names];
  if (entries.length === 0) lines.push("[empty folder]");
  if (more > 0) {
    lines.push(`[${grouped(more)} more of ${grouped(entries.length)}]`);
  }
  return { text: lines.join("\n"), names };
}

function label(fs: HostFs, folder: string, entry: DirEntry): string {
  switch (entry.kind) {
    case "dir":
      return entry.name + "/";
    case "symlink":
      return `${entry.name} -> ${target(fs, joinPath(folder, entry.name))}`;
    case "fifo":
      return entry.name + "|";
    case "socket":
      return entry.name + "=";
    default:
      return entry.name;
  }
}

function target(fs: HostFs, path: string): string {
  try {
    return fs.readLink(path);
  } catch {
    return "?"; // Where a link leads may be hidden by the sandbox; that it is one is still worth saying.
  }
}
