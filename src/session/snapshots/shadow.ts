/**
 * The state of a workspace's files beside the workspace: for each file that
 * git does not ignore, up to a size, what it looked like to `lstat` and the
 * hash of its content, which is in the object store. `look` finds what has
 * changed since the last look. Ignored and large files are watched by their
 * looks alone: that they have changed is known, what they were is not.
 *
 * A file that was changed in the same moment as it was looked at is looked
 * into again (`fresh`): times of files are no finer than the system's clock.
 */
import type { FileState } from "../entry.ts";
import type { Unkept } from "./file_state.ts";
import { Ignored, type Layer } from "./ignored.ts";
import type { ObjectStore } from "./object_store.ts";
import { BY_NAME, leadsElsewhere, type Places } from "./places.ts";

export interface ShadowLimits {
  /** Bytes of the largest file whose content is kept. */
  readonly fileBytes: number;
  /** Bytes in all. */
  readonly totalBytes: number;
  /** More files than this are not watched at all. */
  readonly files: number;
  /** Files that git ignores and that are watched all the same. */
  readonly ignoredFiles: number;
}

export const SHADOW_LIMITS: ShadowLimits = {
  fileBytes: 16 * 1024 * 1024,
  totalBytes: 1024 * 1024 * 1024,
  files: 20_000,
  ignoredFiles: 2_000,
};

export interface Difference {
  readonly path: string;
  readonly before: FileState | Unkept;
  readonly after: FileState | Unkept;
}

/** One file, folder or link as it was looked at. */
interface Node {
  readonly kind: "file" | "folder" | "link" | "other";
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly ino: number;
  readonly mode: number;
  /** Looked at in the moment of its last change. */
  fresh: boolean;
  ignored: boolean;
  hash?: string;
  target?: string;
  children?: Map<string, Node>;
  layers?: readonly Layer[];
}

/** A line of what is remembered from one process to the next. */
export type Remembered = readonly [
  path: string,
  size: number,
  mtime: number,
  ctime: number,
  ino: number,
  mode: number,
  /** Empty: it is gone. */
  hash: string,
  /** Looked at in the moment of its last change: its content may have changed without a sign. */
  fresh?: 1,
];

/** Times of files may lie so many milliseconds behind the clock. */
const CLOCK_LAG = 25;
/** Milliseconds of storing after which other work gets a turn. */
const SLICE = 8;

const IGNORED: Unkept = { type: "unkept", why: "git ignores it" };
const UNKNOWN: Unkept = { type: "unkept", why: "it could not be read" };

export class Shadow {
  readonly #root: string;
  readonly #store: ObjectStore;
  readonly #limits: ShadowLimits;
  readonly #leaveOut: ReadonlySet<string>;
  readonly #places: Places;
  readonly #ignored: Ignored;
  readonly #remembered = new Map<string, Remembered>();
  #tree: Node | undefined;
  #files = 0;
  #ignoredFiles = 0;
  #bytes = 0;
  #unwatched = new Set<string>();
  /** Contents that were read since `news` was asked for. */
  #news: Remembered[] = [];
  #waiting: string[] | undefined;

  /** `leaveOut`: folders that are not looked into. */
  constructor(
    root: string,
    store: ObjectStore,
    limits: ShadowLimits = SHADOW_LIMITS,
    leaveOut: readonly string[] = [],
    places: Places = BY_NAME,
  ) {
    this.#places = places;
    this.#leaveOut = new Set(leaveOut);
    this.#root = root;
    this.#store = store;
    this.#limits = limits;
    this.#ignored = new Ignored(root, places);
  }

  /** Set when there are too many files: nothing is watched. */
  get overflowed(): boolean {
    return this.#files > this.#limits.files;
  }

