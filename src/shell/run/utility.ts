/** Running a utility: the context it gets, its buffered output, what its failures mean. */
import {
  type FileLock,
  Interrupted,
  type Output,
  type RunOptions,
  type Utility,
  type UtilityContext,
} from "../builtin.ts";
import { noteBeside } from "./jobs.ts";
import { openLock } from "./locks.ts";
import { encodeBytes } from "../../lib/text/bytes.ts";
import {
  type ByteSink,
  type ByteSource,
  HostError,
  type HostFile,
  type HostFs,
  type Later,
  type ShellHost,
} from "../host.ts";
import {
  type Description,
  FileDescription,
  NullDescription,
  SinkDescription,
  SourceDescription,
  turn,
} from "./fds.ts";
import { drive, Killed, Process } from "./process.ts";
import type { Shell } from "./shell.ts";

const BLOCK = 1 << 15;

class BufferedOutput implements Output {
  #text = "";
  constructor(readonly to: ByteSink | undefined) {}

  #sink(): ByteSink {
    if (this.to === undefined) throw new HostError("EBADF");
    return this.to;
  }

  print(text: string): Later<void> {
    this.#text += text;
    if (this.#text.length >= BLOCK) return this.flush();
  }

  write(bytes: Uint8Array): Later<void> {
    if (this.#text !== "") {
      const first = this.flush();
      if (first instanceof Promise) return first.then(() => this.#sink().write(bytes));
    }
    return this.#sink().write(bytes);
  }

  flush(): Later<void> {
    if (this.#text === "") return;
    const text = this.#text;
    this.#text = "";
    const sink = this.#sink();
    return "writeText" in sink ? (sink as Description).writeText(text) : sink.write(encodeBytes(text));
  }

  close(): void {}
}

const closedInput: ByteSource = {
  read(): number {
    throw new HostError("EBADF");
  },
  close(): void {},
};

/** Builtins that are programs of the system as well: all that a program can start. */
const PROGRAMS = new Set(["[", "echo", "false", "kill", "printf", "pwd", "test", "true"]);

class Context implements UtilityContext {
  readonly stdin: ByteSource;
  readonly stdout: BufferedOutput;
  readonly stderr: BufferedOutput;
  readonly #sh: Shell;
  #stopped: string | undefined;
  #controller: AbortController | undefined;

  constructor(sh: Shell, readonly name: string, readonly args: readonly string[]) {
    this.#sh = sh;
    const input = sh.fd(0);
    this.stdin = input === undefined ? closedInput : input;
    this.stdout = new BufferedOutput(sh.fd(1));
    this.stderr = new BufferedOutput(sh.fd(2));
  }

  get cwd(): string {
    return this.#sh.cwd;
  }
  get env(): ReadonlyMap<string, string> {
    return this.#sh.vars.exports();
  }
  get host(): ShellHost {
    return this.#sh.host;
  }
  get fs(): HostFs {
    return this.#sh.fs;
  }
  get umask(): number {
    return this.#sh.umask;
  }
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return AbortSignal.any([this.#sh.process.signal, this.#controller.signal]);
  }
  /** A signal to this command alone, not to the shell that it runs in. */
  stop(signal: string): void {
    this.#stopped ??= signal;
    this.#controller?.abort(signal);
  }

  path(argument: string): string {
    return this.#sh.absolute(argument);
  }

  open(argument: string): Later<ByteSource> {
    if (argument === "-") return this.stdin;
    const fd = descriptorOf(argument);
    if (fd !== undefined) {
      const description = this.#sh.fd(fd);
      if (description === undefined) throw new HostError("ENOENT", argument);
      return description;
    }
    if (argument === "/dev/null" || (this.#sh.windows && /^nul$/i.test(argument))) {
      return new NullDescription();
    }
    if (argument === "/dev/tty") throw new HostError("ENXIO", argument);
    const file = this.#sh.fs.open(this.path(argument), { read: true });
    return file instanceof Promise ? file.then(inTurns) : inTurns(file);
  }

  create(argument: string, options: { append?: boolean; exclusive?: boolean } = {}): Later<ByteSink> {
    const fd = descriptorOf(argument);
    if (fd !== undefined) {
      const description = this.#sh.fd(fd);
      if (description === undefined) throw new HostError("ENOENT", argument);
      return description;
    }
    if (argument === "/dev/null" || (this.#sh.windows && /^nul$/i.test(argument))) {
      return new NullDescription();
    }
    return this.#sh.fs.open(this.path(argument), {
      write: true,
      create: true,
      append: options.append,
      exclusive: options.exclusive,
      truncate: !options.append && !options.exclusive,
      mode: 0o666 & ~this.#sh.umask,
    });
  }

  poll(): void {
    const p = this.#sh.process;
    const { session } = this.#sh;
    session.deadlines.look();
    if (p.killed !== undefined) throw new Interrupted("killed", p.killed);
    if (this.#stopped !== undefined) throw new Interrupted("killed", this.#stopped);
    if (this.#sh.host.cancelled()) throw new Interrupted("cancelled");
  }

  rest(): Later<void> {
    this.poll();
    return turn()?.then(() => this.poll());
  }

  isTerminal(fd: number): boolean {
    return this.#sh.fd(fd)?.terminal ?? false;
  }

  openLock(what: number | string): Promise<FileLock> {
    return openLock(this.#sh, what);
  }

  async run(argv: readonly string[], options: RunOptions = {}): Promise<number> {
    await this.stdout.flush();
    await this.stderr.flush();
    const sh = this.#sh;
    // Apart: it lives on when the shell that started it is ended by a signal that does not reach it.
    const apart = options.beside === true || (options.shield !== undefined && !sh.process.single);
    const process = new Process(sh.session.nextPid++, apart ? undefined : sh.process);
    process.single = true;
    // From the start: a deadline may pass before anything of it has waited.
    process.driven = true;
    const child = sh.fork(process);
    if (options.shield === "hangup") {
      child.startIgnoring("HUP");
      if (sh.process.single) sh.startIgnoring("HUP");
    }
    if (options.cwd !== undefined) child.cwd = options.cwd;
    if (options.env !== undefined) {
      for (const name of child.vars.exports().keys()) child.vars.unset(name);
      for (const [name, value] of options.env) child.vars.import(name, value);
    }
    if (options.stdin !== undefined) child.fds.set(0, asDescription(options.stdin));
    if (options.stdout !== undefined) child.fds.set(1, asDescription(options.stdout));
    if (options.stderr !== undefined) child.fds.set(2, asDescription(options.stderr));
    const end = (reason: unknown) => {
      const signal = typeof reason === "string" ? reason : "SIGTERM";
      // A shell has its traps.
      if (process.delegate === undefined) process.kill(signal);
      else process.sendToGroup(signal);
    };
    const stop = () => end(options.signal?.reason);
    options.signal?.addEventListener("abort", stop);
    const kill = () => end("SIGKILL");
    options.kill?.addEventListener("abort", kill);
    const inherit = (signal: string) => {
      if (options.shield !== "hangup" || signal !== "SIGHUP") process.kill(signal);
    };
    if (!apart || (options.shield === "hangup" && options.beside !== true)) sh.process.onKill.add(inherit);
    process.killed = undefined;
    sh.session.processes.set(process.pid, process);
    const work = async () => {
      try {
        return await drive(
          child.exec.invoke(child, argv, {
            functions: false,
            builtins: PROGRAMS.has(argv[0]),
            missing: options.missing,
          }),
          process,
        );
      } catch (error) {
        if (error instanceof Killed && error.target === process) return signalStatus(error.signal);
        throw error;
      } finally {
        options.signal?.removeEventListener("abort", stop);
        options.kill?.removeEventListener("abort", kill);
        sh.process.onKill.delete(inherit);
        sh.session.processes.delete(process.pid);
        child.fds.closeAll();
      }
    };
    const { deadlines } = sh.session;
    if (options.deadline !== undefined) deadlines.add(options.deadline);
    const done = work().finally(() => options.deadline !== undefined && deadlines.delete(options.deadline));
    if (apart) noteBeside(sh.session, { pid: process.pid, text: argv.join(" "), process, done });
    return options.beside === true ? 0 : await done;
  }
}

/** Reading it lets others have their turn: the file belongs to who opened it. */
function inTurns(file: HostFile): HostFile {
  const { read } = file;
  file.read = (into) => {
    const rest = turn();
    return rest === undefined ? read.call(file, into) : rest.then(() => read.call(file, into));
  };
  return file;
}

function asDescription(end: ByteSource | ByteSink): Description {
  if (end instanceof FileDescription || "retain" in end) return (end as Description).retain();
  return "write" in end
    ? new SinkDescription(keepOpen(end as ByteSink))
    : new SourceDescription(keepOpenSource(end as ByteSource));
}

/** The caller closes what it handed in. */
function keepOpen(sink: ByteSink): ByteSink {
  return { write: (bytes) => sink.write(bytes), close() {} };
}
function keepOpenSource(source: ByteSource): ByteSource {
  return { read: (into) => source.read(into), close() {} };
}

function descriptorOf(path: string): number | undefined {
  if (path === "/dev/stdin") return 0;
  if (path === "/dev/stdout") return 1;
  if (path === "/dev/stderr") return 2;
  const m = /^\/dev\/fd\/([0-9]+)$/.exec(path);
  return m === null ? undefined : Number(m[1]);
}

const NUMBERS: Readonly<Record<string, number>> = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  ILL: 4,
  TRAP: 5,
  ABRT: 6,
  BUS: 7,
  FPE: 8,
  KILL: 9,
  SEGV: 11,
  PIPE: 13,
  TERM: 15,
  ALRM: 14,
  USR1: 10,
  USR2: 12,
};

export function signalStatus(signal: string): number {
  return 128 + (NUMBERS[signal.replace(/^SIG/, "")] ?? 15);
}

/** Runs a utility to its status. Throws UnsupportedOption, before anything was done. */
export function runUtility(sh: Shell, utility: Utility, argv: readonly string[]): Later<number> {
  const context = new Context(sh, argv[0], argv.slice(1));
  let result: Later<number>;
  try {
    result = utility.run(context);
  } catch (error) {
    return failed(sh, argv[0], context, error);
  }
  if (result instanceof Promise) {
    const { onKill } = sh.process;
    const stop = (signal: string) => context.stop(signal);
    onKill.add(stop);
    return result.then((status) => {
      onKill.delete(stop);
      return finish(sh, argv[0], context, status);
    }, (error) => {
      onKill.delete(stop);
      return failed(sh, argv[0], context, error);
    });
  }
  return finish(sh, argv[0], context, result);
}

function finish(sh: Shell, name: string, context: Context, status: number): Later<number> {
  try {
    const a = context.stdout.flush();
    const b = flushMessages(context);
    if (a instanceof Promise || b instanceof Promise) {
      return Promise.all([a, b]).then(() => status, (error) => failed(sh, name, context, error));
    }
    return status;
  } catch (error) {
    return failed(sh, name, context, error);
  }
}

function failed(sh: Shell, name: string, context: Context, error: unknown): number {
  if (error instanceof Interrupted) return error.reason === "pipe" ? 141 : signalStatus(error.signal);
  if (error instanceof HostError) {
    if (error.code === "EPIPE") return 141;
    flushQuietly(context);
    const where = error.path === undefined
      ? (error.code === "EBADF" ? "write error: " : "")
      : `${error.path}: `;
    sh.writeError(`${name}: ${where}${error.message}\n`);
    return 1;
  }
  if ((error instanceof RangeError || error instanceof SyntaxError) && error.message.includes("call stack")) {
    sh.writeError(`${name}: input is nested too deeply\n`);
    return 2;
  }
  if (error instanceof RangeError && /string length|allocation failed/i.test(error.message)) {
    sh.writeError(`${name}: memory exhausted\n`);
    return 2;
  }
  throw error;
}

/** A message that cannot be written has nowhere else to go: the status says what happened. */
function flushMessages(context: Context): Later<void> {
  try {
    const later = context.stderr.flush();
    return later instanceof Promise ? later.catch(() => {}) : undefined;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  }
}

function flushQuietly(context: Context): void {
  try {
    const later = context.stdout.flush();
    // The failure that is reported already says what went wrong.
    if (later instanceof Promise) later.catch(() => {});
  } catch {
    // As above.
  }
}
