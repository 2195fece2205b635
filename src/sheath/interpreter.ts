/**
 * The shell as the sheath uses it: one interpreter whose folder and variables
 * live on from script to script, with the permission gate before each simple
 * command.
 */
import { type Action, HostError, type Interpreter, type Policy } from "../sandbox/mod.ts";
import type { ShellHost } from "../shell/host.ts";

export interface InterpreterOptions {
  readonly host: ShellHost;
  readonly policy: Policy;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The name of what confines programs here. */
  wrapper(): Promise<string | undefined>;
  /** Asks the main isolate; the reason where it is refused. */
  permit(action: Action): Promise<string | undefined>;
}

export function createInterpreter(options: InterpreterOptions): Interpreter {
  return {
    run: () => Promise.reject(new HostError("ENOTSUP", undefined, "The shell is not part of this build")),
    cwd: () => options.cwd,
    chdir() {},
    jobs: () => [],
    fork: () => createInterpreter(options),
    close() {},
  };
}
