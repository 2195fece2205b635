/**
 * The door of the shell: bash 5.2 as a library. A shell keeps its state (the
 * folder, variables, functions, jobs) from script to script; it touches the
 * world only through its host.
 */
import type { Utility } from "./builtin.ts";
import { builtins } from "./builtins/mod.ts";
import { coreutils } from "./coreutils/mod.ts";
import type { CommandGate } from "./gate.ts";
import { type ByteSink, type ByteSource, HostError, type ShellHost } from "./host.ts";
import type { ShellMemory } from "./run/memory.ts";
import { Session as Root, type SessionOptions } from "./run/session.ts";

export type { Utility, UtilityContext } from "./builtin.ts";
export type { ShellMemory };
export type { CommandGate, GateAnswer, GateRedirect, GateRequest } from "./gate.ts";
export { type ByteSink, type ByteSource, HostError, type ShellHost };

export interface ShellOptions {
  readonly host: ShellHost;
  /** Commands that run in-process; default: the coreutils. */
  readonly utilities?: readonly Utility[];
  /** The whole environment to begin with. */
  readonly env?: Readonly<Record<string, string>>;
  /** Absolute path; default: `/`. */
  readonly cwd?: string;
  /** `$0` and the name in messages; default: `bash`. */
  readonly name?: string;
  /** `$1` and so on. */
  readonly args?: readonly string[];
  /** Absent: at its end. May have `terminal: true`. */
  readonly stdin?: ByteSource;
  readonly stdout: ByteSink;
  readonly stderr: ByteSink;
  /** Asked before each simple command. */
  readonly gate?: CommandGate;
  /** Whether programs of the host may run at all; default: yes. */
  readonly external?: boolean;
  /** Options of `set -o` and `shopt` to begin with. */
  readonly options?: Readonly<Record<string, boolean>>;
  readonly limits?: SessionOptions["limits"];
  readonly umask?: number;
  /** Variables to begin with that are not exported. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Told when traps change: which signals (without SIG) the script handles itself. */
  readonly onTraps?: (signals: readonly string[]) => void;
}

export interface RunIo {
  readonly stdin?: ByteSource;
  readonly stdout?: ByteSink;
  readonly stderr?: ByteSink;
  /** Ends the script: with the signal that its reason names, else SIGINT. */
  readonly signal?: AbortSignal;
}

export interface RunEnd {
  readonly status: number;
  /** The script called `exit` (or was ended): a terminal would be gone now. */
  readonly exited: boolean;
}

export interface ShellJobInfo {
  readonly id: number;
  readonly pid: number;
  readonly command: string;
}

export interface ShellHandle {
  /** Runs a script to its end; background jobs may go on. Never rejects but for mistakes of the program. */
  run(script: string, io?: RunIo): Promise<RunEnd>;
  /** What a `bash` with these arguments (after its name) does, up to the exit status. */
  main(args: readonly string[]): Promise<number>;
  cwd(): string;
  /** Exported variables. */
  env(): Readonly<Record<string, string>>;
  /** Changes the folder. Throws HostError. */
  chdir(path: string): void;
  /** Background jobs that still run. */
  jobs(): readonly ShellJobInfo[];
  /** Sends a signal ("SIGTERM") to the running script; one that has no trap for it ends. */
  kill(signal: string): void;
  /** Ends one job. */
  killJob(id: number, signal?: string): boolean;
  /** A new shell with the same folder and exported variables. */
  fork(): ShellHandle;
  /** What a new shell needs to go on from here; undefined where it is more than data can say. Only between scripts. */
  memory(): ShellMemory | undefined;
  /** Ends everything that runs. */
  close(): void;
}

export function createShell(options: ShellOptions): ShellHandle {
  return handle(new Root({ ...options, builtins, utilities: options.utilities ?? coreutils }));
}

function handle(root: Root): ShellHandle {
  return {
    run: (script, io = {}) => root.run(script, io),
    main: (args) => root.main(args),
    cwd: () => root.shell.cwd,
    env: () => Object.fromEntries(root.shell.vars.exports()),
    chdir: (path) => root.chdir(path),
    jobs: () => root.jobs(),
    kill: (signal) => root.kill(signal),
    killJob: (id, signal = "SIGTERM") => root.killJob(id, signal),
    fork: () => handle(root.fork()),
    memory: () => root.memory(),
    close: () => root.close(),
  };
}
