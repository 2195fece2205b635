/**
 * The standing instructions of user and project: AGENTS.md and its kin, from
 * the user's own folder, then from the repository's root down to the working
 * folder, never above the root. What cannot be used becomes a warning with
 * its name; it never stops or holds up a run.
 */
import { exists, readPlainText, realPath } from "../lib/files/read_plain.ts";
import type { InstructionFile } from "./section.ts";

/** More of one file is not read: instructions of this size crowd out the work. */
export const MAX_INSTRUCTION_BYTES = 64 * 1024;
/** From here on a file's cost is told. */
const LARGE_BYTES = 16 * 1024;

export interface InstructionsInput {
  /** Absolute path, `/`-separated. */
  readonly cwd: string;
  /** Folders whose own file comes first, such as the user's settings folder; undefined entries are left out. */
  readonly homes: readonly string[];
  /** File names in order of precedence, such as "AGENTS.md". */
  readonly names: readonly string[];
  /** Whether files of the project are read at all. */
  readonly project: boolean;
}

export interface Instructions {
  readonly files: readonly InstructionFile[];
  readonly warnings: readonly string[];
}

/** Finds and reads them. The same file behind two names counts once. */
export function loadInstructions(input: InstructionsInput): Instructions {
  const files: InstructionFile[] = [];
  const warnings: string[] = [];
  const seen = new Set<string>();
  const take = (path: string, root?: string) => {
    const real = realPath(path);
    if (real !== undefined && root !== undefined && real !== path) {
      const wrong = wrongLink(real.replaceAll("\\", "/"), root, input.names);
      if (wrong !== undefined) {
        warnings.push(`Instructions left out: ${path} is a link ${wrong}`);
        return;
      }
    }
    const read = readPlainText(path, MAX_INSTRUCTION_BYTES);
    if (read.type === "absent") return;
    if (read.type === "unusable") {
      warnings.push(`Instructions left out: ${path} ${read.why}`);
      return;
    }
    if (seen.has(real ?? path)) return;
    seen.add(real ?? path);
    if (read.text.trim() === "") return;
    if (read.cut) {
      warnings.push(
        `${path} is ${read.size} bytes; only the first ${MAX_INSTRUCTION_BYTES} are used (about ${
          Math.round(MAX_INSTRUCTION_BYTES / 4)
        } tokens in every request)`,
      );
    } else if (read.size > LARGE_BYTES) {
      warnings.push(`${path} costs about ${Math.round(read.size / 4)} tokens in every request`);
    }
    files.push({ path, text: read.text });
  };
  for (const home of input.homes) take(`${home}/AGENTS.md`);
  if (input.project) {
    const folders = foldersFromRoot(input.cwd);
    const root = realPath(folders[0])?.replaceAll("\\", "/") ?? folders[0];
    for (const folder of folders) {
      for (const name of input.names) take(`${folder}/${name}`, root);
    }
  }
  return { files, warnings };
}

/**
 * What a repository's instructions go to is the provider: a link among them
 * must not carry anything else there. It may lead to a text of the repository
 * that is meant to be read; undefined: it does.
 */
function wrongLink(real: string, root: string, names: readonly string[]): string | undefined {
  if (!real.startsWith(root === "/" ? "/" : `${root}/`)) return "that leads out of the repository";
  const name = real.slice(real.lastIndexOf("/") + 1);
  const text = /\.(md|mdc|markdown|txt)$/i.test(name) || names.some((one) => one.endsWith(name));
  return text ? undefined : "to a file that is no text of instructions";
}

/** The folders from the repository's root down to `cwd`; only `cwd` where there is no repository. */
export function foldersFromRoot(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd;;) {
    folders.unshift(folder);
    if (exists(`${folder}/.git`)) return folders;
    const cut = folder.lastIndexOf("/");
    const parent = cut > 0 ? folder.slice(0, cut) : "/";
    if (parent === folder || /^[A-Za-z]:$/.test(folder)) return [cwd];
    folder = parent;
  }
}
