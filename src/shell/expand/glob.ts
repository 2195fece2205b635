/** Pathname expansion: a pattern's matches in the file system, sorted by their bytes. */
import type { DirEntry } from "../host.ts";
import type { ExpandConfig } from "./config.ts";
import { compilePattern, hasGlob, type Pattern, unescapePattern } from "./pattern.ts";
import { windowsPath } from "../windows_path.ts";

/** The matching paths, as the pattern is written (relative stays relative); empty where nothing matches. */
export function expandGlob(config: ExpandConfig, pattern: string): string[] {
  const segments = splitPattern(pattern);
  const walker = new Walker(config);
  let prefix = "";
  let first = 0;
  if (pattern.startsWith("/")) {
    prefix = "/";
    while (first < segments.length && segments[first] === "") first++;
  }
  walker.walk(prefix, segments, first);
  return ignored(config, walker.out.sort(byCodePoint), pattern);
}

/** Splits at slashes that are neither escaped nor in an extended group. */
function splitPattern(pattern: string): string[] {
  const out: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === "\\") i++;
    else if (c === "(" && i > 0 && "@+!?*".includes(pattern[i - 1])) depth++;
    else if (c === ")" && depth > 0) depth--;
    else if (c === "/" && depth === 0) {
      out.push(pattern.slice(start, i));
      start = i + 1;
    }
  }
  out.push(pattern.slice(start));
  return out;
}

class Walker {
  readonly out: string[] = [];
  readonly #dot: boolean;
  readonly #extglob: boolean;
  readonly #fold: boolean;
  readonly #globstar: boolean;

  constructor(readonly config: ExpandConfig) {
    this.#dot = config.option("dotglob") ||
      config.vars.text("GLOBIGNORE") !== undefined && config.vars.text("GLOBIGNORE") !== "";
    this.#extglob = config.option("extglob");
    this.#fold = config.option("nocaseglob");
    this.#globstar = config.option("globstar");
  }

  walk(prefix: string, segments: readonly string[], at: number): void {
    this.config.poll();
    const segment = segments[at];
    const last = at === segments.length - 1;
    if (segment === "") {
      // A slash at the end: folders only; doubled slashes are kept.
      if (last) {
        if (prefix !== "" && this.#isDir(prefix)) this.out.push(prefix);
        return;
      }
      return this.walk(prefix + "/", segments, at + 1);
    }
    if (segment === "**" && this.#globstar) return this.#starstar(prefix, segments, at);
    if (!hasGlob(segment) && !(this.#fold && /[A-Za-z]/.test(segment))) {
      const path = prefix + unescapePattern(segment);
      if (last) {
        if (this.#exists(path)) this.out.push(path);
      } else if (this.#isDir(path)) this.walk(path + "/", segments, at + 1);
      return;
    }
    const pattern = compilePattern(segment, this.#extglob, this.#fold);
    const entries = this.#entries(prefix);
    if (!this.config.option("globskipdots") && /^(?:\\?\.|[?*+@!]\()/.test(segment)) {
      entries.push({ name: ".", kind: "dir" }, { name: "..", kind: "dir" });
    }
    for (const entry of entries) {
      if (!this.#accepts(entry.name, segment, pattern)) continue;
      const path = prefix + entry.name;
      if (last) this.out.push(path);
      else if (entry.kind === "dir" || (entry.kind !== "file" && this.#isDir(path))) {
        this.walk(path + "/", segments, at + 1);
      }
    }
  }

  #accepts(name: string, segment: string, pattern: Pattern): boolean {
    if (
      name.startsWith(".") && !this.#dot && segment[0] !== "." && !segment.startsWith("\\.") &&
      !explicitDot(segment)
    ) {
      return false;
    }
    return pattern.matches(name);
  }

  #starstar(prefix: string, segments: readonly string[], at: number): void {
    const last = at === segments.length - 1;
    if (last) {
      if (prefix !== "") this.out.push(prefix);
      return this.#descend(prefix, true, (path) => this.out.push(path));
    }
    // Repeated `**` are one.
    let next = at + 1;
    while (segments[next] === "**" && next < segments.length - 1) next++;
    this.walk(prefix, segments, next);
    this.#descend(prefix, false, (path) => this.walk(path + "/", segments, next));
  }

  #descend(prefix: string, files: boolean, visit: (path: string) => void, depth = 0): void {
    this.config.poll();
    if (depth > 200) return;
    for (const entry of this.#entries(prefix)) {
      if (entry.name.startsWith(".") && !this.#dot) continue;
      const path = prefix + entry.name;
      if (entry.kind === "dir") {
        visit(path);
        this.#descend(path + "/", files, visit, depth + 1);
      } else if (files) visit(path);
    }
  }

  #absolute(path: string): string {
    if (this.config.windows) {
      const there = windowsPath(path);
      if (/^(?:[A-Za-z]:)?\//.test(there)) return there;
    }
    if (path.startsWith("/")) return path;
    return path === ""
      ? this.config.cwd
      : this.config.cwd.endsWith("/")
      ? this.config.cwd + path
      : this.config.cwd + "/" + path;
  }

  #entries(prefix: string): DirEntry[] {
    try {
      return this.config.fs.readDir(this.#absolute(prefix));
    } catch {
      // What cannot be read holds no match.
      return [];
    }
  }

  #exists(path: string): boolean {
    try {
      this.config.fs.lstat(this.#absolute(path));
      return true;
    } catch {
      return false;
    }
  }

  #isDir(path: string): boolean {
    try {
      return this.config.fs.stat(this.#absolute(path)).kind === "dir";
    } catch {
      return false;
    }
  }
}

/** Whether an extended group at the start names a dot itself. */
function explicitDot(segment: string): boolean {
  return /^[@?*+]\([^)]*(?:^|[(|])\\?\./.test(segment);
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Leaves out what GLOBIGNORE names. */
function ignored(config: ExpandConfig, paths: string[], _pattern: string): string[] {
  const list = config.vars.text("GLOBIGNORE");
  if (list === undefined || list === "") return paths;
  const patterns = splitColons(list).map((p) => ({
    matches: (path: string) => compilePattern(p, config.option("extglob"), false).matches(path),
    slashes: p.split("/").length - 1,
  }));
  return paths.filter((path) =>
    !/(^|\/)\.\.?$/.test(path) &&
    !patterns.some((p) => p.matches(path) && p.slashes === path.split("/").length - 1)
  );
}

/** Splits at colons, but for those inside `[…]`. */
function splitColons(list: string): string[] {
  const out: string[] = [];
  let depth = 0;
  let current = "";
  for (let i = 0; i < list.length; i++) {
    const c = list[i];
    if (c === "\\" && i + 1 < list.length) {
      current += c + list[++i];
      continue;
    }
    if (c === "[") depth++;
    else if (c === "]" && depth > 0) depth--;
    if (c === ":" && depth === 0) {
      if (current !== "") out.push(current);
      current = "";
    } else current += c;
  }
  if (current !== "") out.push(current);
  return out;
}
