/**
 * Finds programs that left their group (`setsid`) by a mark in the environment
 * that every child inherits. Only where no wrapper ends them with the program
 * that started them, and only on Linux, where an environment can be read.
 */
import { ownSession } from "./processes.ts";

/** The variable that carries the mark. */
export const MARK = "MYELIN_SHEATH";

/** Processes whose mark begins so; never this one. */
export function findMarked(mark: string): number[] {
  return marked(mark).map(({ pid }) => pid);
}

/** Those of them that still stand in the session of the program whose mark it is: the mark ends with its number. */
export function findLeft(mark: string): number[] {
  return marked(mark).filter(({ pid, value }) => {
    const session = Number(value.slice(mark.length));
    return session > 0 && ownSession(pid) === session;
  }).map(({ pid }) => pid);
}

function marked(mark: string): { readonly pid: number; readonly value: string }[] {
  if (Deno.build.os !== "linux") return [];
  const wanted = `${MARK}=${mark}`;
  const found: { pid: number; value: string }[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    const pid = Number(name);
    if (!(pid > 0) || pid === Deno.pid) continue;
    try {
      const variables = Deno.readTextFileSync(`/proc/${name}/environ`).split("\0");
      const variable = variables.find((one) => one.startsWith(wanted));
      if (variable !== undefined) found.push({ pid, value: variable.slice(MARK.length + 1) });
    } catch {
      // Gone, or another user's.
    }
  }
  return found;
}
