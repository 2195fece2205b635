/** Finding what a command's name means: function, builtin, utility of this program, program of the host. */
import type { Utility } from "../builtin.ts";
import { windowsPath } from "../windows_path.ts";
import type { FunctionEntry, LanguageBuiltin, Shell } from "./shell.ts";

export type Found =
  | { readonly kind: "function"; readonly fn: FunctionEntry }
  | { readonly kind: "builtin"; readonly builtin: LanguageBuiltin }
  | { readonly kind: "utility"; readonly utility: Utility; readonly path: string }
  | { readonly kind: "shell"; readonly path: string }
  | { readonly kind: "external"; readonly path: string }
  /** `denied`: found, but not executable. */
  | { readonly kind: "none"; readonly denied?: string };

const SYSTEM = new Set([
  "/bin",
  "/usr/bin",
  "/usr/local/bin",
  "/sbin",
  "/usr/sbin",
  "/usr/local/sbin",
  "/opt/homebrew/bin",
]);
const DEFAULT_PATH = "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin";
const SHELLS = new Set(["bash", "sh", "dash"]);

export interface LookupOptions {
  readonly functions?: boolean;
  readonly builtins?: boolean;
  readonly defaultPath?: boolean;
}

const BOTH: LookupOptions = { functions: true, builtins: true };

export function find(sh: Shell, name: string, options: LookupOptions = BOTH): Found {
  if (options.functions && options.builtins && sh.options.posix && sh.session.builtins.get(name)?.special) {
    return { kind: "builtin", builtin: sh.session.builtins.get(name)! };
  }
  if (options.functions) {
    const fn = sh.functions.get(name);
    if (fn !== undefined) return { kind: "function", fn };
  }
  if (options.builtins) {
    const builtin = sh.session.builtins.get(name);
    if (builtin !== undefined && !sh.disabled.has(name)) return { kind: "builtin", builtin };
  }
  if (name.includes("/") || (sh.windows && name.includes("\\"))) return byPath(sh, name);
  if (name === "") return { kind: "none" };
  const hashed = options.defaultPath ? undefined : sh.hashed.get(name);
  if (hashed !== undefined) {
    const found = byPath(sh, hashed.path);
    if (found.kind !== "none") hashed.hits++;
    if (found.kind !== "none" || !sh.options.checkhash) return found;
  }
  const found = inPath(sh, name, options.defaultPath ? DEFAULT_PATH : sh.vars.text("PATH") ?? DEFAULT_PATH);
  if (found.kind !== "none" && "path" in found && !options.defaultPath && sh.options.hashall) {
    sh.hashed.set(name, { path: found.path, hits: 1 });
  }
  return found;
}

/** Folders of PATH. On Windows both ways to write it are understood, mixed ones too: `/c/tools:C:\\a;C:\\b`. */
export function searchPath(sh: Shell, path: string): string[] {
  if (!sh.windows) return path.split(":");
  const folders: string[] = [];
  for (const part of path.split(";")) {
    const pieces = part.split(":");
    for (let i = 0; i < pieces.length; i++) {
      const drive = /^[A-Za-z]$/.test(pieces[i]) && /^[\\/]/.test(pieces[i + 1] ?? "");
      folders.push(drive ? windowsPath(`${pieces[i]}:${pieces[++i]}`) : windowsPath(pieces[i]));
    }
  }
  return folders;
}

/** Whether the commands of this program take the place of those in the folder: the system's own `find` and `sort` are others. */
function isSystem(sh: Shell, folder: string): boolean {
  return SYSTEM.has(folder) ||
    (sh.windows && /^[A-Z]:\/windows(?:\/|$)|\/usr\/bin\/?$/i.test(folder));
}

