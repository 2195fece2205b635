/** The walk over trees. */
import type { UtilityContext } from "../../builtin.ts";
import type { DirEntry } from "../../host.ts";
import { reason } from "../shared/report.ts";
import { Item, type Place, type Settings, type Test, type Verdict } from "./item.ts";

export class Walker {
  quit = false;
  #device = -1;
  #turn = 0;
  constructor(
    readonly context: UtilityContext,
    readonly settings: Settings,
    readonly test: Test,
    readonly failed: (shown: string, why: string) => Promise<void>,
  ) {}

  async run(root: Item): Promise<void> {
    try {
      // A missing start is an error of its own.
      const { stat } = root;
      this.#device = stat.dev;
    } catch (error) {
      await this.failed(root.shown, reason(error));
      return;
    }
    await this.#visit(root, []);
  }

  async #visit(item: Item, above: readonly string[]): Promise<void> {
    if ((this.#turn++ & 63) === 0) this.context.poll();
    let folder: boolean;
    try {
      folder = item.kind === "dir";
    } catch (error) {
      await this.failed(item.shown, reason(error));
      return;
    }
    const { minDepth, maxDepth, depthFirst, oneSystem } = this.settings;
    const verdict: Verdict = { prune: false, quit: false };
    if (!depthFirst && item.depth >= minDepth) {
      const done = this.#apply(item, verdict);
      if (done) await done;
      if (this.quit) return;
    }
    if (
      folder && item.depth < maxDepth && !(verdict.prune && !depthFirst) &&
      !(oneSystem && item.depth > 0 && item.stat.dev !== this.#device)
    ) {
      await this.#children(item, above);
      if (this.quit) return;
    }
    if (depthFirst && item.depth >= minDepth) {
      const done = this.#apply(item, verdict);
      if (done) await done;
    }
  }

  #apply(item: Item, verdict: Verdict): Promise<void> | void {
    try {
      const result = this.test(item, verdict);
      if (result instanceof Promise) return this.#settle(item, verdict, result);
    } catch (error) {
      return this.failed(item.shown, reason(error));
    }
    if (verdict.quit) this.quit = true;
  }

  async #settle(item: Item, verdict: Verdict, result: Promise<boolean>): Promise<void> {
    try {
      await result;
    } catch (error) {
      await this.failed(item.shown, reason(error));
    }
    if (verdict.quit) this.quit = true;
  }

  async #children(item: Item, above: readonly string[]): Promise<void> {
    let entries: DirEntry[];
    let below = above;
    try {
      if (this.settings.follow === "always") {
        const id = `${item.stat.dev}:${item.stat.ino}`;
        if (above.includes(id)) {
          await this.failed(item.shown, "File system loop detected");
          return;
        }
        below = [...above, id];
      }
      entries = this.context.fs.readDir(item.path);
    } catch (error) {
      await this.failed(item.shown, reason(error));
      return;
    }
    const { shown, path } = item;
    const place: Place = {
      context: this.context,
      settings: this.settings,
      path: path.endsWith("/") ? path : path + "/",
      shown: shown.endsWith("/") ? shown : shown + "/",
      depth: item.depth + 1,
      root: item.root,
    };
    const { minDepth, follow } = this.settings;
    /** Nothing lies below them: that they are to be pruned says nothing. */
    const leaf: Verdict = { prune: false, quit: false };
    for (const entry of entries) {
      const child = new Item(place, entry.name, entry.kind);
      // What surely is no folder needs no visit of its own.
      if (
        entry.kind !== "dir" && entry.kind !== "unknown" &&
        !(entry.kind === "symlink" && follow === "always")
      ) {
        if ((this.#turn++ & 63) === 0) this.context.poll();
        if (place.depth < minDepth) continue;
        const done = this.#apply(child, leaf);
        if (done) await done;
      } else await this.#visit(child, below);
      if (this.quit) return;
    }
  }
}
