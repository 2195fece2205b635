/**
 * What git ignores in a workspace: the rules of the ignore files from the
 * repository's root downwards, its own exclude file, and what is tracked all
 * the same. Without a repository only the ignore files count. Programs may have
 * put pipes, links or endless files in their places: what is read is held, a
 * plain file, and no more than a bound; links are not followed, nor by git.
 */
import { IgnoreRules } from "../../lib/files/ignore_rules.ts";
import { NOTHING_TRACKED, parseIndex, type Tracked } from "./git_index.ts";
import { BY_NAME, type Places } from "./places.ts";

/** Rules and the folder that their patterns are relative to ("" the repository's root, else with a final slash). */
export interface Layer {
  readonly base: string;
  readonly rules: IgnoreRules;
}

interface Loaded<T> {
  readonly stamp: string;
  readonly value: T;
}

const MAX_RULES = 1024 * 1024;
/** About a million paths; of more, none is known to be tracked. */
const MAX_INDEX = 256 * 1024 * 1024;
/** Of the file that names the real place of a repository. */
const MAX_LEAD = 64 * 1024;

export class Ignored {
  /** The repository's root; the workspace where there is none. */
  readonly root: string;
  readonly #git: string | undefined;
  readonly #places: Places;
  readonly #files = new Map<string, Loaded<IgnoreRules>>();
  readonly #chains = new WeakMap<readonly Layer[], Map<IgnoreRules, readonly Layer[]>>();
  #index: Loaded<Tracked> = { stamp: "", value: NOTHING_TRACKED };
  #top: Loaded<readonly Layer[]> | undefined;

  constructor(workspace: string, places: Places = BY_NAME) {
    this.#places = places;
    const found = repositoryOf(workspace);
    this.root = found?.root ?? workspace;
    this.#git = found?.git;
  }

  /** Reads what git tracks again, where that has changed: once for each look at the whole. */
  refresh(): void {
    if (this.#git === undefined) return;
    const path = `${this.#git}/index`;
    const stamp = stampOf(path);
    if (stamp === this.#index.stamp) return;
    try {
      const bytes = stamp === "" ? undefined : readPlain(path, MAX_INDEX, this.#places);
      const whole = bytes !== undefined && bytes.length < MAX_INDEX;
      this.#index = { stamp, value: whole ? parseIndex(bytes) : NOTHING_TRACKED };
    } catch {
      // Being rewritten just now: what was known stays.
    }
  }

  get tracked(): Tracked {
    return this.#index.value;
  }

  /** The path as the rules see it: below the repository's root. */
  relative(path: string): string {
    return path === this.root ? "" : path.slice(this.root.length + 1);
  }

  /** The rules that hold in a folder below the workspace before its own are read. */
  layersAbove(workspace: string): readonly Layer[] {
    const exclude = this.#git === undefined ? undefined : this.#load(`${this.#git}/info/exclude`);
    let layers: readonly Layer[] = this.#top?.value ?? [];
    if (this.#top === undefined) {
      layers = exclude === undefined ? [] : [{ base: "", rules: exclude }];
      this.#top = { stamp: "", value: layers };
    }
    const parts = this.relative(workspace).split("/").filter((part) => part !== "");
    let folder = this.root;
    for (const part of parts) {
      layers = this.within(layers, folder);
      folder += `/${part}`;
    }
    return layers;
  }

  /** The rules in a folder: those above it and its own. The same array as long as nothing has changed. */
  within(above: readonly Layer[], folder: string): readonly Layer[] {
    const rules = this.#load(`${folder}/.gitignore`);
    if (rules === undefined || rules.empty) return above;
    const known = this.#chains.get(above);
    const chain = known?.get(rules);
    if (chain !== undefined) return chain;
    const relative = this.relative(folder);
    const made = [...above, { base: relative === "" ? "" : `${relative}/`, rules }];
    if (known === undefined) this.#chains.set(above, new Map([[rules, made]]));
    else known.set(rules, made);
    return made;
  }

  /** Whether git ignores it; folders with something tracked in them are gone into all the same. */
  judge(layers: readonly Layer[], relative: string, name: string, isFolder: boolean): boolean {
    for (let at = layers.length - 1; at >= 0; at--) {
      const { base, rules } = layers[at];
      const verdict = rules.judge(relative.slice(base.length), name, isFolder);
      if (verdict !== undefined) {
        return verdict === "ignore" && !(isFolder ? false : this.tracked.files.has(relative));
      }
    }
    return false;
  }

  #load(path: string): IgnoreRules | undefined {
    const stamp = stampOf(path);
    if (stamp === "") return undefined;
    const known = this.#files.get(path);
    if (known?.stamp === stamp) return known.value;
    let value: IgnoreRules;
    try {
      value = new IgnoreRules(new TextDecoder().decode(readPlain(path, MAX_RULES, this.#places)));
    } catch {
      return undefined; // git cannot read it either, or it was swapped
    }
    this.#files.set(path, { stamp, value });
    return value;
  }
}

/** The beginning of a plain file. Throws where something else stands there by now. */
function readPlain(path: string, limit: number, places: Places): Uint8Array {
  return places.toThing(path, (at) => {
    const { isFile, size } = Deno.statSync(at);
    // What is held is what was looked at: opening it cannot wait for anybody.
    if (!isFile) throw new Error(`${path} is no plain file`);
    using file = Deno.openSync(at);
    const bytes = new Uint8Array(Math.min(size, limit));
    let length = 0;
    while (length < bytes.length) {
      const got = file.readSync(bytes.subarray(length));
      if (got === null) break;
      length += got;
    }
    return bytes.subarray(0, length);
  });
}

/** Changes when the file does; empty where there is no plain one. */
function stampOf(path: string): string {
  try {
    const { isFile, size, mtime, ctime, ino } = Deno.lstatSync(path);
    return isFile ? `${size} ${mtime?.getTime()} ${ctime?.getTime()} ${ino}` : "";
  } catch {
    return "";
  }
}

function repositoryOf(workspace: string): { root: string; git: string } | undefined {
  for (let folder = workspace;;) {
    const git = `${folder}/.git`;
    try {
      const info = Deno.statSync(git);
      // Held later on, where links are not followed: so its real place, as it is now.
      if (info.isDirectory) return { root: folder, git: Deno.realPathSync(git) };
      // A worktree or submodule: a file that names the real place.
      const lead = new TextDecoder().decode(readPlain(git, MAX_LEAD, BY_NAME));
      const leads = /^gitdir: (.+)$/m.exec(lead)?.[1].trim();
      if (leads !== undefined) {
        const place = /^(\/|[A-Za-z]:)/.test(leads) ? leads : `${folder}/${leads}`;
        return { root: folder, git: Deno.realPathSync(place) };
      }
    } catch {
      // None here: perhaps above.
    }
    const cut = folder.lastIndexOf("/");
    if (cut <= 0) return undefined;
    folder = folder.slice(0, cut);
  }
}
