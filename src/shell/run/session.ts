/** One shell as its caller sees it: state kept between scripts, the cancel flag watched, jobs listed and ended. */
import type { Utility } from "../builtin.ts";
import type { CommandGate } from "../gate.ts";
import { type ByteSink, type ByteSource, HostError, type ShellHost } from "../host.ts";
import { Deadlines } from "./deadlines.ts";
import {
  type Description,
  FdTable,
  hadTurn,
  NullDescription,
  SinkDescription,
  SourceDescription,
} from "./fds.ts";
import { interpreter } from "./interpreter.ts";
import { memoryOf, remember, type ShellMemory } from "./memory.ts";
import { main } from "./nested.ts";
import { runsBeside } from "./jobs.ts";
import { begin, drive, isRun, Killed, Process } from "./process.ts";
import {
  DEFAULT_LIMITS,
  Flow,
  type LanguageBuiltin,
  type Limits,
  type Session as Shared,
  Shell,
} from "./shell.ts";
import { prepare } from "./startup.ts";
import { script } from "./text.ts";
import { pendingTraps, runTrap } from "./traps.ts";
import { signalStatus } from "./utility.ts";
import { VarTable } from "./vars.ts";
import { ExpansionError, type Run } from "../expand/config.ts";
import { report } from "./functions.ts";

export interface SessionOptions {
  readonly host: ShellHost;
  readonly builtins: readonly LanguageBuiltin[];
  readonly utilities: readonly Utility[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly name?: string;
  readonly args?: readonly string[];
  readonly stdin?: ByteSource;
  readonly stdout: ByteSink;
  readonly stderr: ByteSink;
  readonly gate?: CommandGate;
  readonly external?: boolean;
  readonly options?: Readonly<Record<string, boolean>>;
  readonly limits?: Partial<Limits>;
  readonly umask?: number;
  /** Variables to begin with that are not exported. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly onTraps?: (signals: readonly string[]) => void;
}

interface Io {
  readonly stdin?: ByteSource;
  readonly stdout?: ByteSink;
  readonly stderr?: ByteSink;
  readonly signal?: AbortSignal;
}

/** Numbers of in-process subshells: beyond those of the system. */
const FIRST_PID = 4_200_000;
const WATCH_MS = 40;
/** How long the end of a script waits for what runs beside it, before that is listed as a job. */
const STRAY_MS = 50;
/** How long a shell that ends waits for the commands that read from it. */
const READERS_MS = 2000;

export class Session {
  readonly #options: SessionOptions;
  readonly #shared: Shared;
  shell: Shell;

  constructor(options: SessionOptions) {
    this.#options = options;
    const host = options.host;
    this.#shared = {
      host,
      builtins: new Map(options.builtins.map((b) => [b.name, b])),
      utilities: new Map(options.utilities.map((u) => [u.name, u])),
      gate: options.gate,
      external: options.external ?? true,
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      nextPid: FIRST_PID,
      processes: new Map(),
      substitutions: new Map(),
      started: host.now(),
      ulimits: new Map(),
      watchSignals: (traps, sh) => {
        if (sh === this.shell) {
          options.onTraps?.([...traps.keys()].filter((n) => !/^(EXIT|ERR|DEBUG|RETURN)$/.test(n)));
        }
      },
      breath: host.now(),
      deadlines: new Deadlines(() => host.now()),
      ticks: 0,
      parked: false,
      exhausted: false,
    };
    this.shell = this.#create();
  }

  #create(): Shell {
    const o = this.#options;
    const process = new Process(this.#shared.host.pid, undefined);
    const sh = new Shell(this.#shared, interpreter, process, new VarTable(), new FdTable());
    sh.shellPid = process.pid;
    sh.cwd = o.cwd ?? "/";
    sh.umask = o.umask ?? 0o022;
    sh.name0 = o.name ?? "bash";
    sh.params = o.args ?? [];
    this.#install(sh, o);
    prepare(sh, new Map(Object.entries(o.env ?? {})));
    for (const [name, on] of Object.entries(o.options ?? {})) sh.setOption(name, on);
    remember(sh, o.variables ?? {});
    return sh;
  }

  #install(sh: Shell, io: Io): void {
    sh.fds.set(0, io.stdin === undefined ? new NullDescription() : new SourceDescription(unclosed(io.stdin)));
    if (io.stdout !== undefined) sh.fds.set(1, new SinkDescription(unclosedSink(io.stdout)));
    if (io.stderr !== undefined) sh.fds.set(2, new SinkDescription(unclosedSink(io.stderr)));
  }

  async run(text: string, io: Io): Promise<{ status: number; exited: boolean }> {
    const sh = this.shell;
    const before: (Description | undefined)[] = [];
    if (io.stdin !== undefined) before[0] = sh.fds.swap(0, new SourceDescription(unclosed(io.stdin)));
    if (io.stdout !== undefined) before[1] = sh.fds.swap(1, new SinkDescription(unclosedSink(io.stdout)));
    if (io.stderr !== undefined) before[2] = sh.fds.swap(2, new SinkDescription(unclosedSink(io.stderr)));
    try {
      const end = await this.#watched(io.signal, () => script(sh, text, ""));
      await this.#adopt();
      return end;
    } finally {
      before.forEach((old, fd) => sh.fds.set(fd, old));
    }
  }

  /** What subshells left running, process substitutions and disowned jobs become jobs: nothing runs that no list shows. */
  async #adopt(): Promise<void> {
    const strays = () => {
      const listed = new Set(this.shell.jobs.all.map((job) => job.process));
      return runsBeside(this.#shared).filter((one) => !listed.has(one.process));
    };
    const left = strays();
    if (left.length === 0) return;
    // What is about to end may do so: `> >(gzip > file)`.
    const enough = new AbortController();
    await Promise.race([
      Promise.allSettled(left.map((one) => one.done)),
      this.#shared.host.sleep(STRAY_MS, enough.signal),
    ]);
    enough.abort();
    for (const one of strays()) this.shell.jobs.add(one.pid, one.text, one.process, one.done);
  }

  async main(args: readonly string[]): Promise<number> {
    const end = await this.#watched(
      undefined,
      () => main(this.shell, [this.shell.name0, ...args], undefined),
    );
    await this.#letReadersEnd();
    return end.status;
  }

