/**
 * What outlives a call in the worker: the shell with its folder, variables and
 * jobs, and the ledger of files that were read.
 */
import { createSessionShell, type SessionShell, type ToWorker } from "../sandbox/mod.ts";
import { type Ledger, ReadStamps } from "../tools/mod.ts";
import { createShellHost, type HostDeps } from "./host.ts";

export interface SheathSession {
  readonly ledger: Ledger;
  cwd(): string;
  /** The session's shell, for the call that is to use it now. */
  shell(call: Extract<ToWorker, { type: "call" }>): Promise<SessionShell>;
  /** The call has ended: its flag concerns nobody any more. */
  release(call: number): void;
}

export function createSession(deps: HostDeps): SheathSession {
  const { init } = deps;
  const ledger = new ReadStamps();
  let shell: Promise<SessionShell> | undefined;
  let cwd = () => init.cwd;
  /** The call whose command runs now; commands of one session run one after the other. */
  const current = { call: 0, cell: undefined as number | undefined };

  async function open(): Promise<SessionShell> {
    const { createInterpreter } = await import("./interpreter.ts");
    const host = createShellHost(deps, current);
    const interpreter = createInterpreter({
      host,
      detachedHost: () => createShellHost(deps, { call: current.call, cell: undefined }),
      policy: init.policy,
      cwd: init.cwd,
      env: init.env,
      umask: init.facts.umask,
      permit: async (action) => {
        const answer = await deps.remote.ask(current.call, { ask: "permit", action });
        return answer.allowed ? undefined : answer.reason;
      },
    });
    cwd = interpreter.cwd;
    return createSessionShell(interpreter);
  }

  return {
    ledger,
    cwd: () => cwd(),
    shell(call) {
      current.call = call.call;
      current.cell = call.cell;
      return shell ??= open();
    },
    release(call) {
      if (current.call === call) current.cell = undefined;
    },
  };
}
