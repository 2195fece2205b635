/** The entries that find meets. What an entry is gets asked only when a test needs it. */
import type { UtilityContext } from "../../builtin.ts";
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

export class Item {
  #stat: FileStat | undefined;
  constructor(
    readonly context: UtilityContext,
    readonly settings: Settings,
    readonly path: string,
    /** As it is printed. */
    readonly shown: string,
    readonly name: string,
    readonly depth: number,
    readonly listed: DirEntry["kind"] | undefined,
    readonly root: string = shown,
  ) {}

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
