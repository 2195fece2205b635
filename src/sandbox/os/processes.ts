/**
 * Processes of a sandbox, as /proc tells of them: only Linux. Numbers are
 * always those that this process sees.
 */

/** In a set of signals. */
const SIGKILL = 1n << 8n;
/** Among a process's flags. */
const EXITING = 4;

/**
 * The group that a wrapped program leads: under bubblewrap it stands in a
 * session of its own, below the process that was started. A signal to that
 * group reaches the program and lets it clean up, whereas ending the process
 * that was started kills it at once. Undefined while it is still being set up.
 */
export function innerGroup(pid: number): number | undefined {
  return children(pid).findLast((child) => sessionOf(child) === child);
}

/** Of all threads of the process but those that are gone; none where /proc does not tell. */
export function children(pid: number): number[] {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim().split(" ")
      .map(Number).filter((child) => child > 0);
  } catch {
    return [];
  }
}

/** The session of a process; undefined where it is gone. */
function sessionOf(pid: number): number | undefined {
  const session = fields(pid)?.[3];
  return session === undefined ? undefined : Number(session);
}

/** Whether a process is over, collected or not. `proc`: where its number counts. */
export function hasEnded(pid: number, proc = "/proc"): boolean {
  return "ZX".includes(fields(pid, proc)?.[0] ?? "Z");
}

/** Whether a process is over, is about to be, or will be as soon as it runs again: it has been killed. */
export function isDying(pid: number): boolean {
  const own = fields(pid);
  if (own === undefined || hasEnded(pid) || (Number(own[6]) & EXITING) !== 0) return true;
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Array.from(status.matchAll(/^S(?:ig|hd)Pnd:\s*([0-9a-f]+)/gm), (found) => BigInt(`0x${found[1]}`))
      .some((pending) => (pending & SIGKILL) !== 0n);
  } catch {
    return true;
  }
}

/** What the system tells of a process, from its state on. */
function fields(pid: number, proc = "/proc"): string[] | undefined {
  try {
    const text = Deno.readTextFileSync(`${proc}/${pid}/stat`);
    // The name before may hold anything, parentheses and blanks too.
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/** The number of a process's session as the process itself sees it, in its own namespace. */
export function ownSession(pid: number): number | undefined {
  try {
    const found = /^NSsid:.*?(\d+)$/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`));
    return found ? Number(found[1]) : undefined;
  } catch {
    return undefined;
  }
}

/** What names a namespace ("net:[4026532181]"); undefined where the process is gone or may not be looked at. */
export function namespaceOf(pid: number, kind: "user" | "net" | "pid" | "ipc" | "uts"): string | undefined {
  try {
    return Deno.readLinkSync(`/proc/${pid}/ns/${kind}`);
  } catch {
    return undefined;
  }
}
