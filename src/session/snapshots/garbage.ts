/**
 * Takes away contents that no session names any more: attachments, and what
 * was kept for undo. References are counted over all sessions, those in the
 * trash too, and whatever looks like one counts as one. What is younger than a
 * day stays: somebody may be about to name it.
 */
import { ioError } from "../log/io_error.ts";
import { type PackPlace, Packs } from "./pack.ts";

export interface GarbagePlaces {
  readonly sessions: string;
  readonly attachments: string;
  readonly snapshots: string;
}

export interface Freed {
  readonly attachments: number;
  readonly snapshots: number;
  readonly bytes: number;
  /** Sessions are in use, so what was kept for undo was left alone. */
  readonly inUse: boolean;
}

const DAY = 24 * 60 * 60 * 1000;
/** What is known of a workspace's files is worth keeping so long. */
const MONTH = 30 * DAY;
const HASH = /[0-9a-f]{64}/g;
const CHUNK = 1024 * 1024;

export function collectGarbage(places: GarbagePlaces, now = Date.now()): Freed {
  const named = new Set<string>();
  let inUse = false;
  for (const path of walk(places.sessions)) {
    if (path.endsWith(".jsonl") || path.endsWith(".jsonl.bad")) addNamed(path, named);
    else if (path.endsWith(".lock")) inUse ||= isLocked(path);
  }
  for (const path of walk(`${places.snapshots}/workspaces`)) {
    if (isOlder(path, now - MONTH)) remove(path);
    else addNamed(path, named);
  }
  let bytes = 0;
  const drop = (folder: string): number => {
    let count = 0;
    for (const path of walk(folder)) {
      const name = path.slice(path.lastIndexOf("/") + 1);
      if (named.has(name.slice(0, 64)) || !/^[0-9a-f]{64}/.test(name) || !isOlder(path, now - DAY)) continue;
      bytes += Deno.statSync(path).size;
      remove(path);
      count++;
    }
    return count;
  };
  const attachments = drop(places.attachments);
  let snapshots = 0;
  if (!inUse) {
    const objects = `${places.snapshots}/objects`;
    snapshots = drop(objects);
    const packed = dropPacked(`${objects}/packs`, named, now - DAY);
    snapshots += packed.count;
    bytes += packed.bytes;
  }
  return { attachments, snapshots, bytes, inUse };
}

/** Packs in which more is garbage than not are written anew without it. */
function dropPacked(folder: string, named: ReadonlySet<string>, before: number) {
  const packs = new Packs(folder);
  const byPack = new Map<string, [hash: string, place: PackPlace][]>();
  for (const one of packs.all()) byPack.set(one[1].pack, [...byPack.get(one[1].pack) ?? [], one]);
  let count = 0;
  let bytes = 0;
  for (const [pack, contents] of byPack) {
    const dead = contents.filter(([hash]) => !named.has(hash));
    const sum = (some: typeof contents) => some.reduce((all, [, { length }]) => all + length, 0);
    if (dead.length === 0 || sum(dead) * 2 < sum(contents) || !isOlder(pack, before)) continue;
    const living = contents.filter(([hash]) => named.has(hash)).map(([hash]) => ({
      hash,
      bytes: packs.get(hash),
    }));
    for (const ending of [".idx", ".pack", ".lock"]) remove(pack.replace(/\.pack$/, ending));
    const fresh = new Packs(folder);
    for (const { hash, bytes: content } of living) if (content) fresh.put(hash, content);
    fresh.close();
    count += dead.length;
    bytes += sum(dead);
  }
  return { count, bytes };
}

function addNamed(path: string, named: Set<string>): void {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path);
  } catch (error) {
    // A file that cannot be read may name anything: then nothing may go.
    throw ioError(error, `Cannot look for references in "${path}"`);
  }
  using _ = file;
  const decoder = new TextDecoder("latin1");
  const chunk = new Uint8Array(CHUNK);
  let rest = "";
  for (let count = file.readSync(chunk); count !== null; count = file.readSync(chunk)) {
    const text = rest + decoder.decode(chunk.subarray(0, count));
    for (const [hash] of text.matchAll(HASH)) named.add(hash);
    rest = text.slice(-63);
  }
}

function* walk(folder: string): Generator<string> {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(folder)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw ioError(error, `Cannot read folder "${folder}"`);
  }
  for (const { name, isDirectory } of entries) {
    if (isDirectory) yield* walk(`${folder}/${name}`);
    else yield `${folder}/${name}`;
  }
}

function isOlder(path: string, than: number): boolean {
  try {
    return (Deno.statSync(path).mtime?.getTime() ?? Infinity) < than;
  } catch {
    return false; // gone meanwhile
  }
}

function isLocked(path: string): boolean {
  try {
    using file = Deno.openSync(path, { write: true });
    return !file.tryLockSync(true);
  } catch {
    return false; // gone meanwhile
  }
}

function remove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw ioError(error, `Cannot remove "${path}"`);
  }
}
