/**
 * The shell as the sheath uses it. The session's shell lives on from script to
 * script as in a terminal: folder, variables, functions and jobs stay. Options
 * (`set -e`) do not: they belong to the script that set them.
 *
 * A background shell has a host of its own: a cancel of some later call is
 * nothing to it.
 */
import {
  type Action,
  createGate,
  HostError,
  type Interpreter,
  type Policy,
  type ScriptIo,
  type ShellJob,
} from "../sandbox/mod.ts";
import {
  type ByteSink,
  createShell,
  type ShellHandle,
  type ShellHost,
  type ShellMemory,
} from "../shell/mod.ts";

export interface InterpreterOptions {
  readonly host: ShellHost;
  /** A host that no call's cancel concerns. */
  detachedHost(): ShellHost;
  readonly policy: Policy;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly umask: number;
  /** Variables that are not exported. */
  readonly variables?: ShellMemory["plain"];
  /** Asks the main isolate; the reason where it is refused. */
  permit(action: Action): Promise<string | undefined>;
}

const RESET = "set +euxvnfC +o pipefail";

const NOWHERE: ByteSink = { write() {}, close() {} };

export function createInterpreter(options: InterpreterOptions): Interpreter {
  let denied: string | undefined;
  const refused = (reason: string) => void (denied = reason);
  const host = withRefusals(options.host, refused);
  const shell = createShell({
    host,
    env: options.env,
    cwd: options.cwd,
    umask: options.umask,
    variables: options.variables,
    stdout: NOWHERE,
    stderr: NOWHERE,
    gate: createGate({ policy: options.policy, permit: options.permit, refused }),
  });

  return {
    async run(script, io) {
      denied = undefined;
      const { sink, end } = openSink(io);
      if (!await standSomewhere(shell, host, options.policy.workspace, sink)) return { status: 1 };
      await shell.run(RESET);
      const { status } = await shell.run(script, { stdout: sink, stderr: sink, signal: io.signal });
      end();
      if (io.signal.aborted) await endJobs(shell, shell.jobs().map((job) => job.id));
      return denied === undefined ? { status } : { status, denied };
    },
    cwd: shell.cwd,
    chdir: shell.chdir,
    jobs: (): ShellJob[] => shell.jobs().map(({ id, command }) => ({ id, command })),
    endJobs: (ids) => endJobs(shell, ids),
    fork: () =>
      createInterpreter({
        ...options,
        host: options.detachedHost(),
        cwd: shell.cwd(),
        env: shell.env(),
        variables: {},
      }),
    memory: shell.memory,
    close: shell.close,
  };
}

/** One sink for both outputs. What jobs print once the script has ended is no part of its output any more. */
function openSink(io: ScriptIo): { sink: ByteSink; end(): void } {
  let open = true;
  return {
    sink: { write: (bytes) => open ? io.write(bytes) : io.late?.(bytes), close() {} },
    end: () => void (open = false),
  };
}

/** Jobs are first asked to end, then ended. */
async function endJobs(shell: ShellHandle, ids: readonly number[]): Promise<void> {
  const left = () => shell.jobs().filter((job) => ids.includes(job.id));
  for (const signal of ["SIGTERM", "SIGKILL"]) {
    for (const job of left()) shell.killJob(job.id, signal);
    for (let tries = 0; tries < 20 && left().length > 0; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** A script that left its folder and removed it must not be the last one that runs; false where nothing can run. */
async function standSomewhere(
  shell: ShellHandle,
  host: ShellHost,
  workspace: string,
  sink: ByteSink,
): Promise<boolean> {
  const say = (text: string) => sink.write(new TextEncoder().encode(text));
  const cwd = shell.cwd();
  try {
    if (host.fs.stat(cwd).kind === "dir") return true;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  }
  try {
    shell.chdir(workspace);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    await say(`The workspace ${workspace} is not there any more: ${error.message}\n`);
    return false;
  }
  await say(`[the folder ${cwd} is gone; back in ${workspace}]\n`);
  return true;
}

/** Notices where the main isolate refuses a program. */
function withRefusals(host: ShellHost, refused: (reason: string) => void): ShellHost {
  const { spawn } = host;
  if (!spawn) return host;
  return {
    ...host,
    async spawn(request) {
      try {
        return await spawn(request);
      } catch (error) {
        if (error instanceof HostError && error.code === "EDENIED") refused(error.message);
        throw error;
      }
    },
  };
}
