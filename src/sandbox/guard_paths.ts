/**
 * The path guard: turns a path as somebody wrote it into the path that the
 * system would end at, before anything is opened. Each component is resolved,
 * the last one too where the operation would follow it, and also where the
 * last ones are not there yet. What is judged is the result, and only the
 * result is opened.
 *
 * Links are read only inside the places that the policy speaks of: outside
 * them the worker has no right to look, so a path that enters such a place
 * without being allowed there is reported as it stands.
 *
 * Resolved folders are remembered during one call, as long as no external
 * program runs (nobody else could swap them) and nothing was moved or linked.
 */
import { type FileKind, HostError, type HostFs } from "../shell/host.ts";
import { isWithin } from "./glob.ts";
import { absolutePattern, fixedPart, parseRule } from "./rules.ts";
import type { Policy } from "./policy.ts";

/** Links that one path may lead over, as in the kernel. */
const MAX_LINKS = 40;

interface PathGuardOptions {
  readonly fs: Pick<HostFs, "lstat" | "readLink" | "realPath">;
  readonly policy: Policy;
  /** Inside which places links may be read; default: those that the policy speaks of. */
  readonly places?: readonly string[];
  /** False while something else could swap folders: then nothing is remembered. */
  mayRemember(): boolean;
}

/** `path` is free of links; `kind` is "unknown" where nobody has looked, undefined where nothing stands there. */
export interface Place {
  readonly path: string;
  readonly kind: FileKind | "unknown" | undefined;
}

/** Resolves paths for one policy and judges none of them. */
export interface PathGuard {
  /**
   * The path without links. `follow: false` keeps a link that is the last
   * component; `make` says that it need not be there. Throws HostError ELOOP,
   * ENOTDIR, ENAMETOOLONG, and ENOENT where a missing folder is to be left
   * again by `..`.
   */
  resolve(path: string, follow: boolean, make?: boolean): string;
  /** The same, with what stands there if the way there has shown it: "unknown" otherwise, undefined for nothing. */
  lookUp(path: string, follow: boolean, make?: boolean): Place;
  /** Forgets what was resolved: after a move, a new link, a removal, and at the start of a call. Of an empty folder that was removed only what led to it. */
  forget(emptied?: string): void;
}

