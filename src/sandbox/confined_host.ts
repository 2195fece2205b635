/**
 * The sandbox without a worker, for a shell that a person runs by itself: the
 * guarded files, the gate and confined programs in the main isolate. The
 * runtime's own wall is missing here; everything else is the same. On Linux
 * the files are held while they are reached (`host_pinned.ts`).
 */
import type { HostFile, HostProcess, ShellHost, SpawnRequest, SpawnStdio } from "../shell/host.ts";
import { HostError } from "../shell/host.ts";
import type { CommandGate } from "../shell/mod.ts";
import { unwrappedEnvironment } from "./environment.ts";
import { interpreted } from "./interpreter.ts";
import { createGate } from "./gate.ts";
import { createPathGuard } from "./guard_paths.ts";
import { createGuardedFs, type GuardedFs } from "./host_guarded.ts";
import { unloadPlaceDescriptors } from "./host_libc.ts";
import { createAnyFs, createPolicyFs } from "./host_pinned.ts";
import { createConfinement, type WrapperSearch } from "./os/mod.ts";
import { createPermits, type PermitOptions } from "./permits.ts";
import { isWrapped } from "./policy.ts";
import { changedVariables } from "./variables.ts";
import { appearedText, createLookout } from "./worker/appeared.ts";
import { lookupFolders } from "./worker/permissions.ts";

/** What the host behind is, and who is asked. */
export interface ConfinedHostOptions extends PermitOptions {
  /** The host that may do everything. */
  readonly host: ShellHost;
  /** The environment that commands start with. */
  readonly env: Readonly<Record<string, string>>;
  /** Something the user should know: what a program has made that runs code later. */
  notice?(text: string): void;
}

/** A host that is bound by the policy, and what judges commands before they run; without a gate nothing is judged. */
export interface ConfinedHost {
  readonly host: ShellHost;
  readonly gate: CommandGate | undefined;
  /** Ends the programs that still run confined; the end of this process does it, too. */
  close(): Promise<void>;
}

/** Starts nothing: the wrapper is looked for when the first program runs. */
export function createConfinedHost(options: ConfinedHostOptions): ConfinedHost {
  const { policy, host, env } = options;
  const permits = createPermits(options);
  const confinement = createConfinement(policy);
  const never = new AbortController().signal;
  const permit = (action: Parameters<typeof permits>[0]) => permits(action, "", never);
  let running = 0;
  let started = 0;
  const lookout = createLookout(
    policy,
    host.fs,
    () => running > 0,
    (places) => options.notice?.(appearedText(places)),
  );
  // Held at all times, whether programs run or not: so what is handed to a program is held, too.
  const held = policy.mode !== "off" && host.platform === "linux" ? createPolicyFs(policy) : undefined;
  const fs = createGuardedFs({
    fs: held ?? host.fs,
    programs: host.fs,
    pins: () => held !== undefined,
    policy,
    windows: host.platform === "windows",
    programFolders: policy.mode === "off" ? [] : lookupFolders(policy, env.PATH ?? ""),
    programsRun: () => running > 0,
    generation: () => started,
    permit: (action) => permit(action),
    // Nobody can be asked while everything stands still.
    permitStill: (_action, reason) =>
      policy.approve === "always"
        ? undefined
        : `${reason}, and this cannot be asked for in the middle of the operation`,
    symlink: async (target, path) => await (held ?? host.fs).symlink(target, path),
    ...(held === undefined ? {} : { openOutside: createAnyFs().open }),
  });
  const guard = createPathGuard({ fs: host.fs, policy, places: ["/"], mayRemember: () => false });

  async function spawn(request: SpawnRequest): Promise<HostProcess> {
    const { wrapper, problem }: WrapperSearch = policy.mode === "off" ? {} : await confinement.wrapper();
    const confined = isWrapped(policy, wrapper?.name) ? wrapper : undefined;
    const program = guard.resolve(request.program, true);
    const script = await interpreted(host.fs, program, request.argv, policy);
    const refusal = await permit({
      kind: "run",
      argv: request.argv,
      program,
      cwd: request.cwd,
      wrapper: wrapper?.name,
      problem,
      given: changedVariables(request.env, env),
      ...(script === undefined ? {} : { script }),
    });
    if (refusal !== undefined) throw new HostError("EDENIED", request.program, `Not allowed: ${refusal}`);
    if (!host.spawn) throw new HostError("EPERM", request.program);
    if (!host.fs.access(program, "x")) throw new HostError("EACCES", request.program);
    const command = confined ? await confined.wrap(request, policy) : {
      program: request.program,
      argv: request.argv,
      cwd: guard.resolve(request.cwd, true),
      env: policy.mode === "off" ? request.env : unwrappedEnvironment(request.program, request.env),
    };
    await lookout.before();
    running++;
    started++;
    lookout.during();
    try {
      const child = await host.spawn({
        ...request,
        ...command,
        stdin: await real(request.stdin, fs, host),
        stdout: await real(request.stdout, fs, host),
        stderr: await real(request.stderr, fs, host),
      });
      void child.ended.finally(() => running--).then(lookout.look);
      return confined?.group ? withGroup(child, confined.group, host) : child;
    } catch (error) {
      running--;
      throw error;
    }
  }

  return {
    host: { ...host, fs, tempDir: policy.tempDir, spawn },
    gate: createGate({ policy, permit, refused: () => {} }),
    async close() {
      await confinement.close();
      await lookout.look();
      lookout.close();
      unloadPlaceDescriptors();
    },
  };
}

/** A device of the guarded files is not one of the system's: a program needs a real one. */
async function real(stdio: SpawnStdio, fs: GuardedFs, host: ShellHost): Promise<SpawnStdio> {
  if (stdio.kind !== "file") return stdio;
  const opened = fs.opened(stdio.file);
  if (!opened?.path.startsWith("/dev/")) return stdio;
  if (opened.path === "/dev/null") return { kind: "null" };
  const file: HostFile = await host.fs.open(opened.path, {
    ...opened.options,
    create: false,
    truncate: false,
  });
  return { kind: "file", file };
}

/** Signals go to the program inside the wrapper, so that it can clean up. */
function withGroup(
  child: HostProcess,
  group: (pid: number) => number | undefined,
  host: ShellHost,
): HostProcess {
  return {
    ...child,
    kill(signal) {
      const inner = signal === "SIGKILL" ? undefined : group(child.pid);
      if (inner === undefined || !host.kill) return child.kill(signal);
      try {
        host.kill(-inner, signal);
      } catch (error) {
        if (!(error instanceof HostError)) throw error;
        child.kill(signal);
      }
    },
  };
}
