/**
 * The entries of a session: who is whose parent, and the path to the leaf. The
 * leaf is the entry added last. A parent always stands before its children, so
 * that there are no cycles.
 *
 * Entries that are in a file need not be in memory: of the latest so many
 * bytes are, the others are read again when they are asked for. What is small
 * and tells how things stand (titles, labels, runs, intents) always stays.
 */
import type { AnyEntry } from "./entry.ts";

/** What became of an entry that was added. "adopted": its parent is unknown, so the entry before it was taken. */
export type Added = "added" | "adopted" | "duplicate";

/** Where an entry stands in the file. */
export interface EntryPlace {
  readonly byte: number;
  readonly length: number;
}

/** Reads an entry again; throws `SessionError` where it is not there any more. */
export type LoadEntry = (place: EntryPlace, id: string) => AnyEntry;

interface Slot {
  readonly id: string;
  readonly parentId: string | null;
  readonly kind: string;
  readonly byte: number;
  readonly length: number;
  entry: AnyEntry | undefined;
}

/** Kinds with texts, which may be large and are seldom asked for again. */
const HEAVY: ReadonlySet<string> = new Set([
  "system",
  "submission",
  "assistant",
  "result",
  "note",
  "changes",
  "context_edit",
  "branch_summary",
]);

/** Bytes of entries of these kinds that stay in memory. */
const RESIDENT = 256 * 1024;

export class Tree {
  readonly #slots = new Map<string, Slot>();
  readonly #load: LoadEntry | undefined;
  readonly #limit: number;
  #leaf: string | null = null;
  /** Slots whose entries may be dropped, oldest first, and their bytes. */
  #resident: Slot[] = [];
  #dropped = 0;
  #bytes = 0;

  /** Without `load` all entries stay in memory. */
  constructor(load?: LoadEntry, limit = RESIDENT) {
    this.#load = load;
    this.#limit = limit;
  }

  get leaf(): string | null {
    return this.#leaf;
  }

  get size(): number {
    return this.#slots.size;
  }

  has(id: string): boolean {
    return this.#slots.has(id);
  }

  get(id: string): AnyEntry | undefined {
    const slot = this.#slots.get(id);
    return slot && this.#entryOf(slot);
  }

  /** All entries in the order of the file. */
  *entries(): Generator<AnyEntry> {
    for (const slot of this.#slots.values()) yield this.#entryOf(slot);
  }

  /** The entries after the first `count`, in the order of the file. */
  *entriesSince(count: number): Generator<AnyEntry> {
    let at = 0;
    for (const slot of this.#slots.values()) if (at++ >= count) yield this.#entryOf(slot);
  }

  /** All entries of one kind, in the order of the file; others are not read. */
  *entriesOf(...kinds: readonly string[]): Generator<AnyEntry> {
    for (const slot of this.#slots.values()) if (kinds.includes(slot.kind)) yield this.#entryOf(slot);
  }

  /** `place`: where it is in the file; without, it stays in memory. */
  add(entry: AnyEntry, place?: EntryPlace): Added {
    if (this.#slots.has(entry.id)) return "duplicate";
    const orphan = entry.parentId !== null && !this.#slots.has(entry.parentId);
    const placed = orphan ? { ...entry, parentId: this.#leaf } : entry;
    const { id, parentId, kind } = placed;
    const slot = { id, parentId, kind, byte: place?.byte ?? 0, length: place?.length ?? 0, entry: placed };
    this.#slots.set(id, slot);
    this.#leaf = id;
    if (this.#load && place && HEAVY.has(kind)) this.#hold(slot);
    return orphan ? "adopted" : "added";
  }

  /** The entries from a root to the leaf. */
  path(): AnyEntry[] {
    return this.pathTo(this.#leaf);
  }

  /** The entries from a root to `id`; empty for null. */
  pathTo(id: string | null): AnyEntry[] {
    return this.#chain(id).map((slot) => this.#entryOf(slot));
  }

  /**
   * The path to the leaf as far as it can matter to what a model sees: of what
   * a summary stands for, only what is small.
   */
  *seen(): Generator<AnyEntry> {
    const chain = this.#chain(this.#leaf);
    const last = chain.findLastIndex(({ kind }) => kind === "compaction");
    const compaction = last < 0 ? undefined : this.#entryOf(chain[last]);
    const firstKept = compaction && "firstKept" in compaction ? compaction.firstKept : undefined;
    const kept = firstKept === undefined ? 0 : chain.findIndex(({ id }) => id === firstKept);
    const from = kept < 0 ? last : kept;
    for (const [at, slot] of chain.entries()) {
      if (at < from && HEAVY.has(slot.kind) && slot.kind !== "system") continue;
      yield this.#entryOf(slot);
    }
  }

  #chain(id: string | null): Slot[] {
    const chain: Slot[] = [];
    for (let slot = id === null ? undefined : this.#slots.get(id); slot;) {
      chain.push(slot);
      slot = slot.parentId === null ? undefined : this.#slots.get(slot.parentId);
    }
    return chain.reverse();
  }

  #hold(slot: Slot): void {
    this.#resident.push(slot);
    this.#bytes += slot.length;
    while (this.#bytes > this.#limit && this.#dropped < this.#resident.length - 1) {
      const old = this.#resident[this.#dropped++];
      old.entry = undefined;
      this.#bytes -= old.length;
    }
    if (this.#dropped > 1000 && this.#dropped > this.#resident.length / 2) {
      this.#resident = this.#resident.slice(this.#dropped);
      this.#dropped = 0;
    }
  }

  #entryOf(slot: Slot): AnyEntry {
    if (slot.entry) return slot.entry;
    const entry = this.#load!(slot, slot.id);
    return entry.parentId === slot.parentId ? entry : { ...entry, parentId: slot.parentId };
  }
}
