/**
 * One writer for each session: an operating system's lock on a file of its
 * own beside the session's, so that readers are never hindered. The system
 * frees it when the process ends, however it ends. The file is removed on
 * release; whoever locked a file that is no longer the one of that name
 * tries again, so removing is safe.
 */
import { folderOf } from "./log/files.ts";
import { ioError, isFull, makeError } from "./log/io_error.ts";
import { SessionError } from "./errors.ts";
import { idOf, shortId } from "./paths.ts";

export interface Lock {
  /** Frees it. May be called twice. */
  release(): void;
}

/** How often a lock that was pulled away between opening and locking is tried again. */
const TRIES = 20;

/** Locks `<path>.lock`; rejects with code "busy", naming the holder where it can be read. */
export async function lockSession(path: string): Promise<Lock> {
  const name = path + ".lock";
  for (let tries = 0; tries < TRIES; tries++) {
    const file = await open(name);
    let kept = false;
    try {
      if (!await file.tryLock(true)) throw await busy(path, name);
      if (!await isStill(name, file)) continue;
      await write(file);
      kept = true;
    } catch (error) {
      throw ioError(error, `Cannot lock session "${path}"`);
    } finally {
      if (!kept) file.close();
    }
    return held(name, file);
  }
  throw await busy(path, name);
}

async function open(name: string): Promise<Deno.FsFile> {
  try {
    await Deno.mkdir(folderOf(name), { recursive: true, mode: 0o700 });
    return await Deno.open(name, { read: true, write: true, create: true, mode: 0o600 });
  } catch (error) {
    throw makeError(error, `Cannot make lock file "${name}"`);
  }
}

/** Whether the name still leads to the file that was locked. */
async function isStill(name: string, file: Deno.FsFile): Promise<boolean> {
  try {
    const [named, locked] = await Promise.all([Deno.stat(name), file.stat()]);
    // Where the system knows no inodes, names of locked files cannot be removed either.
    return named.ino === null || (named.ino === locked.ino && named.dev === locked.dev);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Names the holder. The lock is held without: on a full disk, where space is to be freed, nobody needs the name. */
async function write(file: Deno.FsFile): Promise<void> {
  await file.truncate(0);
  const bytes = new TextEncoder().encode(JSON.stringify({ pid: Deno.pid, since: new Date() }) + "\n");
  try {
    await file.write(bytes);
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}

function held(name: string, file: Deno.FsFile): Lock {
  let free = false;
  return {
    release() {
      if (free) return;
      free = true;
      try {
        Deno.removeSync(name);
      } catch {
        // The file may stay: only the lock on it counts, and that ends with the next line.
      }
      file.close();
    },
  };
}

async function busy(path: string, name: string): Promise<SessionError> {
  let holder = "another process";
  try {
    const { pid } = JSON.parse(await Deno.readTextFile(name));
    if (Number.isInteger(pid)) {
      holder = pid === Deno.pid ? `this process (${pid})` : `process ${pid}`;
    }
  } catch {
    // Not yet written, or a system on which a locked file cannot be read: the holder stays unnamed.
  }
  const id = idOf(path);
  const wanted = id === undefined ? path : shortId(id);
  return new SessionError("busy", `Cannot open session "${path}": in use by ${holder}`, {
    hint: "Wait until it ends, begin a new session, or go on from a copy of this one: " +
      `\`myelin sessions show ${wanted}\` lists its entries, and ` +
      `\`--resume ${wanted} --fork ENTRY\` begins a new session from one`,
  });
}
