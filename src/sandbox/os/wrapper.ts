/**
 * What confines an external program: something that rewrites its argument
 * vector. Found and tried once per process, at the first need.
 */
import type { Policy } from "../policy.ts";

export interface Command {
  readonly program: string;
  readonly argv: readonly string[];
  readonly cwd: string;
}

export interface Wrapper {
  /** "bubblewrap", "seatbelt". */
  readonly name: string;
  /** The command that runs `command` confined. */
  wrap(command: Command, policy: Policy): Command;
  /**
   * The process group to which signals for the program go, given the process
   * that was started; undefined: that process's own group.
   */
  group?(pid: number): number | undefined;
}

export interface WrapperSearch {
  readonly wrapper?: Wrapper;
  /** Why there is none, with the remedy. */
  readonly problem?: string;
}
