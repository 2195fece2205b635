/**
 * The broker: the main isolate starts external programs for the worker, which
 * may start none. Each request is judged, confined where something confines,
 * started in a process group of its own, and its pipes are carried in chunks
 * that the other side has asked for.
 *
 * Every program is known from its start to its end: a cancel ends those of one
 * call, `close` all of them. When a program has ended, what still holds its
 * pipes gets a short grace; then the pipes are closed and its group is ended.
 */
import type { ByteSource, HostFile, HostFs, HostProcess, ShellHost, SpawnStdio } from "../../shell/host.ts";
import { HostError } from "../../shell/host.ts";
import { createPathGuard } from "../guard_paths.ts";
import { unwrappedEnvironment } from "../environment.ts";
import { interpreted } from "../interpreter.ts";
import { findMarked, MARK, type Wrapper, type WrapperSearch } from "../os/mod.ts";
import { type Action, isWrapped, type Policy } from "../policy.ts";
import { changedVariables } from "../variables.ts";
import { type Appeared, createLookout } from "./appeared.ts";
import type { FileServer } from "./file_server.ts";
import { findInner, isGone } from "./inner.ts";
import {
  type Answers,
  CELLS,
  CHUNK,
  type ToWorker,
  WINDOW,
  type WireFile,
  type WireSpawn,
} from "./messages.ts";

/** Milliseconds of silence on inherited pipes after a program's end. */
const PIPE_GRACE = 100;
/** Bytes that are still taken from inherited pipes after a program's end. */
const PIPE_REST = 1024 * 1024;
/** Milliseconds between SIGTERM and SIGKILL. */
const TERM_GRACE = 500;

interface BrokerOptions {
  readonly policy: Policy;
  readonly host: Pick<ShellHost, "spawn" | "fs" | "kill">;
  /** The environment that commands get: what differs from it may change what a program does. */
  readonly env: Readonly<Record<string, string>>;
  readonly cells: Int32Array;
  wrapper(): Promise<WrapperSearch>;
  /** The files of the policy, held while they are reached; absent where that is not possible. */
  readonly files?: () => Promise<Pick<FileServer, "fs" | "anywhere" | "again">>;
  /** Throws HostError EDENIED where the action is refused. */
  permit(call: number, action: Action): Promise<void>;
  post(message: ToWorker, transfer?: Transferable[]): void;
  /** Told what programs have made that the user should look at. */
  appeared?(places: readonly Appeared[]): void;
}

/** The programs of one worker. Numbers that are not (or no more) those of a program are passed over. */
export interface Broker {
  spawn(call: number, request: WireSpawn): Promise<Answers["spawn"]>;
  feed(id: number, bytes: Uint8Array): Promise<void>;
  unfed(id: number): void;
  /** What a program left of its input. */
  leftOver(id: number): Promise<Uint8Array>;
  more(id: number, fd: 1 | 2): void;
  unread(id: number, fd: 1 | 2): void;
  signal(id: number, signal: string): void;
  /** Ends the programs of one call. */
  endCall(call: number): Promise<void>;
  /** Ends all of them. */
  close(): Promise<void>;
  /** Kills all of them, without waiting: for a process that leaves at once. */
  killAll(): void;
  /** A call begins: what programs have left behind by now may have made something. */
  look(): void;
  readonly running: number;
}

interface Flow {
  source: ByteSource;
  credits: number;
  wake?: () => void;
  closed: boolean;
  /** Whether a read waits now, and how many there were. */
  reading: boolean;
  reads: number;
  done: Promise<void>;
}

interface Program {
  readonly id: number;
  readonly call: number;
  readonly process: HostProcess;
  readonly group: () => number | undefined;
  /** Whether its end leaves the processes that it has started. */
  readonly shared: boolean;
  readonly flows: Partial<Record<1 | 2, Flow>>;
  /** Set when the program itself has ended. */
  ended: boolean;
  readonly gone: Promise<void>;
}

