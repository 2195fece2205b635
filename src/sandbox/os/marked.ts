/**
 * Finds programs that left their group (`setsid`) by a mark in the environment
 * that every child inherits. Only where no wrapper holds them together, and
 * only on Linux, where an environment can be read.
 */

/** The variable that carries the mark. */
export const MARK = "MYELIN_SHEATH";

/** Processes whose mark begins so; never this one. */
export function findMarked(mark: string): number[] {
  if (Deno.build.os !== "linux") return [];
  const wanted = `${MARK}=${mark}`;
  const found: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    const pid = Number(name);
    if (!(pid > 0) || pid === Deno.pid) continue;
    try {
      const variables = Deno.readTextFileSync(`/proc/${name}/environ`).split("\0");
      if (variables.some((variable) => variable.startsWith(wanted))) found.push(pid);
    } catch {
      // Gone, or another user's.
    }
  }
  return found;
}
