/**
 * The ledger: in which state the model has last seen each file. Whoever reads
 * or writes a file stamps it; whoever is about to change one asks whether
 * what the model knows of it is still true. A file that was only touched (new
 * time, same bytes) counts as unchanged.
 */
import type { FileStat } from "../../sandbox/mod.ts";
import type { Ledger, Stamp } from "../tool.ts";

/** Files that are remembered; the ones not seen for longest are forgotten first. */
const MOST = 10_000;

/** A ledger in memory. */
export class ReadStamps implements Ledger {
  readonly #stamps: Map<string, Stamp>;

  constructor(stamps: Iterable<readonly [realPath: string, stamp: Stamp]> = []) {
    this.#stamps = new Map(stamps);
  }

  /** All of it, the ones not seen for longest first. */
  all(): [realPath: string, stamp: Stamp][] {
    return [...this.#stamps];
  }

  get(realPath: string): Stamp | undefined {
    return this.#stamps.get(realPath);
  }

  set(realPath: string, stamp: Stamp): void {
    this.#stamps.delete(realPath);
    this.#stamps.set(realPath, stamp);
    if (this.#stamps.size > MOST) this.#stamps.delete(this.#stamps.keys().next().value!);
  }
}

/** `hash`: of what was read (see `hashOf`); undefined where it was not read whole. */
export function stampOf(stat: FileStat, hash: string | undefined): Stamp {
  return { size: stat.size, mtimeMs: stat.mtimeMs, dev: stat.dev, ino: stat.ino, hash };
}

/** "unread": never seen; "changed": no longer what was seen; "known": as seen. */
export function knowledge(
  ledger: Ledger,
  realPath: string,
  now: { readonly stat: FileStat; readonly hash: string | undefined },
): "unread" | "changed" | "known" {
  const seen = ledger.get(realPath);
  if (seen === undefined) return "unread";
  if (seen.hash !== undefined && now.hash !== undefined) return seen.hash === now.hash ? "known" : "changed";
  const same = seen.size === now.stat.size && seen.mtimeMs === now.stat.mtimeMs &&
    seen.ino === now.stat.ino && seen.dev === now.stat.dev;
  return same ? "known" : "changed";
}