/** Starts nothing by itself. Every program that it starts is marked, so that what leaves its group is found. */
export function createBroker(options: BrokerOptions): Broker {
  const { policy, host, cells } = options;
  const programs = new Map<number, Program>();
  /** What marks the programs of this broker; they inherit it to whatever they start. The next start reads who made it. */
  const mark = `${Deno.pid}-${crypto.randomUUID()}`;
  const guard = createPathGuard({ fs: host.fs, policy, places: ["/"], mayRemember: () => false });
  let next = 1;
  let nextMark = 1;
  let closing = false;
  const lookout = createLookout(
    policy,
    host.fs,
    () => Atomics.load(cells, CELLS.programs) > 0,
    options.appeared,
  );
  /** Whether something may be left of a program that is over. */
  let strays = false;
  /** What still runs inside of wrappers that have ended. */
  const lingering = new Set<Promise<void>>();
  /** Calls that were ended: nothing more starts for them. */
  const over = new Set<number>();
  /** Programs, ended ones too, whose unread input will be asked for. */
  const kept = new Map<number, { readonly call: number; readonly process: HostProcess }>();

  async function spawn(call: number, request: WireSpawn): Promise<Answers["spawn"]> {
    const search = await options.wrapper();
    const wrapper = search.wrapper;
    const wrapped = isWrapped(policy, wrapper?.name) ? wrapper : undefined;
    // What is judged is where the program really lies: a link in the workspace is not the system's.
    const program = guard.resolve(request.program, true);
    const script = await interpreted(await filesNow(), program, request.argv, policy);
    await options.permit(call, {
      kind: "run",
      argv: request.argv,
      program,
      cwd: request.cwd,
      wrapper: wrapper?.name,
      problem: search.problem,
      given: changedVariables(request.env, options.env),
      ...(script === undefined ? {} : { script }),
    });
    if (!host.spawn || closing || over.has(call)) throw new HostError("EPERM", request.program);
    if (wrapped) await mustRun(request.program, program);
    // Before it is too late to see that something came of one that still runs.
    await lookout.before();
    const files = new Map<number, HostFile>();
    try {
      const stdin = await stdio(request.stdin, files);
      const stdout = await stdio(request.stdout, files);
      const stderr = await stdio(request.stderr, files);
      if (!stdin || !stdout || !stderr) {
        closeAll(files);
        return { process: undefined };
      }
      const own = `${mark}.${call}.${nextMark++}.`;
      const command = wrapped
        ? await wrapped.wrap(
          wrapped.left ? { ...request, env: { ...request.env, [MARK]: own } } : request,
          policy,
        )
        : unconfinedCommand(request, program, search.tether);
      // Counted before it starts: from now on paths are compared after opening.
      Atomics.add(cells, CELLS.programs, 1);
      Atomics.add(cells, CELLS.started, 1);
      if (!wrapped || wrapped.left) strays = true;
      lookout.during();
      let started: HostProcess;
      try {
        await untilIdle(call);
        started = await host.spawn({
          program: command.program,
          argv: command.argv,
          cwd: command.cwd,
          env: wrapped ? command.env : { ...command.env, [MARK]: own },
          stdin,
          stdout,
          stderr,
          umask: request.umask,
          keepUnread: request.keepUnread,
        });
      } catch (error) {
        Atomics.sub(cells, CELLS.programs, 1);
        throw error;
      }
      const inner = wrapped?.group && watchInner(started, wrapped, command.argv, () => closing);
      const left = wrapped?.left && (() => wrapped.left!(own));
      const answer = register(call, started, files, wrapped?.group, stdin.kind === "pipe", inner, left);
      if (closing || over.has(call)) {
        await end([...programs.values()].filter((one) => one.process === started));
      }
      return answer;
    } catch (error) {
      closeAll(files);
      throw error;
    }
  }

  /**
   * The worker, which knows of the program by now, ends what it is at with its
   * own hands; whatever it does from then on, it leaves to this isolate.
   */
  async function untilIdle(call: number): Promise<void> {
    while (Atomics.load(cells, CELLS.busy) !== 0) {
      if (closing || over.has(call)) throw new HostError("EPERM");
      await pause(1);
    }
  }

  /** Files held open where programs run that could swap what leads to them. */
  async function filesNow(): Promise<HostFs> {
    const others = Atomics.load(cells, CELLS.programs) > 0;
    return (others ? (await options.files?.())?.anywhere : undefined) ?? host.fs;
  }

  /** A wrapper would say in its own words what the system says without it. */
  async function mustRun(given: string, program: string): Promise<void> {
    const fs = await filesNow();
    if (fs.stat(program).kind === "dir") throw new HostError("EACCES", given, "Is a directory");
    if (!fs.access(program, "x")) throw new HostError("EACCES", given);
  }

  /** Without a wrapper nothing stands for /tmp: names below it are put as what they mean. */
  function unconfinedCommand(
    request: WireSpawn,
    program: string,
    tether: WrapperSearch["tether"],
  ): Pick<WireSpawn, "program" | "argv" | "cwd" | "env"> {
    const cwd = guard.resolve(request.cwd, true);
    const command = {
      program: exists(request.program) ? request.program : program,
      argv: request.argv,
      cwd: exists(request.cwd) ? request.cwd : cwd,
      env: policy.mode === "off" ? request.env : unwrappedEnvironment(request.program, request.env),
    };
    return tether?.(command) ?? command;
  }

  function exists(path: string): boolean {
    try {
      host.fs.stat(path);
      return true;
    } catch {
      return false;
    }
  }

  async function stdio(
    wire: WireSpawn["stdin"],
    files: Map<number, HostFile>,
  ): Promise<SpawnStdio | undefined> {
    if (wire.kind !== "file") return wire;
    const known = files.get(wire.file.key);
    const file = known ?? await reopen(wire.file);
    if (!file) return undefined;
    files.set(wire.file.key, file);
    return { kind: "file", file };
  }

  /** Opens the worker's file once more; undefined where something else stands there by now. */
  async function reopen(wire: WireFile): Promise<HostFile | undefined> {
    const ways = { read: wire.read, write: wire.write, append: wire.append };
    try {
      const held = await options.files?.();
      if (wire.held !== undefined) {
        const file = held?.again(wire.held, ways);
        if (!wire.append) file?.seek(wire.position, "start");
        return file;
      }
      const fs = held?.fs ?? host.fs;
      if (fs.realPath(wire.path) !== wire.path) return undefined;
      const there = fs.lstat(wire.path);
      if (there.dev !== wire.dev || there.ino !== wire.ino || there.kind !== "file") return undefined;
      const file = await fs.open(wire.path, ways);
      const got = file.stat();
      if (got.dev !== wire.dev || got.ino !== wire.ino) {
        file.close();
        return undefined;
      }
      if (!wire.append) file.seek(wire.position, "start");
      return file;
    } catch (error) {
      if (error instanceof HostError) return undefined;
      throw error;
    }
  }

  function register(
    call: number,
    started: HostProcess,
    files: Map<number, HostFile>,
    groupOf: ((pid: number) => number | undefined) | undefined,
    takesInput: boolean,
    inner: (() => Promise<void>) | undefined,
    left: (() => number[]) | undefined,
  ): Answers["spawn"] {
    const id = next++;
    const program: Program = {
      id,
      call,
      process: started,
      group: () => groupOf?.(started.pid),
      shared: left !== undefined,
      flows: {},
      ended: false,
      gone: started.ended.then(async (end) => {
        program.ended = true;
        const uncount = () => {
          Atomics.add(cells, CELLS.started, 1);
          Atomics.sub(cells, CELLS.programs, 1);
        };
        await lookout.look();
        if (!inner) uncount();
        else {
          const rest = inner().then(uncount).then(lookout.look).finally(() => lingering.delete(rest));
          lingering.add(rest);
        }
        const positions = [...files].map(([key, file]) => [key, position(file)] as const);
        closeAll(files);
        options.post({ type: "ended", process: id, end, positions });
        await drain(program);
        killGroup(program, "SIGKILL");
        for (const pid of left?.() ?? []) kill(pid);
        if (!kept.has(id)) started.stdin?.close();
        programs.delete(id);
      }),
    };
    programs.set(id, program);
    // The worker learns the number by the reply, before any chunk.
    queueMicrotask(() => {
      if (started.stdout) program.flows[1] = flow(program, 1, started.stdout);
      if (started.stderr) program.flows[2] = flow(program, 2, started.stderr);
    });
    if (started.unread) kept.set(id, { call, process: started });
    const input = started.unread ? "kept" : takesInput && !started.stdin ? "none" : undefined;
    return { process: id, pid: started.pid, input };
  }

  async function leftOver(id: number): Promise<Uint8Array> {
    try {
      return await kept.get(id)?.process.unread?.() ?? new Uint8Array(0);
    } finally {
      kept.delete(id);
    }
  }

  /** Nobody asks any more what the programs of a call have left. */
  async function dropKept(call?: number): Promise<void> {
    const dropped = [...kept].filter(([, one]) => call === undefined || one.call === call);
    await Promise.all(dropped.map(([id, { process }]) => {
      process.stdin?.close();
      return leftOver(id);
    }));
  }

  function inputOf(id: number) {
    return (programs.get(id) ?? kept.get(id))?.process.stdin;
  }

  function flow(program: Program, fd: 1 | 2, source: ByteSource): Flow {
    const made: Flow = {
      source,
      credits: WINDOW,
      closed: false,
      reading: false,
      reads: 0,
      done: Promise.resolve(),
    };
    made.done = carry(program, fd, made);
    return made;
  }

  async function carry(program: Program, fd: 1 | 2, flow: Flow): Promise<void> {
    let rest = PIPE_REST;
    while (!flow.closed) {
      if (flow.credits === 0) {
        await new Promise<void>((resolve) => flow.wake = resolve);
        continue;
      }
      const buffer = new Uint8Array(CHUNK);
      flow.reading = true;
      flow.reads++;
      const length = await read(flow, buffer);
      flow.reading = false;
      if (length === 0 || flow.closed) break;
      const bytes = length > CHUNK / 2 ? buffer.subarray(0, length) : buffer.slice(0, length);
      flow.credits--;
      options.post({ type: "chunk", process: program.id, fd, bytes }, [bytes.buffer]);
      if (program.ended && (rest -= length) <= 0) break;
    }
    if (!flow.closed) {
      flow.closed = true;
      flow.source.close();
      options.post({ type: "chunk", process: program.id, fd });
    }
  }

  /** Waits for what was printed before the end; a pipe on which nothing comes any more is closed. */
  async function drain(program: Program): Promise<void> {
    await Promise.all(([1, 2] as const).map(async (fd) => {
      const flow = program.flows[fd];
      while (flow && !flow.closed) {
        const reads = flow.reads;
        let timer: ReturnType<typeof setTimeout> | undefined;
        const silence = new Promise<void>((resolve) => timer = setTimeout(resolve, PIPE_GRACE));
        await Promise.race([flow.done, silence]);
        clearTimeout(timer);
        // A reader that is slow is not silence: only a read that waits is.
        if (flow.reading && flow.reads === reads) closeFlow(program, fd);
      }
      await flow?.done;
    }));
  }

  function killGroup(program: Program, signal: string): void {
    const group = program.ended ? undefined : program.group();
    if (group !== undefined && (signal !== "SIGKILL" || program.shared) && host.kill) {
      try {
        host.kill(-group, signal);
        if (signal !== "SIGKILL") return;
      } catch (error) {
        // Gone in the meantime, or not there yet: then the outer group it is.
        if (!(error instanceof HostError)) throw error;
      }
    }
    try {
      program.process.kill(signal);
    } catch (error) {
      // Nobody is left in the group.
      if (!(error instanceof HostError)) throw error;
    }
  }

  async function end(targets: readonly Program[]): Promise<void> {
    if (targets.length === 0) return;
    for (const program of targets) {
      for (const fd of [1, 2] as const) closeFlow(program, fd);
      killGroup(program, "SIGTERM");
      // A stopped process takes no SIGTERM before it goes on.
      killGroup(program, "SIGCONT");
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, TERM_GRACE));
    await Promise.race([Promise.all(targets.map((program) => program.gone)), late]);
    clearTimeout(timer);
    for (const program of targets) if (!program.ended) killGroup(program, "SIGKILL");
    await Promise.all(targets.map((program) => program.gone));
  }

  /** Kills what has left its group. */
  function endStrays(marked: string): void {
    if (!strays || !host.kill) return;
    for (const pid of findMarked(marked)) kill(pid);
  }

  function kill(pid: number): void {
    try {
      host.kill?.(pid, "SIGKILL");
    } catch (error) {
      // Gone in the meantime.
      if (!(error instanceof HostError)) throw error;
    }
  }

  function closeFlow(program: Program, fd: 1 | 2): void {
    const flow = program.flows[fd];
    if (!flow || flow.closed) return;
    flow.closed = true;
    flow.source.close();
    flow.wake?.();
    options.post({ type: "chunk", process: program.id, fd });
  }

  return {
    spawn,
    async feed(id, bytes) {
      const sink = inputOf(id);
      if (!sink) throw new HostError("EPIPE");
      await sink.write(bytes);
    },
    unfed: (id) => inputOf(id)?.close(),
    leftOver,
    more(id, fd) {
      const flow = programs.get(id)?.flows[fd];
      if (!flow) return;
      flow.credits++;
      flow.wake?.();
    },
    unread(id, fd) {
      const flow = programs.get(id)?.flows[fd];
      if (!flow || flow.closed) return;
      flow.closed = true;
      flow.source.close();
      flow.wake?.();
    },
    signal(id, signal) {
      const program = programs.get(id);
      if (program && !program.ended) killGroup(program, signal);
    },
    async endCall(call) {
      over.add(call);
      await end([...programs.values()].filter((program) => program.call === call));
      await dropKept(call);
      endStrays(`${mark}.${call}.`);
      await lookout.look();
    },
    async close() {
      closing = true;
      await end([...programs.values()]);
      await Promise.all(lingering);
      await dropKept();
      endStrays(mark);
      await lookout.look();
      lookout.close();
    },
    look() {
      if (strays) void lookout.look();
    },
    killAll() {
      closing = true;
      for (const program of programs.values()) killGroup(program, "SIGKILL");
    },
    get running() {
      return programs.size;
    },
  };
}

