/**
 * What stands at a path, as entries record it, and putting it back. A file is
 * put back under another name first, so that a crash leaves the old content or
 * the new one; only where it has several names (hard links) is it written in
 * place, or the names would part.
 */
import type { FileState } from "../entry.ts";
import { ioError } from "../log/io_error.ts";
import { hashFile, type ObjectStore } from "./object_store.ts";

/** What stands there and cannot be kept: a device, a pipe, a file that may not be read. */
export interface Unkept {
  readonly type: "unkept";
  readonly why: string;
  /** Changes when it does, as far as looking at it tells. */
  readonly look?: string;
}

/** A state that says no more than that: for what is too large. */
export function unkept(path: string, why: string): Unkept | null {
  const info = lookAt(path);
  if (info === undefined) return null;
  const look = [info.size, info.mtime?.getTime(), info.ctime?.getTime(), info.ino, info.mode].join(" ");
  return { type: "unkept", why, look };
}

/** The state of a path; contents are kept in `store`, or only hashed where there is none. */
export function stateOf(path: string, store: ObjectStore | undefined): FileState | Unkept {
  const info = lookAt(path);
  if (info === undefined) return null;
  try {
    if (info.isSymlink) return { type: "link", target: Deno.readLinkSync(path) };
    const mode = (info.mode ?? 0o644) & 0o7777;
    if (info.isDirectory) return { type: "folder", mode };
    if (!info.isFile) return unkept(path, "it is neither a file nor a folder nor a link");
    return { type: "file", ...(store === undefined ? hashFile(path) : store.putFile(path)), mode };
  } catch (error) {
    return unkept(path, error instanceof Error ? error.message : String(error));
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

export function lookAt(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch {
    // Not there, or below something that is no folder any more.
    return undefined;
  }
}

/** Whether the folder of a path is reached without a link; nothing is put back through one. */
export function isStraight(path: string): boolean {
  const folder = path.slice(0, path.lastIndexOf("/")) || "/";
  try {
    return slashes(Deno.realPathSync(folder)) === folder;
  } catch {
    return lookAt(folder) === undefined; // not there: it will be made
  }
}

function slashes(path: string): string {
  return Deno.build.os === "windows" ? path.replace(/^\\\\\?\\/, "").replaceAll("\\", "/") : path;
}

/** Takes away what is at the path; a folder only where nothing is left in it. Answers whether nothing is there now. */
export function clear(path: string): boolean {
  const info = lookAt(path);
  if (info === undefined) return true;
  if (info.isDirectory && Deno.readDirSync(path)[Symbol.iterator]().next().done === false) return false;
  try {
    Deno.removeSync(path);
    return true;
  } catch (error) {
    throw ioError(error, `Cannot remove "${path}"`);
  }
}

/** Puts a state at a path where its old state has been cleared, or is a file. */
export function putBack(path: string, state: FileState, store: ObjectStore): void {
  try {
    if (state === null) return void clear(path);
    if (state.type === "folder") {
      if (!lookAt(path)?.isDirectory) Deno.mkdirSync(path, { recursive: true });
      return chmod(path, state.mode);
    }
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")) || "/", { recursive: true });
    if (state.type === "link") {
      clear(path);
      return Deno.symlinkSync(state.target, path);
    }
    putFile(path, state, store);
  } catch (error) {
    throw ioError(error, `Cannot put back "${path}"`);
  }
}

function putFile(path: string, state: FileState & { type: "file" }, store: ObjectStore): void {
  const old = lookAt(path);
  if (old?.isFile && (old.nlink ?? 1) > 1) {
    const bytes = store.get(state.hash);
    if ((old.mode ?? 0o600) & 0o200 || Deno.build.os === "windows") Deno.writeFileSync(path, bytes);
    else {
      Deno.chmodSync(path, 0o600);
      Deno.writeFileSync(path, bytes);
    }
    return chmod(path, state.mode);
  }
  if (old?.isFile && old.size === state.size && hashFile(path).hash === state.hash) {
    return chmod(path, state.mode);
  }
  const fresh = `${path.slice(0, path.lastIndexOf("/"))}/.${crypto.randomUUID().slice(0, 13)}.undo`;
  try {
    store.copyTo(state.hash, fresh);
    chmod(fresh, state.mode);
    Deno.renameSync(fresh, path);
  } catch (error) {
    if (lookAt(fresh)) Deno.removeSync(fresh);
    throw error;
  }
}

function chmod(path: string, mode: number): void {
  if (Deno.build.os !== "windows") Deno.chmodSync(path, mode);
}
