/**
 * The shell's host in the worker: guarded files, programs through the main
 * isolate, facts that came with the first message.
 */
import { sleep } from "../lib/sleep.ts";
import { HostError, type ShellHost } from "../shell/host.ts";
import type { GuardedFs, InitMessage, Remote } from "../sandbox/mod.ts";
import type { Calls } from "./calls.ts";

export interface HostDeps {
  readonly init: InitMessage;
  readonly remote: Remote;
  readonly calls: Calls;
  /** A guarded file system whose questions belong to that call. */
  guardedFs(call: () => number): GuardedFs;
}

/** The call whose command runs now; without a cell none does, and nothing is cancelled. */
export interface CurrentCall {
  readonly call: number;
  readonly cell: number | undefined;
}

export function createShellHost(deps: HostDeps, current: CurrentCall): ShellHost {
  const { init, remote, calls } = deps;
  const { facts } = init;
  const fs = deps.guardedFs(() => current.call);
  return {
    platform: facts.platform,
    fs,
    spawn: (request) => remote.spawn(current.call, request, fs.opened),
    now: () => performance.timeOrigin + performance.now(),
    cpuTimes: () => [performance.now(), 0],
    sleep,
    random(into) {
      for (let at = 0; at < into.length; at += 65536) {
        crypto.getRandomValues(into.subarray(at, at + 65536) as Uint8Array<ArrayBuffer>);
      }
    },
    user: facts.user,
    hostname: facts.hostname,
    system: facts.system,
    processors: facts.processors,
    pid: facts.pid,
    ppid: facts.ppid,
    tempDir: init.policy.tempDir,
    cancelled: () => current.cell !== undefined && calls.stopped(current.cell),
    kill(pid) {
      throw new HostError("EPERM", String(pid), "Not allowed: only programs of this shell can be signalled");
    },
  };
}
