/**
 * One sandbox for all programs of a session: each has its own view of the disk,
 * all share the processes, the network and the messages that a holder keeps.
 * Where sharing does not work, bubblewrap gives each program namespaces of its
 * own, as without a holder; it is tried once. Without bubblewrap there is no
 * such second way.
 */
import { describe } from "../../lib/errors.ts";
import { HostError } from "../../shell/host.ts";
import type { Policy } from "../policy.ts";
import { bubblewrapArguments } from "./bubblewrap.ts";
import { type Holder, HOLDER_FDS, type HolderOptions, startHolder } from "./holder.ts";
import { launch } from "./launch.ts";
import { findLeft, MARK } from "./marked.ts";
import { expectedMounts, machineMounts } from "./mounts.ts";
import { exists, realPath } from "./places.ts";
import { innerGroup } from "./processes.ts";
import { machineSockets } from "./sockets.ts";
import { needsWayOut, openWayOut, type WayOut } from "./way_out.ts";
import type { Command, Wrapper } from "./wrapper.ts";

/** What confines the programs of one session, together. */
export interface Shared {
  readonly wrapper: Wrapper;
  /** Starts what is shared; the answer is why that does not work. */
  start(policy: Policy): Promise<string | undefined>;
  close(): Promise<void>;
  kill(): void;
}

/** `alone`: what confines a program without a holder. */
export function sharedSandbox(options: HolderOptions, alone?: Wrapper): Shared {
  let holding: Promise<Holder | undefined> | undefined;
  let holder: Holder | undefined;
  let wayOut: WayOut | undefined;
  let closed = false;
  let problem: string | undefined;

  async function start(policy: Policy): Promise<Holder | undefined> {
    let started: Holder | undefined;
    try {
      started = await startHolder(options);
      if (!closed && await works(started, policy)) {
        // Without one there is no network, which is the safe side.
        if (needsWayOut(policy)) {
          wayOut = await openWayOut(policy, started.inNetwork).catch(() => undefined);
        }
        return holder = started;
      }
      problem = "nothing can be started in it";
    } catch (error) {
      // What keeps it from working keeps no program from running by itself.
      problem = describe(error);
    }
    await started?.end();
    return undefined;
  }

  async function live(policy: Policy): Promise<Holder | undefined> {
    const current = await (holding ??= start(policy));
    if (current === undefined || current.lives() || closed) return current;
    // A program has killed it: the next ones get another. Only one of those that wait starts it.
    if (holder === current) {
      holder = undefined;
      void current.end();
      void wayOut?.close();
      wayOut = undefined;
      holding = start(policy);
    }
    return await live(policy);
  }

  return {
    wrapper: {
      name: alone?.name ?? "unshare",
      async wrap(command, policy) {
        const current = await live(policy);
        if (!current) {
          if (alone) return await alone.wrap(command, policy);
          throw new HostError("EPERM", command.program, `The sandbox cannot be started (${problem})`);
        }
        const env = { ...wayOut?.env, ...command.env };
        return joined(current, { ...command, env }, policy, options.uid === 0);
      },
      group: innerGroup,
      alone: () => holder === undefined ? undefined : !holder.lives() || holder.alone(),
      left: (mark) => holder === undefined || holder.alone() ? [] : findLeft(mark),
    },
    start: async (policy) => await live(policy) ? undefined : problem,
    async close() {
      closed = true;
      holder?.kill();
      await (await holding)?.end();
      await wayOut?.close();
    },
    kill() {
      closed = true;
      holder?.kill();
      wayOut?.kill();
    },
  };
}

function joined(holder: Holder, command: Command, policy: Policy, root: boolean): Command {
  const args = bubblewrapArguments(
    policy,
    command.cwd,
    exists,
    root,
    realPath,
    holder.joins,
    machineSockets(),
  );
  const { argv, env } = launch(command, {
    close: HOLDER_FDS,
    numbered: MARK,
    mounted: expectedMounts(args, policy, machineMounts()),
  });
  const [program, ...rest] = holder.enter([...args, ...argv]);
  return { program, argv: [program, ...rest], cwd: "/", env };
}

/** The whole way once, with a program that says something. */
async function works(holder: Holder, policy: Policy): Promise<boolean> {
  const probe = { program: "/bin/sh", argv: ["sh", "-c", "echo $A"], cwd: "/", env: { A: "works" } };
  const command = joined(holder, probe, policy, Deno.uid() === 0);
  const { stdout } = await new Deno.Command(command.program, {
    args: command.argv.slice(1),
    cwd: "/",
    clearEnv: true,
    env: command.env,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout).trim() === "works";
}
