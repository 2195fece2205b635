/**
 * The filter of system calls where bubblewrap can read it: a file without a
 * name, held open by this process and opened by its number in `/proc`. No
 * program of the sandbox can change it, however much of the disk it may write.
 */
import type { Policy } from "../policy.ts";
import { syscallFilter } from "./syscall_filter.ts";

/** The descriptor that bubblewrap reads it from. */
export const FILTER_FD = 6;

/** What bubblewrap is told of it. */
export const FILTER_ARGUMENTS: readonly string[] = ["--seccomp", String(FILTER_FD)];

/**
 * A command that can read it there. Where it was closed meanwhile its number
 * may stand for something else, a pipe say, for which the command would wait
 * without end: then nothing is started, with status 126.
 */
export function withFilter(path: string, argv: readonly string[]): string[] {
  return ["/bin/sh", "-c", `[ -f ${path} ] || exit 126; exec "$0" "$@" ${FILTER_FD}<${path}`, ...argv];
}

/** Memory with a path and no name on any disk; open until it is closed. */
export interface FilterFile {
  /** Where it can be opened, while this process holds it. */
  readonly path: string;
  close(): void;
}

/** Undefined where there is none for this machine, or no file can be had. */
export function openFilter(policy: Policy): FilterFile | undefined {
  const bytes = Deno.build.os === "linux"
    ? syscallFilter(Deno.build.arch, !policy.net.includes("*"))
    : undefined;
  return bytes && attemptOr(() => heldFile(bytes), undefined);
}

function heldFile(bytes: Uint8Array<ArrayBuffer>): FilterFile | undefined {
  const name = Deno.realPathSync(Deno.makeTempFileSync({ prefix: "myelin-filter-" }));
  let file: Deno.FsFile | undefined;
  try {
    Deno.writeFileSync(name, bytes);
    file = Deno.openSync(name);
    const own = "/proc/self/fd";
    const number = Array.from(Deno.readDirSync(own), (entry) => entry.name)
      .find((number) => attemptOr(() => Deno.readLinkSync(`${own}/${number}`), "") === name);
    if (number !== undefined) {
      const held = file;
      file = undefined;
      return {
        path: `/proc/${Deno.pid}/fd/${number}`,
        close: () => attemptOr(() => held.close(), undefined),
      };
    }
  } finally {
    file?.close();
    Deno.removeSync(name);
  }
}

function attemptOr<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch {
    // Gone already, or not to be had.
    return otherwise;
  }
}
