/**
 * Walks a tree as people expect of a search: what `.gitignore` and `.ignore`
 * exclude is left out, hidden names too unless asked for, `.git` always. Links
 * are never followed, so a walk neither leaves the tree nor goes in circles.
 *
 * Rules of deeper folders win over those above; any `.ignore` wins over any
 * `.gitignore`; a nested repository is not bound by the `.gitignore` files
 * outside of it. Rules above the starting point count up to the workspace.
 */
import { IgnoreRules } from "../../lib/files/ignore_rules.ts";
import { isWithin, joinPath, parentOf } from "../../lib/files/paths.ts";
import { decodeBytes } from "../../lib/text/bytes.ts";
import { type DirEntry, HostError, type HostFs } from "../../sandbox/mod.ts";

/** `hidden`: names with a leading dot are walked too. `poll` is called for each folder; what it throws ends the walk. */
interface WalkOptions {
  readonly fs: HostFs;
  /** Absolute path of the folder to begin with. */
  readonly root: string;
  /** Above this, ignore files are not looked for. */
  readonly workspace: string;
  readonly hidden: boolean;
  poll(): void;
  /** Says which folders need not be entered, by their path from the root. */
  readonly skip?: (path: string) => boolean;
  /** Told of folders that could not be read. */
  readonly unreadable?: (path: string, error: HostError) => void;
}

/** A file found: its path from the root, and the whole one. */
export interface Walked {
  readonly path: string;
  readonly absolute: string;
}

/** Rules that bind a folder: its own, then those above. */
interface Level {
  readonly folder: string;
  readonly ignore: IgnoreRules | undefined;
  readonly git: IgnoreRules | undefined;
  /** Whether a repository begins here: rules of git above do not count. */
  readonly repository: boolean;
  readonly above: Level | undefined;
}

/** Files below `root`, each folder's in order of their names, before those of its folders. */
export function* walkFiles(options: WalkOptions): Generator<Walked> {
  const stack: { path: string; absolute: string; above: Level | undefined }[] = [
    { path: "", absolute: options.root, above: levelsAbove(options) },
  ];
  while (stack.length > 0) {
    const { path, absolute, above } = stack.pop()!;
    options.poll();
    const entries = readEntries(options, absolute);
    if (entries === undefined) continue;
    const level = levelOf(options, absolute, entries, above);
    const folders: { path: string; absolute: string; above: Level | undefined }[] = [];
    const [lead, base] = [path === "" ? "" : path + "/", joinPath(absolute, "")];
    for (const entry of entries) {
      const { name } = entry;
      const kind = entry.kind === "unknown" ? kindOf(options.fs, base + name) : entry.kind;
      if (kind !== "file" && kind !== "dir" || name === ".git") continue;
      const inner = lead + name;
      const whole = base + name;
      const verdict = judge(level, whole, name, kind === "dir");
      if (verdict === "ignore" || (verdict === undefined && name[0] === "." && !options.hidden)) continue;
      if (kind === "file") yield { path: inner, absolute: whole };
      else if (!options.skip?.(inner)) folders.push({ path: inner, absolute: whole, above: level });
    }
    for (let i = folders.length - 1; i >= 0; i--) stack.push(folders[i]);
  }
}

function readEntries(options: WalkOptions, folder: string): DirEntry[] | undefined {
  try {
    return options.fs.readDir(folder).sort((a, b) => a.name < b.name ? -1 : 1);
  } catch (error) {
    // The starting point has to be readable; what cannot be read below it is told, not fatal.
    if (!(error instanceof HostError) || folder === options.root) throw error;
    options.unreadable?.(folder, error);
    return undefined;
  }
}

function kindOf(fs: HostFs, path: string): DirEntry["kind"] {
  try {
    return fs.lstat(path).kind;
  } catch (error) {
    if (error instanceof HostError) return "unknown";
    throw error;
  }
}

