/**
 * Advisory locks on files as flock(2) has them, among the commands of one
 * session: a lock belongs to an open file, is shared by all who share that
 * (subshells, jobs), and ends when the last of them lets go. Programs of the
 * system do not see these locks.
 */
import { HostError } from "../host.ts";
import type { FileLock } from "../builtin.ts";
import { type Description, FileDescription } from "./fds.ts";
import type { Shell } from "./shell.ts";

interface Held {
  readonly exclusive: boolean;
}

/** The locks on one file. */
class Queue {
  readonly holders = new Map<Description, Held>();
  readonly waiting = new Set<() => void>();

  take(owner: Description, exclusive: boolean): boolean {
    for (const [other, held] of this.holders) {
      if (other !== owner && (exclusive || held.exclusive)) return false;
    }
    this.holders.set(owner, { exclusive });
    return true;
  }

  free(owner: Description): void {
    if (!this.holders.delete(owner)) return;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const wake of waiting) wake();
  }
}

const queues = new WeakMap<object, Map<string, Queue>>();

/** The lock of an open descriptor, or of a file that is made where it is missing. */
export async function openLock(sh: Shell, what: number | string): Promise<FileLock> {
  const owner = typeof what === "number" ? sh.fd(what)?.retain() : await opened(sh, what);
  if (owner === undefined) throw new HostError("EBADF");
  const stat = owner instanceof FileDescription ? owner.stat() : undefined;
  const known = queues.get(sh.session) ?? new Map<string, Queue>();
  queues.set(sh.session, known);
  // What is no file (a pipe) has a lock of its own.
  const key = stat === undefined ? `description ${owner.path ?? ""}` : `${stat.dev}:${stat.ino}`;
  const queue = known.get(key) ?? new Queue();
  known.set(key, queue);
  owner.onShut = () => queue.free(owner);
  return {
    async take(exclusive, wait) {
      while (!queue.take(owner, exclusive)) {
        if (wait === undefined || wait.aborted) return false;
        await new Promise<void>((resolve) => {
          const wake = () => {
            wait.removeEventListener("abort", wake);
            queue.waiting.delete(wake);
            resolve();
          };
          queue.waiting.add(wake);
          wait.addEventListener("abort", wake);
        });
      }
      return true;
    },
    free: () => queue.free(owner),
    close: () => owner.release(),
  };
}

async function opened(sh: Shell, name: string): Promise<Description> {
  const path = sh.absolute(name);
  let folder = false;
  try {
    folder = sh.fs.stat(path).kind === "dir";
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== "ENOENT") throw error;
  }
  // A folder can be locked as well, but not opened here: its name stands for it.
  if (folder) throw new HostError("EISDIR", name);
  const file = await sh.fs.open(path, { read: true, write: true, create: true, mode: 0o666 & ~sh.umask });
  return new FileDescription(file, path);
}