/** What a path leads to: a utility where it is the system's place for one. */
function byPath(sh: Shell, name: string): Found {
  const path = sh.absolute(name);
  const slash = path.lastIndexOf("/");
  const base = stem(sh, path.slice(slash + 1));
  if (isSystem(sh, path.slice(0, slash))) {
    if (SHELLS.has(base)) return { kind: "shell", path: name };
    const utility = sh.session.utilities.get(base);
    if (utility !== undefined) return { kind: "utility", utility, path: name };
  }
  try {
    if (sh.windows) name = candidates(sh, name).find((one) => exists(sh, one)) ?? name;
    const at = sh.absolute(name);
    const stat = sh.fs.stat(at);
    if (stat.kind === "dir") return { kind: "none", denied: "Is a directory" };
    if (!sh.fs.access(at, "x")) return { kind: "none", denied: "Permission denied" };
  } catch (error) {
    return { kind: "none", denied: error instanceof Error ? error.message : String(error) };
  }
  return SHELLS.has(base) ? { kind: "shell", path: name } : { kind: "external", path: name };
}

function stem(sh: Shell, base: string): string {
  return sh.windows ? base.replace(/\.exe$/i, "") : base;
}

function inPath(sh: Shell, name: string, path: string): Found {
  let denied: string | undefined;
  let system = sh.windows;
  for (const dir of searchPath(sh, path)) {
    const folder = dir === "" ? "." : dir;
    const candidate = folder === "." ? `./${name}` : `${folder.replace(/\/$/, "")}/${name}`;
    if (isSystem(sh, folder)) {
      system = true;
      const base = stem(sh, name);
      if (SHELLS.has(base)) return { kind: "shell", path: candidate };
      const utility = sh.session.utilities.get(base);
      if (utility !== undefined) {
        if (candidates(sh, candidate).some((one) => exists(sh, one))) {
          return { kind: "utility", utility, path: candidate };
        }
        continue;
      }
    }
    for (const full of candidates(sh, candidate)) {
      try {
        const absolute = sh.absolute(full);
        const stat = sh.fs.stat(absolute);
        if (stat.kind !== "file") continue;
        if (!sh.fs.access(absolute, "x")) {
          denied ??= full;
          continue;
        }
      } catch {
        continue;
      }
      return SHELLS.has(stem(sh, name)) ? { kind: "shell", path: full } : { kind: "external", path: full };
    }
  }
  if (system) {
    if (SHELLS.has(name)) return { kind: "shell", path: `/bin/${name}` };
    const utility = sh.session.utilities.get(name);
    if (utility !== undefined) return { kind: "utility", utility, path: `/usr/bin/${name}` };
  }
  return denied === undefined ? { kind: "none" } : { kind: "none", denied };
}

function exists(sh: Shell, path: string): boolean {
  try {
    return sh.fs.stat(sh.absolute(path)).kind === "file";
  } catch {
    return false;
  }
}

/** On Windows a program's name may leave its ending out. */
function candidates(sh: Shell, path: string): string[] {
  if (!sh.windows || /\.[A-Za-z]{2,4}$/.test(path)) return [path];
  const endings = (sh.vars.text("PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";");
  return [...endings.map((e) => path + e.toLowerCase()), path];
}

/** All meanings of a name, in the order in which they would be taken (`type -a`). */
export function findAll(sh: Shell, name: string): Found[] {
  const out: Found[] = [];
  const fn = sh.functions.get(name);
  if (fn !== undefined) out.push({ kind: "function", fn });
  const builtin = sh.session.builtins.get(name);
  if (builtin !== undefined && !sh.disabled.has(name)) out.push({ kind: "builtin", builtin });
  if (name.includes("/") || (sh.windows && name.includes("\\"))) {
    const found = byPath(sh, name);
    if (found.kind !== "none") out.push(found);
    return out;
  }
  for (const dir of searchPath(sh, sh.vars.text("PATH") ?? DEFAULT_PATH)) {
    const found = inPath(sh, name, dir === "" ? "." : dir);
    if (found.kind !== "none") out.push(found);
  }
  return out;
}
