/**
 * Finds what can confine external programs on this machine and tries it once
 * per process, when it is needed for the first time.
 */
import { isWithin } from "../glob.ts";
import type { Policy } from "../policy.ts";
import { bubblewrap } from "./bubblewrap.ts";
import { seatbelt } from "./seatbelt.ts";
import type { Wrapper, WrapperSearch } from "./wrapper.ts";

export { findMarked, MARK } from "./marked.ts";
export { spawnProgram } from "./spawn.ts";
export type { KnownFile } from "./spawn.ts";
export { preparePolicy, removeTemp } from "./prepare.ts";
export type { PolicySettings } from "./prepare.ts";
export { sweepTemp } from "./sweep.ts";
export type { Command, Wrapper, WrapperSearch } from "./wrapper.ts";

let search: Promise<WrapperSearch> | undefined;

/** The wrapper of this machine, or why there is none. Programs inside the workspace are not taken for one. */
export function findWrapper(policy: Policy): Promise<WrapperSearch> {
  search ??= lookFor(policy);
  return search;
}

async function lookFor(policy: Policy): Promise<WrapperSearch> {
  switch (Deno.build.os) {
    case "linux":
      return await lookForBubblewrap(policy);
    case "darwin":
      return await tried(seatbelt("/usr/bin/sandbox-exec"), policy, "/usr/bin/true");
    default:
      return { problem: NOTHING };
  }
}

/** Why there is no wrapper, as far as a look tells that starts nothing; undefined where one stands there, tried or not. */
export function missingWrapper(policy: Policy): string | undefined {
  switch (Deno.build.os) {
    case "linux":
      return bubblewrapPath(policy) === undefined ? NO_BUBBLEWRAP : undefined;
    case "darwin":
      return undefined;
    default:
      return NOTHING;
  }
}

const NO_BUBBLEWRAP = "bubblewrap is not installed (package bubblewrap)";
const NOTHING = "nothing confines external programs on this system";

async function lookForBubblewrap(policy: Policy): Promise<WrapperSearch> {
  const path = bubblewrapPath(policy);
  if (path === undefined) return { problem: NO_BUBBLEWRAP };
  return await tried(
    bubblewrap(path, exists, Deno.uid() === 0, innerGroup, realPath),
    policy,
    trueProgram(),
  );
}

function bubblewrapPath(policy: Policy): string | undefined {
  const folders = new Set(["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"]);
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    if (folder.startsWith("/") && !isWithin(policy.workspace, folder)) folders.add(folder);
  }
  return [...folders].map((folder) => `${folder}/bwrap`).find((at) => exists(at) === "file");
}

async function tried(wrapper: Wrapper, policy: Policy, program: string): Promise<WrapperSearch> {
  const command = wrapper.wrap({ program, argv: ["true"], cwd: "/", env: {} }, policy);
  try {
    const { success, stderr } = await new Deno.Command(command.program, {
      args: command.argv.slice(1),
      cwd: command.cwd,
      clearEnv: true,
      env: command.env,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output();
    if (success) return { wrapper };
    const text = new TextDecoder().decode(stderr).trim().split("\n").at(-1) ?? "";
    return { problem: `${wrapper.name} does not work here (${text})` };
  } catch (error) {
    return {
      problem: `${wrapper.name} cannot be started (${error instanceof Error ? error.message : error})`,
    };
  }
}

function trueProgram(): string {
  return ["/usr/bin/true", "/bin/true"].find((path) => exists(path)) ?? "/bin/sh";
}

/** Never follows a mistake further: what cannot be looked at counts as missing. */
function exists(path: string): "dir" | "file" | undefined {
  try {
    return Deno.statSync(path).isDirectory ? "dir" : "file";
  } catch {
    return undefined;
  }
}

function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    // Gone since it was looked at.
    return path;
  }
}

/**
 * Under bubblewrap the program stands in a session of its own, led by the
 * first child of the process that was started: a signal to that group reaches
 * the program and lets it clean up, whereas ending the outer process kills it
 * at once.
 */
function innerGroup(pid: number): number | undefined {
  try {
    const child = Number(Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim().split(" ")[0]);
    return child > 0 ? child : undefined;
  } catch {
    return undefined;
  }
}
export { openFifo } from "./fifo.ts";