  /** `exec > >(tee log)`: what reads from the shell sees its end, and says what it has to say. */
  async #letReadersEnd(): Promise<void> {
    const readers = runsBeside(this.#shared).filter((one) => one.text.startsWith(">("));
    if (readers.length === 0 || this.#shared.host.cancelled()) return;
    this.shell.fds.closeAll();
    const enough = new AbortController();
    await Promise.race([
      Promise.allSettled(readers.map((one) => one.done)),
      this.#shared.host.sleep(READERS_MS, enough.signal),
    ]);
    enough.abort();
  }

  /** Runs with the cancel flag and a signal watched; turns every way out into a status. */
  async #watched(
    signal: AbortSignal | undefined,
    body: () => Run<number>,
  ): Promise<{ status: number; exited: boolean }> {
    const sh = this.shell;
    if (sh.process.killed !== undefined || sh.process.pid === 0) this.#renew(sh);
    sh.flow = Flow.None;
    sh.fatal = false;
    this.#shared.exhausted = false;
    this.#shared.processes.set(sh.process.pid, sh.process);
    const stop = () => this.kill(typeof signal?.reason === "string" ? signal.reason : "SIGINT");
    if (signal?.aborted) return { status: 130, exited: false };
    hadTurn();
    signal?.addEventListener("abort", stop);
    const result = drive(begin(whole(sh, body)), sh.process);
    const status = result instanceof Promise ? await this.#cancellable(result) : result;
    signal?.removeEventListener("abort", stop);
    const exited = sh.leaving || sh.process.killed !== undefined;
    sh.flow = Flow.None;
    sh.calls = [];
    sh.noErrexit = 0;
    sh.loopDepth = 0;
    if (sh.process.killed !== undefined) this.#renew(sh);
    return { status, exited };
  }

