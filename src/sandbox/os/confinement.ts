/**
 * What confines the external programs of one session: finds what this machine
 * offers and tries it once per process, when it is needed for the first time;
 * keeps what the session's programs share, and ends it.
 */
import { describe } from "../../lib/errors.ts";
import type { Policy } from "../policy.ts";
import { bubblewrap, ownNamespaces } from "./bubblewrap.ts";
import { type FilterFile, openFilter } from "./filter_file.ts";
import { keepFromPrograms } from "./inherited.ts";
import { machineMounts } from "./mounts.ts";
import { exists, realPath, systemProgram } from "./places.ts";
import { innerGroup } from "./processes.ts";
import { seatbelt } from "./seatbelt.ts";
import { type Shared, sharedSandbox } from "./shared.ts";
import { findTether } from "./tether.ts";
import { needsWayOut, openLoopback, type WayOut } from "./way_out.ts";
import type { Wrapper, WrapperSearch } from "./wrapper.ts";

/** One for a session; nothing is looked for before the first `wrapper`. */
export interface Confinement {
  /** The wrapper for this session's programs, or why there is none. */
  wrapper(): Promise<WrapperSearch>;
  /** Ends what the programs share, and with it every program that still runs there. */
  close(): Promise<void>;
  /** The same without waiting. */
  kill(): void;
}

interface ConfinementOptions {
  /** Where bubblewrap is; false leaves it aside. Default: where the system has it. */
  readonly bwrap?: string | false;
}

/** Holds what the session's programs share until it is closed. */
export function createConfinement(policy: Policy, options: ConfinementOptions = {}): Confinement {
  let search: Promise<WrapperSearch> | undefined;
  let shared: Shared | undefined;
  let wayOut: WayOut | undefined;
  let filter: FilterFile | undefined;
  async function find(): Promise<WrapperSearch> {
    keepFromPrograms();
    const found = options.bwrap !== false || Deno.build.os !== "linux"
      ? await withFilterOf(policy)
      : { problem: NO_BUBBLEWRAP };
    if (found.wrapper?.name === "seatbelt" && needsWayOut(policy)) {
      return { ...found, wrapper: withVariables(found.wrapper, (wayOut = openLoopback(policy)).env) };
    }
    const [nsenter, unshare] = ["nsenter", "unshare"].map((name) => systemProgram(name, policy));
    const [uid, gid] = [Deno.uid(), Deno.gid()];
    // Not there, or there and of no use: not executable, too old, forbidden by the kernel.
    const bare = found.wrapper === undefined;
    if (Deno.build.os !== "linux" || !nsenter || !unshare || uid === null || gid === null) return found;
    const tools = { bwrap: bare ? undefined : bwrapOf(policy), nsenter, unshare };
    shared = sharedSandbox(
      { tools, uid, gid, namespaces: ownNamespaces(policy), filter: filter?.path },
      found.wrapper,
    );
    if (!bare) return { ...found, wrapper: shared.wrapper };
    const problem = await shared.start(policy);
    if (problem !== undefined) {
      return { ...found, problem: `${found.problem}, and unshare does not work here (${problem})` };
    }
    // That it is missing is known to whoever has not installed it; that it fails is not.
    const remark = found.problem === NO_BUBBLEWRAP ? {} : { remark: `${found.problem}: ${INSTEAD}` };
    return { tether: found.tether, wrapper: shared.wrapper, ...remark };
  }
  function bwrapOf(policy: Policy): string | undefined {
    return typeof options.bwrap === "string" ? options.bwrap : systemProgram("bwrap", policy);
  }
  /** What is known of the process is without a filter: each session holds its own. */
  async function withFilterOf(policy: Policy): Promise<WrapperSearch> {
    const opened = openFilter(policy);
    const { bwrap, filtered, ...found } =
      await (typeof options.bwrap === "string"
        ? lookForBubblewrap(options.bwrap, policy, opened?.path)
        : findWrapper(policy, opened?.path));
    if (bwrap === undefined || !filtered || opened === undefined) {
      opened?.close();
      return found;
    }
    filter = opened;
    return { ...found, wrapper: bubblewrapAt(bwrap, opened.path) };
  }

  return {
    wrapper: () => search ??= find(),
    async close() {
      // What is being started now has to be ended, too.
      await search?.catch(() => {/* it was told to whoever asked */});
      await shared?.close();
      await wayOut?.close();
      filter?.close();
    },
    kill() {
      shared?.kill();
      wayOut?.kill();
      filter?.close();
    },
  };
}