/** Asks the disk only for what it may not remember. */
export function createPathGuard(options: PathGuardOptions): PathGuard {
  const { fs, policy } = options;
  const places = options.places ?? knownPlaces(policy);
  const roots = [policy.workspace, policy.tempDir, ...policy.readRoots, ...policy.writeRoots];
  const folders = new Map<string, string>();

  function lookUp(path: string, follow: boolean, make = false): Place {
    const named = unaliased(path, make);
    if (isPlain(named)) {
      const cut = named.lastIndexOf("/");
      const parent = folder(cut === 0 ? "/" : named.slice(0, cut));
      if (parent !== undefined) {
        const name = named.slice(cut + 1);
        const at = parent === "/" ? `/${name}` : `${parent}/${name}`;
        if (name === "") return { path: parent, kind: "dir" };
        if (!follow) return { path: at, kind: "unknown" };
        if (isKnown(at)) {
          const kind = kindOf(at);
          if (kind !== "symlink") return { path: at, kind };
        }
      }
    }
    return walk(named, follow);
  }

  /** The real path of a folder; undefined where it has to be walked. */
  function folder(path: string): string | undefined {
    if (places.includes(path)) return path;
    const remember = options.mayRemember();
    if (!remember) folders.clear();
    const known = folders.get(path);
    if (known !== undefined) return known;
    if (!isKnown(path)) return undefined;
    const found = below(path, remember) ?? realOf(path);
    if (found === undefined) return undefined;
    // A program that was started during the look may have been what was looked at.
    if (remember && options.mayRemember()) folders.set(path, found);
    return found;
  }

  /** A plain folder in one that is remembered: what it is called there. The system asks at each level of a path, so deep trees would take for ever. */
  function below(path: string, remember: boolean): string | undefined {
    const cut = path.lastIndexOf("/");
    const above = remember && cut > 0 ? folders.get(path.slice(0, cut)) : undefined;
    if (above === undefined) return undefined;
    const at = above === "/" ? path.slice(cut) : above + path.slice(cut);
    return isKnown(at) && kindOf(at) === "dir" ? at : undefined;
  }

  function realOf(path: string): string | undefined {
    try {
      return fs.realPath(path);
    } catch {
      return undefined;
    }
  }

  /** The path with an alias replaced by what it stands for: the longest one counts, and only outside the roots. */
  function unaliased(path: string, make: boolean): string {
    let best: readonly [string, string] | undefined;
    for (const alias of policy.aliases ?? []) {
      if (isWithin(alias[0], path) && (!best || alias[0].length > best[0].length)) best = alias;
    }
    // The folder itself is the private one, whatever else has its place in it.
    if (best && best[1] === policy.tempDir && path.replace(/(?:\/\.?)+$/, "") === best[0]) return best[1];
    if (!best || roots.some((root) => isWithin(root, path) || isWithin(path, root))) return path;
    const rest = path.slice(best[0].length);
    if (best[1] !== policy.tempDir) return best[1] + rest;
    // The private folder stands for /tmp as far as something was put there; what else is in /tmp is another's.
    const [first, ...deeper] = rest.split("/").filter((part) => part !== "");
    if (first === undefined || first === "." || first === "..") return path === best[0] ? best[1] : path;
    // A wrapper makes mount points for roots that lie in /tmp: they are not what the session put there.
    if (roots.some((root) => isWithin(`${best[0]}/${first}`, root))) return path;
    if (exists(`${best[1]}/${first}`) || (make && deeper.length === 0)) return best[1] + rest;
    if (deeper.length > 0) return path;
    throw new HostError(
      "ENOENT",
      path,
      `No such file or directory. (${best[0]} is the session's own folder here; what others keep in ${
        best[0]
      } is outside the sandbox)`,
    );
  }

  function exists(path: string): boolean {
    try {
      fs.lstat(path);
      return true;
    } catch {
      return false;
    }
  }

  /** A thing that cannot be looked at counts as a link: then each component is. */
  function kindOf(path: string): FileKind | undefined {
    try {
      return fs.lstat(path).kind;
    } catch (error) {
      if (error instanceof HostError && error.code === "ENOENT") return undefined;
      return "symlink";
    }
  }

  function isKnown(path: string): boolean {
    return places.some((place) => isWithin(place, path));
  }

  function walk(path: string, follow: boolean): Place {
    let rest = path.split("/").filter((part) => part !== "");
    const slash = path.endsWith("/");
    let at = rootOf(path);
    if (at !== "/") rest = rest.slice(at.split("/").filter((part) => part !== "").length);
    let links = 0;
    let kind: FileKind | "unknown" = "dir";
    while (rest.length > 0) {
      const [part, ...after] = rest;
      rest = after;
      if (part === ".") continue;
      if (part === "..") {
        at = parentOf(at);
        kind = "dir";
        continue;
      }
      const next = at === "/" ? `/${part}` : at.endsWith("/") ? at + part : `${at}/${part}`;
      if (!isKnown(next)) {
        // A folder above a place is what it seems: places are real paths.
        if (places.some((place) => isWithin(next, place))) {
          at = next;
          kind = "dir";
          continue;
        }
        return { path: outside(next, rest), kind: "unknown" };
      }
      try {
        kind = fs.lstat(next).kind;
      } catch (error) {
        if (!(error instanceof HostError) || error.code !== "ENOENT") throw error;
        if (rest.includes("..")) throw new HostError("ENOENT", path);
        return { path: [next, ...rest.filter((name) => name !== ".")].join("/"), kind: undefined };
      }
      if (kind === "symlink" && (rest.length > 0 || follow || slash)) {
        if (++links > MAX_LINKS) throw new HostError("ELOOP", path);
        const target = fs.readLink(next);
        const parts = target.replaceAll(policySeparator, "/").split("/").filter((name) => name !== "");
        if (isAbsolute(target)) {
          at = rootOf(target);
          if (at !== "/") parts.splice(0, at.split("/").filter((name) => name !== "").length);
        }
        rest = [...parts, ...rest];
        continue;
      }
      if (rest.length > 0 && kind !== "dir" && kind !== "symlink") throw new HostError("ENOTDIR", path);
      at = next;
    }
    return { path: at, kind };
  }

  return {
    lookUp,
    resolve: (path, follow, make) => lookUp(path, follow, make).path,
    forget(emptied) {
      if (emptied === undefined) return folders.clear();
      for (const [path, real] of folders) if (isWithin(emptied, real)) folders.delete(path);
    },
  };
}

/** Backslashes separate only in the targets of Windows links, where they cannot be part of a name. */
const policySeparator = /(?<=^[A-Za-z]:.*)\\/g;

/** Every place inside which links may be read: the roots and what rules speak of. */
export function knownPlaces(policy: Policy): string[] {
  if (policy.mode === "off") return ["/"];
  const places = [policy.workspace, policy.tempDir, ...policy.readRoots, ...policy.writeRoots];
  for (const text of [...policy.rules.allow, ...policy.rules.ask]) {
    const rule = parseRule(text);
    if (rule.kind === "read" || rule.kind === "write") {
      places.push(fixedPart(absolutePattern(rule.pattern, policy)));
    }
  }
  return [...new Set(places)];
}

/** Free of `.`, `..`, empty components and a slash at its end. */
function isPlain(path: string): boolean {
  return path.startsWith("/") && !/\/(\.{0,2})(\/|$)/.test(path);
}

function outside(at: string, rest: readonly string[]): string {
  const parts = at.split("/");
  for (const part of rest) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  // Whatever `..` makes of it: the way led outside, so the answer must not be inside again.
  const end = parts.join("/");
  return isWithin(at, end) ? end : at;
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path);
}

function rootOf(path: string): string {
  const drive = /^[A-Za-z]:/.exec(path);
  return drive ? drive[0] : "/";
}

function parentOf(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut <= 0 ? (path.startsWith("/") ? "/" : path) : path.slice(0, cut);
}
