/**
 * What confines an external program: something that rewrites its argument
 * vector. The wrapper itself runs outside of the sandbox: so it starts with an
 * environment that no command has a say in (`launch.ts`). Found and tried once
 * per process, at the first need.
 */
import type { Policy } from "../policy.ts";

/** A program to be started: `program` is what is started, `argv[0]` what it is called. */
export interface Command {
  readonly program: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A way to confine programs on this machine. */
export interface Wrapper {
  /** "bubblewrap", "seatbelt". */
  readonly name: string;
  /** The command that runs `command` confined. */
  wrap(command: Command, policy: Policy): Command | Promise<Command>;
  /**
   * The process group to which signals for the program go, given the process
   * that was started; undefined: that process's own group.
   */
  group?(pid: number): number | undefined;
  /**
   * Only where the programs of a session share their processes: what a program
   * that has ended left in its own session, by the mark in its environment.
   * Elsewhere everything ends with the process that was started.
   */
  left?(mark: string): number[];
  /** Likewise only there (undefined elsewhere): whether nothing that it confines runs, whoever started it. Until then it counts as running. */
  alone?(): boolean | undefined;
}

/** What this machine offers. Without a wrapper there is a problem. */
export interface WrapperSearch {
  readonly wrapper?: Wrapper;
  /** Why there is none, with the remedy. */
  readonly problem?: string;
  /** What there is to tell of the one that was taken. */
  readonly remark?: string;
  /** For programs that run without one: what has them end with this process. */
  readonly tether?: (command: Command) => Command;
}

/** What stands at a path: a missing thing can be neither hidden nor bound. */
export type Exists = (path: string) => "dir" | "file" | undefined;

/** The path without links of something that is there. */
export type RealPath = (path: string) => string;
