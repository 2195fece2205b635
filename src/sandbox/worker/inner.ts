/**
 * The first process inside a wrapper's process namespace. The wrapper may be
 * over before everything in there is: whatever was left in the background ends
 * with that first process, a moment later.
 */

/** Whether a process has ended, be it collected or not. */
export function isGone(pid: number): boolean {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return true;
  }
}

/** Processes that still bear the whole argument vector of a wrapper: the first ones inside do. */
export function findInner(argv: readonly string[]): number[] {
  if (Deno.build.os !== "linux") return [];
  // The first word may be a name or a path.
  const wanted = argv.slice(1).join("\0") + "\0";
  const found: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    const pid = Number(name);
    if (!(pid > 0) || pid === Deno.pid) continue;
    try {
      const line = Deno.readTextFileSync(`/proc/${name}/cmdline`);
      if (line.slice(line.indexOf("\0") + 1) === wanted && !isGone(pid)) found.push(pid);
    } catch {
      // Gone, or another user's.
    }
  }
  return found;
}