/** Any `.ignore` decides before any `.gitignore`; of each, the nearest folder that says something. */
function judge(
  level: Level | undefined,
  path: string,
  name: string,
  isFolder: boolean,
): "ignore" | "keep" | undefined {
  for (let at = level; at !== undefined; at = at.above) {
    const verdict = at.ignore?.judge(path.slice(at.folder.length), name, isFolder);
    if (verdict !== undefined) return verdict;
  }
  for (let at = level; at !== undefined; at = at.above) {
    const verdict = at.git?.judge(path.slice(at.folder.length), name, isFolder);
    if (verdict !== undefined) return verdict;
    if (at.repository) return undefined;
  }
  return undefined;
}

function levelOf(
  options: WalkOptions,
  folder: string,
  entries: readonly { readonly name: string }[],
  above: Level | undefined,
): Level | undefined {
  let ignore: IgnoreRules | undefined;
  let git: IgnoreRules | undefined;
  let repository = false;
  for (const { name } of entries) {
    if (name[0] !== ".") continue;
    if (name === ".ignore") ignore = rulesOf(options.fs, joinPath(folder, name));
    else if (name === ".gitignore") git = rulesOf(options.fs, joinPath(folder, name));
    else if (name === ".git") repository = true;
  }
  if (repository) git = withExcludes(options.fs, folder, git);
  if (ignore === undefined && git === undefined && !repository) return above;
  return { folder: folder.endsWith("/") ? folder : folder + "/", ignore, git, repository, above };
}

function levelsAbove(options: WalkOptions): Level | undefined {
  const folders: string[] = [];
  let at = options.root;
  while (at !== options.workspace && isWithin(at, options.workspace)) {
    at = parentOf(at);
    folders.push(at);
  }
  let level: Level | undefined;
  for (const folder of folders.reverse()) {
    const names = NAMES.filter((name) => exists(options.fs, joinPath(folder, name))).map((name) => ({
      name,
    }));
    level = levelOf(options, folder, names, level);
  }
  return level;
}

const NAMES = [".ignore", ".gitignore", ".git"];

function exists(fs: HostFs, path: string): boolean {
  return kindOf(fs, path) !== "unknown";
}

/** `.git/info/exclude` is weaker than `.gitignore`, so its lines come first. */
function withExcludes(fs: HostFs, folder: string, git: IgnoreRules | undefined): IgnoreRules | undefined {
  const excludes = textOf(fs, joinPath(folder, ".git/info/exclude"));
  if (excludes === undefined || new IgnoreRules(excludes).empty) return git;
  return new IgnoreRules(`${excludes}\n${textOf(fs, joinPath(folder, ".gitignore")) ?? ""}`);
}

function rulesOf(fs: HostFs, path: string): IgnoreRules | undefined {
  const text = textOf(fs, path);
  const rules = text === undefined ? undefined : new IgnoreRules(text);
  return rules?.empty ? undefined : rules;
}

/** Ignore files are small; more than this is not read. */
const MAX_RULES = 1 << 20;

function textOf(fs: HostFs, path: string): string | undefined {
  try {
    // A link is not followed: it may lead out, and git does not either.
    if (fs.lstat(path).kind !== "file") return undefined;
    const file = fs.open(path, { read: true });
    if (file instanceof Promise) {
      // The gate would have to ask somebody: rules are not worth a question.
      file.then((opened) => opened.close(), () => {});
      return undefined;
    }
    try {
      const bytes = new Uint8Array(Math.min(MAX_RULES, file.stat().size));
      let length = 0;
      while (length < bytes.length) {
        const count = file.read(bytes.subarray(length));
        if (typeof count !== "number" || count === 0) break;
        length += count;
      }
      return decodeBytes(bytes.subarray(0, length)).replace(/^\ufeff/, "");
    } finally {
      file.close();
    }
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

/** When a file that was found was last changed, in milliseconds; 0 where it is gone by now. */
export function timeOf(fs: HostFs, path: string): number {
  try {
    return fs.lstat(path).mtimeMs;
  } catch (error) {
    if (error instanceof HostError) return 0;
    throw error;
  }
}
