/** The entries that find meets. What an entry is gets asked only when a test needs it. */
import type { UtilityContext } from "../../builtin.ts";
import { baseName } from "../shared/paths.ts";
import { type DirEntry, type FileStat, HostError, type Later } from "../../host.ts";

export interface Settings {
  follow: "never" | "operands" | "always";
  minDepth: number;
  maxDepth: number;
  depthFirst: boolean;
  oneSystem: boolean;
  regexType: "basic" | "extended";
  readonly now: number;
  dayStart: boolean;
}

/** What the entries of one folder have in common. */
export interface Place {
  readonly context: UtilityContext;
  readonly settings: Settings;
  /** The folder with a slash at its end; of a start, the start itself. */
  readonly path: string;
  readonly shown: string;
  readonly depth: number;
  /** The start, as it was given. */
  readonly root: string;
}

export class Item {
  #stat: FileStat | undefined;
  /** `entryName` is undefined for a start, which is its own place. */
  constructor(
    readonly place: Place,
    readonly entryName: string | undefined,
    readonly listed: DirEntry["kind"] | undefined,
  ) {}

  get context(): UtilityContext {
    return this.place.context;
  }
  get settings(): Settings {
    return this.place.settings;
  }
  get depth(): number {
    return this.place.depth;
  }
  get root(): string {
    return this.place.root;
  }
  get path(): string {
    return this.entryName === undefined ? this.place.path : this.place.path + this.entryName;
  }
  /** As it is printed. */
  get shown(): string {
    return this.entryName === undefined ? this.place.shown : this.place.shown + this.entryName;
  }
  get name(): string {
    return this.entryName ?? baseName(this.place.shown);
  }

  /** State of the entry, through a link where links are followed. */
  get stat(): FileStat {
    if (this.#stat) return this.#stat;
    const { follow } = this.settings;
    if (follow === "always" || (follow === "operands" && this.depth === 0)) {
      try {
        return this.#stat = this.context.fs.stat(this.path);
      } catch (error) {
        // A dangling link is tested as itself.
        if (!(error instanceof HostError) || (error.code !== "ENOENT" && error.code !== "ELOOP")) throw error;
      }
    }
    return this.#stat = this.context.fs.lstat(this.path);
  }

  /** Kind of the entry, from the folder's list where that is enough. */
  get kind(): string {
    if (
      !this.#stat && this.listed !== undefined && this.listed !== "unknown" &&
      (this.listed !== "symlink" || this.settings.follow !== "always")
    ) return this.listed;
    return this.stat.kind;
  }
}

/** What an expression says beyond true and false. */
export interface Verdict {
  prune: boolean;
  quit: boolean;
}

export type Test = (item: Item, verdict: Verdict) => Later<boolean>;