  /** Ignored folders with too much in them to watch. */
  get unwatched(): readonly string[] {
    return [...this.#unwatched].sort();
  }

  get ready(): boolean {
    return this.#tree !== undefined;
  }

  /** Takes what an earlier process knew; call it before the first look. */
  remember(lines: Iterable<Remembered>): void {
    for (const line of lines) this.#remembered.set(line[0], line);
  }

  /** Every file whose content is kept, as it was at the last look. */
  *kept(): Generator<[path: string, state: FileState & { type: "file" }]> {
    const folders: [string, Node | undefined][] = [[this.#root, this.#tree]];
    for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
      for (const [name, node] of next[1]?.children ?? []) {
        const path = `${next[0]}/${name}`;
        if (node.kind === "folder") folders.push([path, node]);
        else if (node.hash !== undefined) {
          yield [path, { type: "file", hash: node.hash, size: node.size, mode: node.mode }];
        }
      }
    }
  }

  /** What was learned since the last call, to be remembered. */
  news(): Remembered[] {
    return this.#news.splice(0);
  }

  /** The first look; contents are read and kept in slices, with pauses for other work. */
  async prepare(): Promise<void> {
    this.#waiting = [];
    this.#look([]);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#bytes = 0;
    let start = performance.now();
    for (const path of waiting) {
      const node = this.#find(path);
      if (node !== undefined && node.hash === undefined) this.#keep(path, node);
      if (performance.now() - start < SLICE) continue;
      await new Promise((resolve) => setTimeout(resolve, 0));
      start = performance.now();
    }
    this.#remembered.clear();
  }

  /** What has changed since the last look. */
  look(): Difference[] {
    const out: Difference[] = [];
    if (!this.overflowed) this.#look(out);
    return out;
  }

  #look(out: Difference[]): void {
    this.#files = this.#ignoredFiles = this.#bytes = 0;
    this.#ignored.refresh();
    const info = tryStat(this.#root);
    if (info === undefined || !info.isDirectory) return;
    const now = Date.now() - CLOCK_LAG;
    const old = this.#tree;
    const node = nodeOf(info, "folder", now, false);
    this.#walk(this.#root, node, old, this.#ignored.layersAbove(this.#root), now, out);
    // Half a picture would show the other half as removed.
    if (this.overflowed) out.length = 0;
    else this.#tree = node;
  }

  #walk(
    path: string,
    node: Node,
    old: Node | undefined,
    above: readonly Layer[],
    now: number,
    out: Difference[],
  ): void {
    const layers = node.ignored ? above : this.#ignored.within(above, path);
    node.layers = layers;
    const children = node.children = new Map<string, Node>();
    const before = old?.children;
    const relative = this.#ignored.relative(path);
    const prefix = relative === "" ? "" : `${relative}/`;
    const sameRules = old?.layers === layers;
    const names = this.#names(path, node, old);
    if (names === undefined) {
      // What is known of it stands until its names can be read.
      node.fresh = true;
      for (const [name, child] of before ?? []) children.set(name, child);
      return;
    }
    for (const name of names) {
      if (name === ".git") continue;
      if (this.overflowed) return;
      const full = `${path}/${name}`;
      if (this.#leaveOut.has(full)) continue;
      const known = before?.get(name);
      const info = this.#stat(full, known);
      if (info === "elsewhere") {
        if (known !== undefined) children.set(name, known);
        continue;
      }
      if (info === undefined) continue;
      const kind = kindOf(info);
      const isFolder = kind === "folder";
      const tracked = node.ignored && !isFolder && this.#ignored.tracked.files.has(prefix + name);
      const ignored = node.ignored
        ? !tracked
        : known !== undefined && sameRules && (known.kind === "folder") === isFolder
        ? known.ignored
        : layers.length > 0 && this.#ignored.judge(layers, prefix + name, name, isFolder);
      const child = this.#child(full, info, kind, known, ignored, now, out);
      if (child === undefined) continue;
      children.set(name, child);
      if (!isFolder) continue;
      if (!ignored || this.#ignored.tracked.folders.has(prefix + name)) {
        this.#walk(full, child, known?.kind === "folder" ? known : undefined, layers, now, out);
      } else this.#walkIgnored(full, child, known?.kind === "folder" ? known : undefined, layers, now, out);
    }
    if (before === undefined) return;
    for (const [name, gone] of before) {
      if (!children.has(name)) this.#removed(`${path}/${name}`, gone, out);
    }
  }

  /** An ignored folder is watched where it is small; else it is named once and left alone. */
  #walkIgnored(
    path: string,
    node: Node,
    old: Node | undefined,
    layers: readonly Layer[],
    now: number,
    out: Difference[],
  ): void {
    if (this.#unwatched.has(path)) return;
    const length = out.length;
    const files = this.#ignoredFiles;
    this.#walk(path, node, old, layers, now, out);
    if (this.#ignoredFiles <= this.#limits.ignoredFiles) return;
    this.#unwatched.add(path);
    this.#ignoredFiles = files;
    out.length = length;
    node.children = undefined;
  }

  /**
   * How a path looks. Its name alone may lead out of the workspace while
   * programs run, so a look that is news is looked at again, held.
   */
  #stat(path: string, known: Node | undefined): Deno.FileInfo | "elsewhere" | undefined {
    const info = tryStat(path);
    if (this.#tree === undefined) return info;
    if (
      info !== undefined && known !== undefined && isSameLook(known, nodeOf(info, kindOf(info), 0, false))
    ) {
      return info;
    }
    try {
      return this.#places.inFolder(path, (at) => Deno.lstatSync(at));
    } catch (error) {
      return leadsElsewhere(error) ? "elsewhere" : undefined;
    }
  }

  /**
   * The names in a folder: as they were, where its look says that none came or
   * went. Undefined where something else took its place meanwhile.
   */
  #names(path: string, node: Node, old: Node | undefined): Iterable<string> | undefined {
    const same = old?.children !== undefined && !old.fresh && old.mtime === node.mtime &&
      old.ctime === node.ctime && old.ino === node.ino;
    if (same) return old.children!.keys();
    try {
      return this.#places.toThing(path, (at) => Array.from(Deno.readDirSync(at), ({ name }) => name));
    } catch (error) {
      if (leadsElsewhere(error)) return undefined;
      return []; // gone, or closed to us: nothing can be said of what is in it
    }
  }

  #child(
    path: string,
    info: Deno.FileInfo,
    kind: Node["kind"],
    known: Node | undefined,
    ignored: boolean,
    now: number,
    out: Difference[],
  ): Node | undefined {
    const node = nodeOf(info, kind, now, ignored);
    if (kind !== "folder") {
      if (ignored) {
        if (++this.#ignoredFiles > this.#limits.ignoredFiles) return node;
      } else {
        this.#files++;
        this.#bytes += node.size;
      }
    }
    if (known !== undefined && !known.fresh && isSameLook(known, node)) {
      node.hash = known.hash;
      node.target = known.target;
      if (kind === "file" && node.hash === undefined && !ignored) this.#keep(path, node);
      return node;
    }
    if (kind === "link") node.target = this.#linkTarget(path);
    // What was kept once goes on being kept, ignored or not by now.
    else if (kind === "file" && (!ignored || known?.hash !== undefined)) this.#keep(path, node);
    if (this.#tree === undefined) return node;
    const [before, after] = [this.#stateOf(known), this.#stateOf(node)];
    if (kind === "folder" && known?.kind === "folder" && known.mode === node.mode) return node;
    if (!equal(before, after, known, node)) out.push({ path, before, after });
    if (known?.kind === "folder" && kind !== "folder") {
      for (const [name, gone] of known.children ?? []) this.#removed(`${path}/${name}`, gone, out);
    }
    return node;
  }

  #removed(path: string, node: Node, out: Difference[]): void {
    out.push({ path, before: this.#stateOf(node), after: null });
    if (node.hash !== undefined) this.#news.push([path, 0, 0, 0, 0, 0, ""]);
    for (const [name, child] of node.children ?? []) this.#removed(`${path}/${name}`, child, out);
  }

  /** Reads and keeps the content of a file; without a hash afterwards it is too large, or could not be read. */
  #keep(path: string, node: Node): void {
    const old = this.#remembered.get(path);
    if (
      old !== undefined && old[7] === undefined && !node.fresh && old[1] === node.size &&
      old[2] === node.mtime &&
      old[3] === node.ctime && old[4] === node.ino && this.#store.has(old[6])
    ) {
      node.hash = old[6];
      return;
    }
    if (node.size > this.#limits.fileBytes || this.#bytes > this.#limits.totalBytes) return;
    if (this.#waiting !== undefined) {
      this.#waiting.push(path);
      return;
    }
    try {
      node.hash = this.#places.toThing(path, (at) => this.#store.putFile(path, at)).hash;
    } catch {
      return; // no right to read it, no room, or something else took its place: it is told as not kept
    }
    const line = [path, node.size, node.mtime, node.ctime, node.ino, node.mode, node.hash] as const;
    this.#news.push(node.fresh ? [...line, 1] : line);
  }

  #linkTarget(path: string): string | undefined {
    try {
      return this.#places.inFolder(path, (at) => Deno.readLinkSync(at));
    } catch {
      return undefined; // gone, or no link any more
    }
  }

  #find(path: string): Node | undefined {
    let node = this.#tree;
    for (const name of path.slice(this.#root.length + 1).split("/")) node = node?.children?.get(name);
    return node;
  }

  #stateOf(node: Node | undefined): FileState | Unkept {
    if (node === undefined) return null;
    switch (node.kind) {
      case "folder":
        return { type: "folder", mode: node.mode };
      case "link":
        return node.target === undefined ? UNKNOWN : { type: "link", target: node.target };
      case "other":
        return { type: "unkept", why: "it is neither a file nor a folder nor a link" };
      case "file":
        if (node.hash !== undefined) {
          return { type: "file", hash: node.hash, size: node.size, mode: node.mode };
        }
        if (node.ignored) return IGNORED;
        return node.size > this.#limits.fileBytes
          ? { type: "unkept", why: `it is larger than ${this.#limits.fileBytes / 1024 / 1024} MiB` }
          : UNKNOWN;
    }
  }
}

function equal(a: FileState | Unkept, b: FileState | Unkept, from: Node | undefined, to: Node): boolean {
  if (a === null || b === null) return a === b;
  if (a.type === "unkept" || b.type === "unkept") {
    // Only the looks are known: one that is the same again is no change, also where the content could be kept by now.
    return from !== undefined && isSameLook(from, to);
  }
  if (a.type === "file") return b.type === "file" && a.hash === b.hash && a.mode === b.mode;
  if (a.type === "link") return b.type === "link" && a.target === b.target;
  return b.type === "folder" && a.mode === b.mode;
}

function isSameLook(a: Node, b: Node): boolean {
  return a.kind === b.kind && a.size === b.size && a.mtime === b.mtime && a.ctime === b.ctime &&
    a.ino === b.ino && a.mode === b.mode;
}

function nodeOf(info: Deno.FileInfo, kind: Node["kind"], now: number, ignored: boolean): Node {
  const mtime = info.mtime?.getTime() ?? 0;
  const ctime = info.ctime?.getTime() ?? mtime;
  return {
    kind,
    size: info.size,
    mtime,
    ctime,
    ino: info.ino ?? 0,
    mode: (info.mode ?? 0o644) & 0o7777,
    fresh: Math.max(mtime, ctime) >= now,
    ignored,
  };
}

function kindOf(info: Deno.FileInfo): Node["kind"] {
  if (info.isSymlink) return "link";
  if (info.isDirectory) return "folder";
  return info.isFile ? "file" : "other";
}

function tryStat(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch {
    return undefined; // gone since its name was read
  }
}
