/**
 * What outlives a call in the worker: the shell with its folder, variables and
 * jobs, and the ledger of files that were read. Where all of it is plain data,
 * another worker can go on from there.
 */
import { createSessionShell, type SessionShell, type ToWorker } from "../sandbox/mod.ts";
import type { ShellMemory } from "../shell/mod.ts";
import { type Ledger, ReadStamps, type Stamp } from "../tools/mod.ts";
import { createShellHost, type HostDeps } from "./host.ts";

export interface SheathSession {
  readonly ledger: Ledger;
  cwd(): string;
  /** The session's shell, for the call that is to use it now. */
  shell(call: Extract<ToWorker, { type: "call" }>): Promise<SessionShell>;
  /** Opens the shell ahead of the call that will use it, and lets it run once: the first time takes longest. */
  warm(): Promise<unknown>;
  /** The call has ended: its flag concerns nobody any more. */
  release(call: number): void;
  /** What the session is as data; undefined where its shell is more than that. Only while no call is open. */
  memory(): Promise<SessionMemory | undefined>;
}

export interface SessionMemory {
  readonly stamps: readonly (readonly [path: string, stamp: Stamp])[];
  /** Absent: there was no shell yet. */
  readonly shell?: ShellMemory;
}

/** `before`: what it was in another worker. */
export function createSession(deps: HostDeps, before?: SessionMemory): SheathSession {
  const { init } = deps;
  const ledger = new ReadStamps(before?.stamps);
  let shell: Promise<SessionShell> | undefined;
  const first = before?.shell;
  let cwd = () => first?.cwd ?? init.cwd;
  /** The call whose command runs now; commands of one session run one after the other. */
  const current = { call: 0, cell: undefined as number | undefined };

  async function open(): Promise<SessionShell> {
    const { createInterpreter } = await import("./interpreter.ts");
    const host = createShellHost(deps, current);
    const interpreter = createInterpreter({
      host,
      detachedHost: () => createShellHost(deps, { call: current.call, cell: undefined }),
      policy: init.policy,
      cwd: first?.cwd ?? init.cwd,
      env: first?.env ?? init.env,
      umask: first?.umask ?? init.facts.umask,
      ...(first === undefined ? {} : { variables: first.plain }),
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
    async warm() {
      if (shell !== undefined) return;
      const { signal } = new AbortController();
      await (await (shell = open())).run({ script: ":", write() {}, signal });
    },
    release(call) {
      if (current.call === call) current.cell = undefined;
    },
    async memory() {
      const stamps = ledger.all();
      if (shell === undefined) return { stamps, ...(first === undefined ? {} : { shell: first }) };
      // A shell that could not be opened has told so.
      const memory = (await shell.catch(() => undefined))?.memory();
      return memory === undefined ? undefined : { stamps, shell: memory };
    },
  };
}