/** Adds variables to those of each command that do not set them. */
function withVariables(wrapper: Wrapper, env: Readonly<Record<string, string>>): Wrapper {
  return {
    ...wrapper,
    wrap: (command, policy) => wrapper.wrap({ ...command, env: { ...env, ...command.env } }, policy),
  };
}

/** Of this process: what is tried for one session holds for the others. */
let known: Promise<Found> | undefined;

interface Found extends WrapperSearch {
  /** Where bubblewrap is, if it works. */
  readonly bwrap?: string;
  /** Whether it takes a filter of system calls. */
  readonly filtered?: boolean;
}

/** Programs inside the workspace are not taken for a wrapper. `filter`: where one can be opened. */
function findWrapper(policy: Policy, filter: string | undefined): Promise<Found> {
  known ??= Promise.all([
    lookFor(policy, filter),
    Deno.build.os === "linux" ? findTether(systemProgram("setpriv", policy)) : undefined,
  ]).then(([found, tether]) => ({ ...found, tether }));
  return known;
}

async function lookFor(policy: Policy, filter: string | undefined): Promise<Found> {
  switch (Deno.build.os) {
    case "linux":
      return await lookForBubblewrap(systemProgram("bwrap", policy), policy, filter);
    case "darwin":
      return await tried(seatbelt("/usr/bin/sandbox-exec"), policy);
    default:
      return { problem: NOTHING };
  }
}

/** Why there is no wrapper, as far as a look tells that starts nothing; undefined where one stands there, tried or not. */
export function missingWrapper(policy: Policy): string | undefined {
  switch (Deno.build.os) {
    case "linux":
      return systemProgram("bwrap", policy) || SMALL_TOOLS.every((name) => systemProgram(name, policy))
        ? undefined
        : NO_BUBBLEWRAP;
    case "darwin":
      return undefined;
    default:
      return NOTHING;
  }
}

/** With these of util-linux it goes without bubblewrap, if the kernel lets this user make namespaces. */
const SMALL_TOOLS = ["nsenter", "unshare", "setpriv", "pivot_root"];

const NO_BUBBLEWRAP = "bubblewrap is not installed (package bubblewrap)";
const INSTEAD = "programs are confined by unshare in its place, without a filter of system calls";
const NOTHING = "nothing confines external programs on this system";

async function lookForBubblewrap(
  bwrap: string | undefined,
  policy: Policy,
  filter: string | undefined,
): Promise<Found> {
  if (bwrap === undefined) return { problem: NO_BUBBLEWRAP };
  const plain = bubblewrapAt(bwrap);
  if (filter !== undefined) {
    const { wrapper } = await tried(bubblewrapAt(bwrap, filter), policy);
    if (wrapper !== undefined) return { wrapper: plain, bwrap, filtered: true };
  }
  // An old one, or a kernel that filters nothing.
  return { ...await tried(plain, policy), bwrap };
}

function bubblewrapAt(path: string, filter?: string): Wrapper {
  return bubblewrap(path, exists, Deno.uid() === 0, innerGroup, realPath, machineMounts, filter);
}

/** Milliseconds until a wrapper that does not end is given up. */
const PATIENCE = 5000;

/** Starts something that has to say a word: what ends well without running anything confines nothing. */
async function tried(wrapper: Wrapper, policy: Policy): Promise<WrapperSearch> {
  const over = AbortSignal.timeout(PATIENCE);
  try {
    const probe = { program: "/bin/sh", argv: ["sh", "-c", "echo works"], cwd: "/", env: {} };
    const command = await wrapper.wrap(probe, policy);
    const { stdout, stderr } = await new Deno.Command(command.program, {
      args: command.argv.slice(1),
      cwd: command.cwd,
      clearEnv: true,
      env: command.env,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      signal: over,
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim().split("\n").at(-1) ?? "";
    if (text(stdout) === "works") return { wrapper };
    const said = over.aborted ? "it does not end" : text(stderr) || "it ran nothing";
    return { problem: `${wrapper.name} does not work here (${said})` };
  } catch (error) {
    return {
      problem: `${wrapper.name} cannot be started (${describe(error)})`,
    };
  }
}
