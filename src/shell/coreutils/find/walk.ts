/** The walk over trees. */
import type { UtilityContext } from "../../builtin.ts";
import type { DirEntry } from "../../host.ts";
import { reason } from "../shared/report.ts";
import { Item, type Settings, type Test, type Verdict } from "./item.ts";

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
    const prefix = item.shown.endsWith("/") ? item.shown : item.shown + "/";
    const path = item.path.endsWith("/") ? item.path : item.path + "/";
    for (const entry of entries) {
      const child = new Item(
        this.context,
        this.settings,
        path + entry.name,
        prefix + entry.name,
        entry.name,
        item.depth + 1,
        entry.kind,
        item.root,
      );
      // What surely is no folder needs no visit of its own.
      if (
        entry.kind !== "dir" && entry.kind !== "unknown" &&
        !(entry.kind === "symlink" && this.settings.follow === "always")
      ) {
        if ((this.#turn++ & 63) === 0) this.context.poll();
        if (child.depth < this.settings.minDepth) continue;
        const done = this.#apply(child, { prune: false, quit: false });
        if (done) await done;
      } else await this.#visit(child, below);
      if (this.quit) return;
    }
  }
}
