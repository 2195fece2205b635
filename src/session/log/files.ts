/** Files and folders around the log: found, peeked into, moved, copied. The log itself goes through `disk.ts`. */
import { ioError } from "./io_error.ts";

/** The folder that a path stands in. */
export function folderOf(path: string): string {
  const end = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return end <= 0 ? path.slice(0, end + 1) || "." : path.slice(0, end);
}

/** Where a path really leads, absolute; itself where that cannot be told. */
export function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    // Not there, or on no real disk: whoever opens it is told.
    return path;
  }
}

/** Makes a folder that only its owner may enter. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw ioError(error, `Cannot create folder "${path}"`);
  }
}

/** A file as a listing sees it. */
export interface Found {
  readonly path: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** The names in a folder; none where it is not there. */
export function names(folder: string): { readonly name: string; readonly isFolder: boolean }[] {
  try {
    return Array.from(
      Deno.readDirSync(folder),
      (entry) => ({ name: entry.name, isFolder: entry.isDirectory }),
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return [];
    throw ioError(error, `Cannot read folder "${folder}"`);
  }
}

/** What is at `path`; undefined where no file is (any longer). */
export function find(path: string): Found | undefined {
  try {
    const stat = Deno.statSync(path);
    return stat.isFile ? { path, size: stat.size, changedAt: stat.mtime?.getTime() ?? 0 } : undefined;
  } catch {
    // Gone meanwhile, or not to be looked at: for a listing the same.
    return undefined;
  }
}

/** Up to `length` bytes from `at`, at once: thousands of small reads are faster so. */
export function peek(path: string, at: number, length: number): Uint8Array {
  try {
    using file = Deno.openSync(path);
    if (at > 0) file.seekSync(at, Deno.SeekMode.Start);
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const count = file.readSync(bytes.subarray(filled));
      if (count === null) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  } catch (error) {
    throw ioError(error, `Cannot read session file "${path}"`);
  }
}

/** Moves a file or folder into a folder, which is made; answers with its new path, undefined where there was nothing to move. */
export async function moveInto(path: string, folder: string): Promise<string | undefined> {
  const name = path.slice(folderOf(path).length).replace(/^[/\\]/, "");
  let target = `${folder}/${name}`;
  for (let copy = 2; await exists(target); copy++) target = `${folder}/${name}.${copy}`;
  try {
    await makeFolder(folder);
    await Deno.rename(path, target);
    return target;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw ioError(error, `Cannot move "${path}"`);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch {
    // Whatever keeps it from being looked at also keeps it from being overwritten unseen: the rename reports it.
    return false;
  }
}

/** Copies the files of a folder (not of those in it, and none of the name `but`) into another; nothing where there is no such folder. */
export async function copyFolder(from: string, to: string, but?: string): Promise<void> {
  const files = names(from).filter((entry) => !entry.isFolder && entry.name !== but);
  if (files.length === 0) return;
  await makeFolder(to);
  try {
    for (const { name } of files) await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  } catch (error) {
    throw ioError(error, `Cannot copy "${from}"`);
  }
}