/** Bytes; 0 at the end, and where the pipe is broken. */
async function read(flow: Flow, buffer: Uint8Array): Promise<number> {
  try {
    return await flow.source.read(buffer);
  } catch (error) {
    if (error instanceof HostError) return 0;
    throw error;
  }
}

function position(file: HostFile): number {
  try {
    return file.seek(0, "current");
  } catch {
    return 0;
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Follows the first process inside a wrapper. The answer, to be called when
 * the wrapper has ended, resolves when nothing in there runs any more: what
 * was left in the background ends a moment after the wrapper, or, where the
 * programs of a session share their processes, much later.
 */
function watchInner(
  process: HostProcess,
  wrapper: Pick<Wrapper, "group" | "alone">,
  argv: readonly string[],
  closing: () => boolean,
): () => Promise<void> {
  let over = false;
  let inner: number | undefined;
  const look = async () => {
    while (!over && (inner = wrapper.group?.(process.pid)) === undefined) await pause(1);
  };
  const shares = wrapper.alone?.() !== undefined;
  if (!shares) void look();
  return async () => {
    over = true;
    if (shares) return await untilAlone(wrapper, closing);
    const first = inner === undefined ? findInner(argv) : [inner];
    for (const pid of first) while (!isGone(pid)) await pause(1);
  };
}

/** One look for all that wait: a server may run for hours, and many programs end meanwhile. */
const lookingForAlone = new WeakMap<object, Promise<void>>();

function untilAlone(wrapper: Pick<Wrapper, "alone">, closing: () => boolean): Promise<void> {
  const known = lookingForAlone.get(wrapper);
  if (known) return known;
  // The last look and the removal are one step: who joins before it is looked for, too.
  const made = Promise.resolve().then(async () => {
    for (let ms = 1; !closing() && wrapper.alone?.() === false; ms = Math.min(2 * ms, 50)) await pause(ms);
    lookingForAlone.delete(wrapper);
  });
  lookingForAlone.set(wrapper, made);
  return made;
}

function closeAll(files: Map<number, HostFile>): void {
  for (const file of files.values()) file.close();
  files.clear();
}
