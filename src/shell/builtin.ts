/**
 * What a command that runs inside the shell is: a function of a narrow
 * context. Two kinds: a *builtin* belongs to the language and may change the
 * shell's own state (see `run/`); a *utility* (the coreutils) is as good as an
 * external program: it sees arguments, exported variables, a folder and
 * descriptors, and answers with an exit status.
 */
import type { ByteSink, ByteSource, HostFs, Later, ShellHost } from "./host.ts";

/** What is thrown to leave a command at once when the run is cancelled or its pipe is gone. The interpreter turns it into a status (130, 141). */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  constructor(
    readonly reason: "cancelled" | "pipe" | "killed",
    readonly signal: string = "SIGINT",
  ) {
    super(reason);
  }
}

/**
 * What a utility throws, before any output or effect, for an option of the
 * original that it does not have: the interpreter may run the host's program
 * instead, else prints `name: message` and answers status 2.
 */
export class UnsupportedOption extends Error {
  override readonly name = "UnsupportedOption";
  constructor(readonly option: string, message = `option ${option} is not supported here`) {
    super(message);
  }
}

export interface UtilityContext {
  /** argv[0] as called: messages start with it. */
  readonly name: string;
  /** Arguments after the name. */
  readonly args: readonly string[];
  /** Absolute path of the working folder. */
  readonly cwd: string;
  /** Exported variables. */
  readonly env: ReadonlyMap<string, string>;
  readonly host: ShellHost;
  readonly fs: HostFs;
  /** Descriptors 0, 1 and 2. A closed one reads as at its end, or fails with EBADF. */
  readonly stdin: ByteSource;
  readonly stdout: Output;
  readonly stderr: Output;
  /** File-mode creation mask. */
  readonly umask: number;
  /** Absolute form of a path argument (joined to `cwd`, `/dev/stdin` and the like understood by {@link open}). */
  path(argument: string): string;
  /** Opens a file argument for reading; `-` is stdin, `/dev/stdin` and `/dev/fd/N` are descriptors. Throws HostError. */
  open(argument: string): Later<ByteSource>;
  /** Opens a file argument for writing (`/dev/stdout`, `/dev/fd/N` understood; umask applied). Throws HostError. */
  create(
    argument: string,
    options?: { append?: boolean; exclusive?: boolean },
  ): Later<ByteSink>;
  /** Throws {@link Interrupted} when the run was cancelled or this command was killed: call it in every loop that can be long. */
  poll(): void;
  /** As {@link poll}, and waits now and then for timers and signals: where neither reading nor writing does. */
  rest(): Later<void>;
  /** Aborts with the run or with a signal to this command: for timers. */
  readonly signal: AbortSignal;
  /**
   * Runs another command (utility, builtin-as-utility or program, through the
   * same look-up and permission gate) and resolves to its exit status; 127 and
   * 126 with a message where it cannot run. Descriptors default to this
   * command's own.
   */
  run(argv: readonly string[], options?: RunOptions): Promise<number>;
  /** Whether one of the descriptors 0, 1 and 2 is a terminal. */
  isTerminal?(fd: number): boolean;
  /** The lock of a descriptor, or of a file that is made where it is missing. Throws HostError. */
  openLock?(what: number | string): Promise<FileLock>;
}

/** A lock as flock(2) has it, among the commands of one shell. */
export interface FileLock {
  /** Takes it, and waits for that until the signal aborts; without one it does not wait. Whether it was got. */
  take(exclusive: boolean, wait: AbortSignal | undefined): Promise<boolean>;
  free(): void;
  /** Lets go of the file, not of a lock that others who have it open share. */
  close(): void;
}

export interface RunOptions {
  readonly cwd?: string;
  /** The whole environment; default: this command's. */
  readonly env?: ReadonlyMap<string, string>;
  readonly stdin?: ByteSource;
  readonly stdout?: ByteSink;
  readonly stderr?: ByteSink;
  /** Ends the command: with this reason's signal name ("SIGTERM", "SIGKILL") if it is a string, else SIGTERM. */
  readonly signal?: AbortSignal;
  /** The whole message for a command that cannot be run, by the reason; default: the shell's own. */
  readonly missing?: (why: string) => string;
  /** Called where a loop looks for a cancel after `at` (the host's time): timers come late to what never waits. */
  readonly deadline?: { readonly at: number; passed(): void };
  /** Ends the command with SIGKILL, whatever `signal` did before. */
  readonly kill?: AbortSignal;
  /** The command is shielded from SIGHUP, or from every signal to the group that the script is in (a session of its own). */
  readonly shield?: "hangup" | "session";
  /** The command goes on beside the script: the answer is 0 at once. */
  readonly beside?: boolean;
}

/** A buffered sink: text and bytes are gathered and written in blocks. The interpreter flushes when the command ends. */
export interface Output extends ByteSink {
  /** Writes text (lone surrogates U+DC80..U+DCFF stand for single bytes). */
  print(text: string): Later<void>;
  flush(): Later<void>;
}

export interface Utility {
  readonly name: string;
  /** Resolves to the exit status. Throws nothing but Interrupted and HostError (printed as `name: path: text`, status 1). */
  run(context: UtilityContext): Later<number>;
}
