/**
 * What stands at a path, as entries record it, and putting it back. A file is
 * put back under another name first, so that a crash leaves the old content or
 * the new one; only where it has several names (hard links) is it written in
 * place, or the names would part.
 */
import type { FileState } from "../entry.ts";
import { ioError } from "../log/io_error.ts";
import { hashFile, type ObjectStore } from "./object_store.ts";
import { BY_NAME, leadsElsewhere, type Places } from "./places.ts";

/** What stands there and cannot be kept: a device, a pipe, a file that may not be read. */
export interface Unkept {
  readonly type: "unkept";
  readonly why: string;
  /** Changes when it does, as far as looking at it tells. */
  readonly look?: string;
}

const ELSEWHERE = "a link or another folder took its place while it was looked at";

/** A state that says no more than that: for what is too large. */
export function unkept(path: string, why: string, places: Places): Unkept | null {
  const info = look(path, places);
  if (info === null || "type" in info) return info;
  const seen = [info.size, info.mtime?.getTime(), info.ctime?.getTime(), info.ino, info.mode].join(" ");
  return { type: "unkept", why, look: seen };
}

/** The state of a path; contents are kept in `store`, or only hashed where there is none. */
export function stateOf(path: string, store: ObjectStore | undefined, places: Places): FileState | Unkept {
  const info = look(path, places);
  if (info === null || "type" in info) return info;
  try {
    if (info.isSymlink) {
      return { type: "link", target: places.inFolder(path, (at) => Deno.readLinkSync(at)) };
    }
    const mode = (info.mode ?? 0o644) & 0o7777;
    if (info.isDirectory) return { type: "folder", mode };
    if (!info.isFile) return unkept(path, "it is neither a file nor a folder nor a link", places);
    const content = places.toThing(
      path,
      (at) => store === undefined ? hashFile(at) : store.putFile(path, at),
    );
    return { type: "file", ...content, mode };
  } catch (error) {
    if (leadsElsewhere(error)) return { type: "unkept", why: ELSEWHERE };
    return unkept(path, error instanceof Error ? error.message : String(error), places);
  }
}

export function sameState(a: FileState | Unkept, b: FileState | Unkept): boolean {
  if (a === null || b === null) return a === b;
  if (a.type === "file") {
    return b.type === "file" && a.hash === b.hash && a.size === b.size && a.mode === b.mode;
  }
  if (a.type === "link") return b.type === "link" && a.target === b.target;
  if (a.type === "folder") return b.type === "folder" && a.mode === b.mode;
  return b.type === "unkept" && a.look !== undefined && a.look === b.look;
}

export function lookAt(path: string, places: Places): Deno.FileInfo | undefined {
  const info = look(path, places);
  return info === null || "type" in info ? undefined : info;
}

/** Null where nothing is: a path that leads elsewhere is not taken for one where nothing is. */
function look(path: string, places: Places): Deno.FileInfo | Unkept | null {
  try {
    return places.inFolder(path, (at) => Deno.lstatSync(at));
  } catch (error) {
    // Else it is not there, or below something that is no folder any more.
    return leadsElsewhere(error) ? { type: "unkept", why: ELSEWHERE } : null;
  }
}

/** Whether the folder of a path is reached without a link; nothing is put back through one. */
export function isStraight(path: string): boolean {
  const folder = folderOf(path);
  try {
    return slashes(Deno.realPathSync(folder)) === folder;
  } catch {
    return lookAt(folder, BY_NAME) === undefined; // not there: it will be made
  }
}

function slashes(path: string): string {
  return Deno.build.os === "windows" ? path.replace(/^\\\\\?\\/, "").replaceAll("\\", "/") : path;
}

/** Takes away what is at the path; a folder only where nothing is left in it. Answers whether nothing is there now. */
export function clear(path: string, places: Places): boolean {
  try {
    return places.inFolder(path, (at) => {
      const info = lookAt(at, BY_NAME);
      if (info === undefined) return true;
      if (info.isDirectory && Deno.readDirSync(at)[Symbol.iterator]().next().done === false) return false;
      Deno.removeSync(at);
      return true;
    });
  } catch (error) {
    // In a folder that is gone nothing is.
    if (look(path, places) === null) return true;
    throw ioError(error, `Cannot remove "${path}"`);
  }
}

/** What a file is called beside its place until it is whole. */
export function freshName(undo: string): string {
  return `.${undo}.undo`;
}

/**
 * Puts a state at a path where its old state has been cleared, or is a file.
 * `undo`: the entry that this belongs to; what a crash leaves beside the place
 * is called by it, so that the next try finds it.
 */
export function putBack(
  path: string,
  state: FileState,
  undo: string,
  store: ObjectStore,
  places: Places,
): void {
  try {
    if (state === null) return void clear(path, places);
    if (state.type === "folder") {
      makeFolder(path, places);
      return chmod(path, state.mode, places);
    }
    makeFolder(folderOf(path), places);
    if (state.type === "link") {
      clear(path, places);
      return places.inFolder(path, (at) => Deno.symlinkSync(state.target, at));
    }
    putFile(path, state, freshName(undo), store, places);
  } catch (error) {
    throw ioError(error, `Cannot put back "${path}"`);
  }
}

/** With the folders above it. */
function makeFolder(path: string, places: Places): void {
  if (lookAt(path, places)?.isDirectory) return;
  const above = folderOf(path);
  if (above !== path) makeFolder(above, places);
  places.inFolder(path, (at) => Deno.mkdirSync(at));
}

function putFile(
  path: string,
  state: FileState & { type: "file" },
  fresh: string,
  store: ObjectStore,
  places: Places,
): void {
  const old = lookAt(path, places);
  if (old?.isFile && (old.nlink ?? 1) > 1) {
    const bytes = store.get(state.hash);
    places.toThing(path, (at) => {
      if (!((old.mode ?? 0o600) & 0o200) && Deno.build.os !== "windows") Deno.chmodSync(at, 0o600);
      Deno.writeFileSync(at, bytes, { create: false });
    });
    return chmod(path, state.mode, places);
  }
  if (
    old?.isFile && old.size === state.size && places.toThing(path, (at) => hashFile(at)).hash === state.hash
  ) {
    return chmod(path, state.mode, places);
  }
  places.inFolder(path, (at) => {
    const made = `${folderOf(at)}/${fresh}`;
    try {
      store.copyTo(state.hash, made);
      chmod(`${folderOf(path)}/${fresh}`, state.mode, places);
      Deno.renameSync(made, at);
    } catch (error) {
      if (lookAt(made, BY_NAME)) Deno.removeSync(made);
      throw error;
    }
  });
}

function chmod(path: string, mode: number, places: Places): void {
  if (Deno.build.os !== "windows") places.toThing(path, (at) => Deno.chmodSync(at, mode));
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
