/**
 * The worker's side of the protocol: asks questions and waits for replies,
 * and makes of a program that the main isolate runs a HostProcess like any
 * other, with pipes that hold back whoever writes too fast.
 */
import {
  type ByteSink,
  type ByteSource,
  HostError,
  type HostFile,
  type HostProcess,
  type Later,
  type ProcessEnd,
  type SpawnRequest,
  type SpawnStdio,
} from "../../shell/host.ts";
import type { OpenedFile } from "../host_guarded.ts";
import type { Action } from "../policy.ts";
import {
  type Answers,
  CELLS,
  CHUNK,
  type Question,
  type ReplyMessage,
  type ToMain,
  type ToWorker,
  whyNot,
  type WireFile,
  type WireStdio,
} from "./messages.ts";

/** The worker's side of the protocol. */
export interface Remote {
  /** Asks the main isolate. Rejects with HostError. */
  ask<K extends Question["ask"]>(
    call: number,
    question: Extract<Question, { ask: K }>,
    transfer?: Transferable[],
  ): Promise<Answers[K]>;
  /** Asks whether an action is allowed, and stands still until it is answered: undefined where it is, else why not. */
  askStill(call: number, action: Action, reason: string): string | undefined;
  /** Has what stands at a path kept before it is changed; stands still until it is. */
  keepStill(call: number, path: string, tree: boolean): void;
  /** Starts a program; `opened` knows the files that can be handed over. */
  spawn(
    call: number,
    request: SpawnRequest,
    opened: (file: HostFile) => OpenedFile | undefined,
  ): Promise<HostProcess>;
  /** Takes what concerns questions and programs; false for other messages. */
  receive(message: ToWorker): boolean;
}

interface Inlet {
  push(bytes: Uint8Array | undefined): void;
}

interface Open {
  readonly inlets: Partial<Record<1 | 2, Inlet>>;
  end(end: ProcessEnd, positions: readonly (readonly [number, number])[]): void;
  ended: boolean;
}

