/**
 * The entries of a session in memory: who is whose parent, and the path to
 * the leaf. The leaf is the entry added last. A parent always stands before
 * its children, so that there are no cycles.
 */
import type { AnyEntry } from "./entry.ts";

/** What became of an entry that was added. "adopted": its parent is unknown, so the entry before it was taken. */
export type Added = "added" | "adopted" | "duplicate";

export class Tree {
  readonly #entries = new Map<string, AnyEntry>();
  #leaf: string | null = null;
  /** The path to the leaf, where it is worked out already. */
  #path: AnyEntry[] | undefined = [];

  get leaf(): string | null {
    return this.#leaf;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): AnyEntry | undefined {
    return this.#entries.get(id);
  }

  /** All entries in the order of the file. */
  entries(): IterableIterator<AnyEntry> {
    return this.#entries.values();
  }

  add(entry: AnyEntry): Added {
    if (this.#entries.has(entry.id)) return "duplicate";
    const orphan = entry.parentId !== null && !this.#entries.has(entry.parentId);
    const placed = orphan ? { ...entry, parentId: this.#leaf } : entry;
    this.#entries.set(placed.id, placed);
    if (this.#path && placed.parentId === this.#leaf) this.#path.push(placed);
    else this.#path = undefined;
    this.#leaf = placed.id;
    return orphan ? "adopted" : "added";
  }

  /** The entries from a root to the leaf. The array grows with the tree until the path changes. */
  path(): readonly AnyEntry[] {
    return this.#path ??= this.pathTo(this.#leaf);
  }

  /** The entries from a root to `id`; empty for null. */
  pathTo(id: string | null): AnyEntry[] {
    const path: AnyEntry[] = [];
    for (let entry = id === null ? undefined : this.#entries.get(id); entry;) {
      path.push(entry);
      entry = entry.parentId === null ? undefined : this.#entries.get(entry.parentId);
    }
    return path.reverse();
  }
}
