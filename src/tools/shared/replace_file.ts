/**
 * Puts new bytes in the place of a file so that a reader sees the old or the
 * new ones, never half: a temporary file beside it, then a rename. What the
 * file is stays as it was: links are written through, mode and owner kept; a
 * file with several names, one that somebody is asked about, or one whose
 * folder or owner forbids the way round, is written in place.
 */
import { baseName, joinPath, parentOf } from "../../lib/files/paths.ts";
import { type FileStat, HostError, type HostFs } from "../../sandbox/mod.ts";

/** A file about to be written: where it really is, and what it is now (undefined: not there yet). */
export interface Target {
  readonly realPath: string;
  readonly stat: FileStat | undefined;
}

/** Resolves `path` for writing; folders and everything else that is no file are refused. */
export function writeTarget(fs: HostFs, path: string): Target {
  let stat: FileStat;
  try {
    stat = fs.stat(path);
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== "ENOENT") throw error;
    return { realPath: path, stat: undefined };
  }
  if (stat.kind === "dir") throw new HostError("EISDIR", path);
  if (stat.kind !== "file") throw new HostError("ENOTSUP", path, "Not a file");
  return { realPath: fs.realPath(path), stat };
}

/** Writes `bytes` and returns what the file then is. */
export async function replaceFile(fs: HostFs, target: Target, bytes: Uint8Array): Promise<FileStat> {
  const { realPath, stat } = target;
  if (stat === undefined) {
    makeParents(fs, parentOf(realPath));
    // A link that leads nowhere yet: its target is made, not the link replaced.
    if (isLink(fs, realPath)) return await writeInPlace(fs, realPath, bytes);
  } else if (stat.nlink > 1) return await writeInPlace(fs, realPath, bytes);
  const temp = joinPath(parentOf(realPath), `.${baseName(realPath).slice(0, 100)}.${randomName()}.tmp`);
  // The question must be about the file that is meant, and one.
  if (fs.asks?.(temp)) return await writeInPlace(fs, realPath, bytes);
  let made: boolean;
  try {
    made = await writeTemp(fs, temp, bytes, stat);
  } catch (error) {
    throw ofTarget(error, temp, realPath);
  }
  if (!made) return await writeInPlace(fs, realPath, bytes);
  try {
    await fs.rename(temp, realPath);
  } catch (error) {
    fs.unlink(temp);
    throw error;
  }
  return fs.stat(realPath);
}

/** False where a file beside the target cannot be made, or not with its owner. */
async function writeTemp(
  fs: HostFs,
  temp: string,
  bytes: Uint8Array,
  like: FileStat | undefined,
): Promise<boolean> {
  let made = false;
  try {
    const file = await fs.open(temp, {
      write: true,
      create: true,
      exclusive: true,
      mode: like?.mode ?? 0o666,
    });
    made = true;
    try {
      await file.write(bytes);
    } finally {
      file.close();
    }
    if (like !== undefined) keepOwnerAndMode(fs, temp, like);
    return true;
  } catch (error) {
    if (made) fs.unlink(temp);
    if (!(error instanceof HostError)) throw error;
    // A new file that cannot be made is a failure; an old one may still be writable where it stands. And a rule
    // may speak of this one file.
    if (like === undefined ? error.code === "EDENIED" : IN_PLACE.has(error.code)) return false;
    throw error;
  }
}

/** The failure as one of the file that is meant: of the one beside it nobody knows. */
function ofTarget(error: unknown, temp: string, realPath: string): unknown {
  if (!(error instanceof HostError) || !error.message.includes(temp)) return error;
  return new HostError(error.code, realPath, error.message.replaceAll(temp, realPath), error);
}

const IN_PLACE: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS", "EDENIED", "ENOTSUP"]);

function keepOwnerAndMode(fs: HostFs, temp: string, like: FileStat): void {
  const made = fs.stat(temp);
  if (made.uid !== like.uid || made.gid !== like.gid) fs.chown(temp, like.uid, like.gid);
  if (fs.stat(temp).mode !== like.mode) fs.chmod(temp, like.mode);
}

async function writeInPlace(fs: HostFs, path: string, bytes: Uint8Array): Promise<FileStat> {
  const file = await fs.open(path, { write: true, create: true, truncate: true });
  try {
    await file.write(bytes);
    return file.stat();
  } finally {
    file.close();
  }
}

function makeParents(fs: HostFs, folder: string): void {
  const missing: string[] = [];
  for (let at = folder;; at = parentOf(at)) {
    try {
      if (fs.stat(at).kind !== "dir") throw new HostError("ENOTDIR", at);
      break;
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== "ENOENT" || at === parentOf(at)) throw error;
      missing.push(at);
    }
  }
  for (const at of missing.reverse()) {
    try {
      fs.mkdir(at, 0o777);
    } catch (error) {
      // Made by somebody else in between: just as well.
      if (!(error instanceof HostError) || error.code !== "EEXIST") throw error;
    }
  }
}

function isLink(fs: HostFs, path: string): boolean {
  try {
    return fs.lstat(path).kind === "symlink";
  } catch (error) {
    if (error instanceof HostError && error.code === "ENOENT") return false;
    throw error;
  }
}

function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(36)).join("");
}
