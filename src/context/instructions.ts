/**
 * The standing instructions of user and project: AGENTS.md and its kin, from
 * the user's own folders, then from the repository's root down to the working
 * folder, never above the root; later on those of folders that a tool touches.
 * A file may include others of the same repository with `@path`. What cannot
 * be used becomes a warning with its name; it never stops or holds up a run.
 */
import { isWithin as inside, parentOf, resolvePath } from "../lib/files/paths.ts";
import { exists, readPlainText, realPath } from "../lib/files/read_plain.ts";
import { findIncludes, type Include } from "./includes.ts";
import type { InstructionFile } from "./section.ts";

/** More of one file is not read: instructions of this size crowd out the work. */
const MAX_INSTRUCTION_BYTES = 64 * 1024;
/** From here on a file's cost is told. */
const LARGE_BYTES = 16 * 1024;
/** Includes within includes. */
const MAX_INCLUDE_DEPTH = 5;

/** Where instructions are looked for, and which. */
export interface InstructionsInput {
  /** Absolute path, `/`-separated. */
  readonly cwd: string;
  /** Folders whose own AGENTS.md comes first, such as the user's settings folder. */
  readonly homes: readonly string[];
  /** File names in order of precedence, such as "AGENTS.md". */
  readonly names: readonly string[];
  /** Whether files of the project are read at all. */
  readonly project: boolean;
  /** What `~` means in an include; undefined: nothing. */
  readonly home?: string;
}

/** Files of instructions, and what is to be told about them. */
export interface Instructions {
  readonly files: readonly InstructionFile[];
  readonly warnings: readonly string[];
}

/** The instructions of one session: what was loaded is not loaded again. */
export interface InstructionLoader {
  /** Those that every request carries. The same file behind two names counts once. */
  initial(): Instructions;
  /** Those on the way to a file or folder of the repository that have not been loaded yet. */
  touched(path: string): Instructions;
  /** Takes files as loaded, by the paths that they were shown with: those that a resumed session holds. */
  known(paths: readonly string[]): void;
}

/** Finds the folders now and reads no file before it is asked. */
export function openInstructions(input: InstructionsInput): InstructionLoader {
  const seen = new Set<string>();
  const folders = foldersFromRoot(input.cwd);
  const root = realPath(folders[0])?.replaceAll("\\", "/") ?? folders[0];
  const visited = new Set(input.project ? folders : []);

  function load(into: Loaded, path: string, bound: string, depth = 0, wanted = false): void {
    const real = realPath(path)?.replaceAll("\\", "/");
    if (real !== undefined && real !== path && bound === root) {
      const wrong = wrongLink(real, root, input.names);
      if (wrong !== undefined) {
        return void into.warnings.push(`Instructions left out: ${path} is a link ${wrong}`);
      }
    }
    const read = readPlainText(path, MAX_INSTRUCTION_BYTES);
    if (read.type === "absent") {
      if (wanted) into.warnings.push(`Instructions left out: ${path} does not exist`);
      return;
    }
    if (read.type === "unusable") {
      return void into.warnings.push(`Instructions left out: ${path} ${read.why}`);
    }
    if (seen.has(real ?? path)) return;
    seen.add(real ?? path);
    if (read.text.trim() === "") return;
    const cost = costOf(path, read);
    if (cost !== undefined) into.warnings.push(cost);
    into.files.push({ path, text: read.text });
    for (const include of findIncludes(read.text)) follow(into, path, include, bound, depth);
  }

  function follow(into: Loaded, from: string, { path, plain }: Include, bound: string, depth: number): void {
    const target = resolveInclude(from, path, input.home);
    const wanted = !plain;
    if (target === undefined || !inside(realPath(target)?.replaceAll("\\", "/") ?? target, bound)) {
      if (wanted) {
        into.warnings.push(`${from}: @${path} is left out: it leads out of ${bound}`);
      }
      return;
    }
    if (plain && !exists(target)) return;
    if (depth >= MAX_INCLUDE_DEPTH) {
      into.warnings.push(`${from}: @${path} is left out: includes are nested too deeply`);
      return;
    }
    load(into, target, bound, depth + 1, wanted);
  }

  return {
    initial() {
      const into: Loaded = { files: [], warnings: [] };
      for (const home of input.homes) {
        load(into, `${home}/AGENTS.md`, realPath(home)?.replaceAll("\\", "/") ?? home);
      }
      if (input.project) {
        for (const folder of folders) for (const name of input.names) load(into, `${folder}/${name}`, root);
      }
      return into;
    },
    touched(path) {
      const into: Loaded = { files: [], warnings: [] };
      if (!input.project || !inside(path, root)) return into;
      const below: string[] = [];
      // A file holds no instructions; what ends in "/." is there only as a folder.
      const start = exists(`${path}/.`) ? path : parentOf(path);
      for (let folder = start; inside(folder, root); folder = parentOf(folder)) {
        if (!visited.has(folder)) below.unshift(folder);
        visited.add(folder);
        if (folder === root) break;
      }
      for (const folder of below) for (const name of input.names) load(into, `${folder}/${name}`, root);
      return into;
    },
    known(paths) {
      for (const path of paths) seen.add(realPath(path)?.replaceAll("\\", "/") ?? path);
    },
  };
}

interface Loaded {
  readonly files: InstructionFile[];
  readonly warnings: string[];
}

/**
 * What a repository's instructions go to is the provider: a link among them
 * must not carry anything else there. It may lead to a text of the repository
 * that is meant to be read; undefined: it does.
 */
function wrongLink(real: string, root: string, names: readonly string[]): string | undefined {
  if (!inside(real, root)) return "that leads out of the repository";
  const name = real.slice(real.lastIndexOf("/") + 1);
  const text = /\.(md|mdc|markdown|txt)$/i.test(name) || names.some((one) => one.endsWith(name));
  return text ? undefined : "to a file that is no text of instructions";
}

/** What a large file costs, said once. */
function costOf(path: string, read: { readonly size: number; readonly cut: boolean }): string | undefined {
  if (read.cut) {
    return `${path} is ${read.size} bytes; only the first ${MAX_INSTRUCTION_BYTES} are used (about ${
      Math.round(MAX_INSTRUCTION_BYTES / 4)
    } tokens in every request)`;
  }
  if (read.size <= LARGE_BYTES) return undefined;
  return `${path} costs about ${Math.round(read.size / 4)} tokens in every request`;
}

/** Where an include leads, by its text alone; undefined: nowhere. */
function resolveInclude(from: string, path: string, home: string | undefined): string | undefined {
  if (path.startsWith("~/") && home === undefined) return undefined;
  return resolvePath(path, parentOf(from), home ?? "");
}

/** The folders from the repository's root down to `cwd`; only `cwd` where there is no repository. */
export function foldersFromRoot(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd;;) {
    folders.unshift(folder);
    if (exists(`${folder}/.git`)) return folders;
    const parent = parentOf(folder);
    if (parent === folder || /^[A-Za-z]:$/.test(folder)) return [cwd];
    folder = parent;
  }
}