  async #cancellable(result: Promise<number>): Promise<number> {
    const done = new AbortController();
    const host = this.#shared.host;
    const watch = async () => {
      while (!done.signal.aborted) {
        await host.sleep(WATCH_MS, done.signal);
        if (!done.signal.aborted && host.cancelled()) {
          this.#killAll("SIGINT");
          return;
        }
      }
    };
    const watching = watch();
    try {
      return await result;
    } finally {
      done.abort();
      await watching;
    }
  }

  /** A shell that was ended goes on with a fresh process: the caller's next script finds its state. */
  #renew(sh: Shell): void {
    const process = new Process(this.#shared.host.pid, undefined);
    process.trapped = (signal) => sh.traps.has(signal.slice(3));
    sh.process = process;
  }

  kill(signal: string): void {
    this.shell.process.send(signal);
  }

  #killAll(signal: string): void {
    for (const p of new Set(this.#shared.processes.values())) p.kill(signal);
    this.shell.process.kill(signal);
  }

  jobs(): { id: number; pid: number; command: string }[] {
    return this.shell.jobs.running.map((j) => ({ id: j.id, pid: j.pid, command: j.text }));
  }

  killJob(id: number, signal: string): boolean {
    const job = this.shell.jobs.running.find((j) => j.id === id);
    job?.process.kill(signal);
    return job !== undefined;
  }

  chdir(path: string): void {
    const sh = this.shell;
    const absolute = sh.absolute(path);
    if (sh.fs.stat(absolute).kind !== "dir") throw new HostError("ENOTDIR", path);
    sh.vars.assign("OLDPWD", sh.cwd);
    sh.cwd = absolute;
    sh.vars.assign("PWD", absolute);
  }

  fork(): Session {
    return new Session({
      ...this.#options,
      cwd: this.shell.cwd,
      umask: this.shell.umask,
      env: Object.fromEntries(this.shell.vars.exports()),
      variables: {},
    });
  }

  /** What a new shell needs to go on from here; undefined where it is more than data can say. Only between scripts. */
  memory(): ShellMemory | undefined {
    return memoryOf(
      this.shell,
      ({ plain, ...rest }) => new Session({ ...this.#options, ...rest, variables: plain }).shell,
    );
  }

  close(): void {
    this.#killAll("SIGTERM");
    this.shell.fds.closeAll();
  }
}

/** A script with its EXIT trap. */
function* whole(sh: Shell, body: () => Run<number>): Run<number> {
  let status: number;
  try {
    status = yield* body();
  } catch (error) {
    if (error instanceof Killed) status = signalStatus(error.signal);
    else if (error instanceof ExpansionError) {
      report(sh, error);
      status = error.status;
    } else if (error instanceof HostError && error.code === "EPIPE") return 141;
    else throw error;
    if (error instanceof Killed && error.signal === "SIGKILL") return status;
  }
  const left = sh.flow;
  if (sh.process.killed === undefined && sh.process.pending !== undefined) {
    sh.flow = Flow.None;
    yield* pendingTraps(sh);
  }
  if (sh.traps.get("EXIT")) {
    sh.flow = Flow.None;
    sh.status = status;
    const killed = sh.process.killed;
    sh.process.killed = undefined;
    try {
      const trap = runTrap(sh, "EXIT");
      if (isRun(trap)) yield* trap;
      if (sh.leaving) status = sh.status;
    } catch (error) {
      if (!(error instanceof Killed) && !(error instanceof ExpansionError)) throw error;
    }
    sh.process.killed = killed;
    sh.traps = new Map([...sh.traps].filter(([name]) => name !== "EXIT"));
  }
  if (left !== Flow.None) sh.flow = left;
  return status;
}

/** The caller closes its own ends. */
function unclosed(source: ByteSource): ByteSource {
  return { read: (into) => source.read(into), close() {}, ...terminalOf(source) };
}
function unclosedSink(sink: ByteSink): ByteSink {
  return { write: (bytes) => sink.write(bytes), close() {}, ...terminalOf(sink) };
}
function terminalOf(end: object): { terminal?: boolean } {
  return (end as { terminal?: boolean }).terminal === true ? { terminal: true } : {};
}
