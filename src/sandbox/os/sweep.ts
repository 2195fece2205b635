/**
 * What programs that were killed have left: temporary folders, whose names hold
 * the number of the process that made them, and programs that had got away from
 * their group, whose mark holds it. They go when that process is no more.
 */
import { existsSync } from "node:fs";
import { MARK } from "./marked.ts";
import { removeTree } from "./remove_tree.ts";

/** The prefix of this process's own folders. */
export const TEMP_PREFIX = `myelin-${Deno.pid}-`;

const NAME = /^myelin-(\d+)-[0-9a-f]+$/;

/**
 * Removes what is left in `base` of processes that have ended, and ends their
 * programs: a process that was killed has left both, so that most starts need
 * only a look at one folder. Linux, where that can be seen. Never throws.
 */
export async function sweep(base: string): Promise<void> {
  if (Deno.build.os !== "linux") return;
  let programs: Promise<void> | undefined;
  try {
    for (const entry of Deno.readDirSync(base)) {
      const pid = NAME.exec(entry.name)?.[1];
      if (pid === undefined || !entry.isDirectory || lives(pid)) continue;
      await (programs ??= sweepPrograms());
      await remove(`${base}/${entry.name}`);
    }
  } catch {
    // What cannot be listed has nothing of ours.
  }
}

async function remove(folder: string): Promise<void> {
  try {
    const { uid } = await Deno.lstat(folder);
    if (uid !== Deno.uid()) return;
    await Deno.remove(folder, { recursive: true }).catch(() => removeTree(folder));
  } catch {
    // Somebody else swept at the same time, or it may not be touched: it is tried again at the next start.
  }
}

function lives(pid: string): boolean {
  return existsSync(`/proc/${pid}`);
}

/** Ends programs that an earlier process of this one's kind has started and could not end any more. Linux. Never throws. */
export async function sweepPrograms(): Promise<void> {
  if (Deno.build.os !== "linux") return;
  const owner = new RegExp(`(?:^|\0)${MARK}=(\\d+)-`);
  try {
    for await (const { name } of Deno.readDir("/proc")) {
      if (!/^\d+$/.test(name) || Number(name) === Deno.pid) continue;
      // Gone by now, or somebody else's: not ours to end.
      const environment = await Deno.readTextFile(`/proc/${name}/environ`).catch(() => "");
      const pid = owner.exec(environment)?.[1];
      if (pid !== undefined && !lives(pid)) end(Number(name));
    }
  } catch {
    // A machine that hides its processes: nothing to be found.
  }
}

function end(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch {
    // Ended by itself meanwhile.
  }
}
