/** What the main isolate tells the worker about the machine: the worker may not ask the system. */
import process from "node:process";
import type { MachineFacts } from "./messages.ts";

/** `environment`: where the user's name and home folder are read from. */
export function machineFacts(environment: Readonly<Record<string, string>>): MachineFacts {
  const os = Deno.build.os;
  const sysname = os === "linux"
    ? "Linux"
    : os === "darwin"
    ? "Darwin"
    : os === "windows"
    ? "Windows_NT"
    : os;
  return {
    platform: os === "windows" || os === "darwin" ? os : "linux",
    user: {
      uid: Deno.uid() ?? 0,
      gid: Deno.gid() ?? 0,
      name: environment.USER ?? environment.LOGNAME ?? environment.USERNAME ??
        (Deno.uid() === 0 ? "root" : "user"),
      groups: os === "windows" ? [] : process.getgroups?.() ?? [],
    },
    hostname: Deno.hostname(),
    system: {
      sysname,
      release: Deno.osRelease(),
      version: kernelVersion(),
      machine: Deno.build.arch === "aarch64" && os === "darwin" ? "arm64" : Deno.build.arch,
    },
    processors: navigator.hardwareConcurrency,
    pid: Deno.pid,
    ppid: Deno.ppid,
    umask: os === "windows" ? 0o022 : Deno.umask(),
  };
}

function kernelVersion(): string {
  try {
    return Deno.readTextFileSync("/proc/sys/kernel/version").trim();
  } catch {
    // Only Linux has it.
    return "#1";
  }
}