/** `post` sends to the main isolate; what comes from it has to be handed in. */
export function createRemote(
  post: (message: ToMain, transfer?: Transferable[]) => void,
  cells: Int32Array,
): Remote {
  const questions = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const programs = new Map<number, Open>();
  /** What came for a program before the reply that names it was worked off. */
  const early: Extract<ToWorker, { type: "chunk" | "ended" }>[] = [];
  let newest = 0;
  const keys = new WeakMap<HostFile, number>();
  let nextQuestion = 1;
  let nextKey = 1;

  function ask<K extends Question["ask"]>(
    call: number,
    question: Extract<Question, { ask: K }>,
    transfer: Transferable[] = [],
  ): Promise<Answers[K]> {
    const id = nextQuestion++;
    return new Promise<Answers[K]>((resolve, reject) => {
      questions.set(id, { resolve: resolve as (value: unknown) => void, reject });
      post({ type: "question", id, call, question: question as Question }, transfer);
    });
  }

  function askStill(call: number, action: Action, reason: string): string | undefined {
    return standStill(call, { ask: "permit", action }) ? undefined : whyNot(cells) || reason;
  }

  function standStill(call: number, question: Question): boolean {
    Atomics.store(cells, CELLS.answer, 0);
    post({ type: "question", id: nextQuestion++, call, question, still: true });
    Atomics.wait(cells, CELLS.answer, 0);
    return Atomics.load(cells, CELLS.answer) === 1;
  }

  async function spawn(
    call: number,
    request: SpawnRequest,
    opened: (file: HostFile) => OpenedFile | undefined,
  ): Promise<HostProcess> {
    const files = new Map<number, HostFile>();
    const wire = {
      program: request.program,
      argv: request.argv,
      cwd: request.cwd,
      env: request.env,
      umask: request.umask,
      keepUnread: request.keepUnread,
      stdin: toWire(request.stdin, files, opened),
      stdout: toWire(request.stdout, files, opened),
      stderr: toWire(request.stderr, files, opened),
    };
    let answer = await ask(call, { ask: "spawn", spawn: wire });
    if (answer.process === undefined) {
      files.clear();
      answer = await ask(call, {
        ask: "spawn",
        spawn: {
          ...wire,
          stdin: asPipe(wire.stdin),
          stdout: asPipe(wire.stdout),
          stderr: asPipe(wire.stderr),
        },
      });
      if (answer.process === undefined) throw new HostError("EIO", request.program);
      wire.stdin = asPipe(wire.stdin);
      wire.stdout = asPipe(wire.stdout);
      wire.stderr = asPipe(wire.stderr);
    }
    return follow(call, answer, request, wire, files);
  }

  function follow(
    call: number,
    { process: id, pid, input }: Extract<Answers["spawn"], { pid: number }>,
    request: SpawnRequest,
    wire: { readonly stdin: WireStdio; readonly stdout: WireStdio; readonly stderr: WireStdio },
    files: Map<number, HostFile>,
  ): HostProcess {
    const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
    const open: Open = {
      inlets: {},
      end(end, positions) {
        for (const [key, position] of positions) files.get(key)?.seek(position, "start");
        resolve(end);
        open.ended = true;
        forget(id, open);
      },
      ended: false,
    };
    programs.set(id, open);
    let unread: Promise<Uint8Array> | undefined;
    const stdin = wire.stdin.kind === "pipe" && input !== "none" ? feeder(id) : undefined;
    const stdout = wire.stdout.kind === "pipe" ? outlet(id, 1, open) : undefined;
    const stderr = wire.stderr.kind === "pipe" ? outlet(id, 2, open) : undefined;
    newest = Math.max(newest, id);
    for (const message of early.splice(0)) deliver(message);
    const pumps: Promise<void>[] = [];
    if (stdin && request.stdin.kind === "file") void pump(request.stdin.file, stdin);
    if (stdout && request.stdout.kind === "file") pumps.push(pump(stdout, request.stdout.file));
    if (stderr && request.stderr.kind === "file") pumps.push(pump(stderr, request.stderr.file));
    return {
      pid,
      ...(stdin && request.stdin.kind === "pipe" ? { stdin } : {}),
      ...(stdout && request.stdout.kind === "pipe" ? { stdout } : {}),
      ...(stderr && request.stderr.kind === "pipe" ? { stderr } : {}),
      ...(input === "kept" && request.stdin.kind === "pipe"
        ? { unread: () => unread ??= ask(call, { ask: "unread", process: id }) }
        : {}),
      ended: pumps.length === 0 ? promise : Promise.all(pumps).then(() => promise),
      kill: (signal) => post({ type: "kill", process: id, signal }),
    };
  }

  /** Once its end and the ends of its pipes were told, nothing more can come. */
  function forget(id: number, open: Open): void {
    if (open.ended && !open.inlets[1] && !open.inlets[2]) programs.delete(id);
  }

  function toWire(
    stdio: SpawnStdio,
    files: Map<number, HostFile>,
    opened: (file: HostFile) => OpenedFile | undefined,
  ): WireStdio {
    if (stdio.kind !== "file") return stdio;
    const known = opened(stdio.file);
    if (known?.path === "/dev/null") return { kind: "null" };
    if (!known || known.path.startsWith("/dev/")) return { kind: "pipe" };
    const key = keys.get(stdio.file) ?? nextKey++;
    keys.set(stdio.file, key);
    const { dev, ino } = stdio.file.stat();
    const append = known.options.append === true;
    const write = append || known.options.write === true;
    const file: WireFile = {
      key,
      path: known.path,
      dev,
      ino,
      read: known.options.read === true || !write,
      write,
      append,
      held: known.held,
      position: append ? 0 : stdio.file.seek(0, "current"),
    };
    if (!append) files.set(key, stdio.file);
    return { kind: "file", file };
  }

  function feeder(id: number): ByteSink {
    let closed = false;
    return {
      async write(bytes) {
        for (let at = 0; at < bytes.length; at += CHUNK) {
          const part = bytes.slice(at, at + CHUNK);
          await ask(0, { ask: "feed", process: id, bytes: part }, [part.buffer]);
        }
      },
      close() {
        if (closed) return;
        closed = true;
        post({ type: "unfed", process: id });
      },
    };
  }

  function outlet(id: number, fd: 1 | 2, open: Open): ByteSource {
    const queue: Uint8Array[] = [];
    let at = 0;
    let over = false;
    let wake: (() => void) | undefined;
    open.inlets[fd] = {
      push(bytes) {
        if (bytes) queue.push(bytes);
        else finish();
        wake?.();
        wake = undefined;
      },
    };
    const finish = () => {
      over = true;
      delete open.inlets[fd];
      forget(id, open);
    };
    const take = (into: Uint8Array): number => {
      const chunk = queue[0];
      const length = Math.min(into.length, chunk.length - at);
      into.set(chunk.subarray(at, at + length));
      at += length;
      if (at === chunk.length) {
        queue.shift();
        at = 0;
        if (!over) post({ type: "more", process: id, fd });
      }
      return length;
    };
    return {
      read(into): Later<number> {
        if (queue.length > 0) return take(into);
        if (over) return 0;
        return new Promise<void>((resolve) => wake = resolve).then(() => queue.length > 0 ? take(into) : 0);
      },
      close() {
        queue.length = 0;
        if (!over) post({ type: "unread", process: id, fd });
        over = true;
        wake?.();
      },
    };
  }

  function reply(message: ReplyMessage): void {
    const open = questions.get(message.id);
    questions.delete(message.id);
    if (!open) return;
    const { error } = message;
    if (error) open.reject(new HostError(error.code, error.path, error.message));
    else open.resolve(message.value);
  }

  function deliver(message: Extract<ToWorker, { type: "chunk" | "ended" }>): void {
    const open = programs.get(message.process);
    if (!open) {
      if (message.process > newest) early.push(message);
    } else if (message.type === "chunk") {
      open.inlets[message.fd]?.push(message.bytes);
    } else {
      open.end(message.end, message.positions);
    }
  }

  return {
    ask,
    askStill,
    keepStill: (call, path, tree) => void standStill(call, { ask: "keep", path, tree }),
    spawn,
    receive(message) {
      switch (message.type) {
        case "reply":
          reply(message);
          return true;
        case "chunk":
        case "ended":
          deliver(message);
          return true;
        default:
          return false;
      }
    },
  };
}

function asPipe(stdio: WireStdio): WireStdio {
  return stdio.kind === "file" ? { kind: "pipe" } : stdio;
}

/** Carries everything from one to the other; ends quietly when nobody reads any more. */
async function pump(
  from: Pick<ByteSource, "read" | "close">,
  to: Pick<ByteSink, "write" | "close">,
): Promise<void> {
  const buffer = new Uint8Array(CHUNK);
  const isFeeder = !("seek" in to);
  try {
    for (;;) {
      const length = await from.read(buffer);
      if (length === 0) break;
      await to.write(buffer.subarray(0, length));
    }
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    if (!isFeeder) from.close();
  } finally {
    // A file stays open: it belongs to whoever handed it over.
    if (isFeeder) to.close();
  }
}
