/**
 * What confines an external program: something that rewrites its argument
 * vector. The wrapper itself runs outside of the sandbox: so it starts with an
 * environment that no command has a say in, and what the command's environment
 * holds is among its arguments. Found and tried once per process, at the first need.
 */
import type { Policy } from "../policy.ts";

export interface Command {
  readonly program: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The environment that a wrapper itself starts with, whatever the command's is. */
export const WRAPPER_ENV: Readonly<Record<string, string>> = { PATH: "/usr/bin:/bin" };

/** What of an environment can be handed over: no system call takes a name without letters or with a `=`. */
export function variables(env: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(env).filter(([name]) => name !== "" && !name.includes("="));
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
