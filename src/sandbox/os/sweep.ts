/**
 * Temporary folders of programs that were killed: their names hold the number
 * of the process that made them, and go when that process is no more.
 */

/** The prefix of this process's own folders. */
export const TEMP_PREFIX = `myelin-${Deno.pid}-`;

const NAME = /^myelin-(\d+)-[0-9a-f]+$/;

/** Removes what is left in `base` of processes that have ended. Linux, where that can be seen. Never throws. */
export async function sweepTemp(base: string): Promise<void> {
  if (Deno.build.os !== "linux") return;
  try {
    for await (const entry of Deno.readDir(base)) {
      const pid = NAME.exec(entry.name)?.[1];
      if (pid === undefined || !entry.isDirectory || await lives(pid)) continue;
      const { uid } = await Deno.lstat(`${base}/${entry.name}`);
      if (uid === Deno.uid()) await Deno.remove(`${base}/${entry.name}`, { recursive: true });
    }
  } catch {
    // Somebody else swept at the same time, or may not be touched: it is tried again at the next start.
  }
}

async function lives(pid: string): Promise<boolean> {
  return await Deno.lstat(`/proc/${pid}`).then(() => true, () => false);
}
