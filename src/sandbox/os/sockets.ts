/**
 * Sockets that other programs of the machine listen on under a name in the
 * file system: container engines, agents, databases. A read-only mount keeps
 * nobody from connecting, and no namespace does: so they are covered one by
 * one where no folder around them is. Those of a session's own programs are
 * not among them, since they live in a network of their own.
 */

const LIST = "/proc/net/unix";
/** Number, references, protocol, flags, type, state, inode. */
const LINE = /^[0-9a-f]+: (?:[0-9a-f]+ +){5}\d+ (\/.*)$/i;

/** The paths in what the system tells; names without a file and relative ones are passed over. */
export function socketPaths(text: string): string[] {
  const paths = text.split("\n").map((line) => LINE.exec(line)?.[1]).filter((path) => path !== undefined);
  return [...new Set(paths)];
}

/** Those of this machine; none where the system does not tell. */
export function machineSockets(): string[] {
  try {
    return socketPaths(Deno.readTextFileSync(LIST));
  } catch {
    return [];
  }
}
