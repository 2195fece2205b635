/**
 * The main isolate's side of the sheath: starts the worker at the first need,
 * sends calls, streams their output, carries cancels. Results pass through
 * untouched. What the worker asks for is answered in questions.ts.
 *
 * Each call ends exactly once. A worker that does not answer a cancel within
 * two seconds is abandoned (a busy isolate cannot be stopped from outside) and
 * replaced at the next call, unless too many are; one that crashed likewise. One that nobody needs
 * for a while is let go, where all that it holds is data: the next goes on.
 */
import { describe } from "../../lib/errors.ts";
import { HostError, type ShellHost } from "../../shell/host.ts";
import { commandEnvironment } from "../environment.ts";
import { createConfinement, removeTemp } from "../os/mod.ts";
import { isOffline } from "../policy.ts";
import { createAbandoned } from "./abandoned.ts";
import { appearedText } from "./appeared.ts";
import type { ArtifactWriter } from "./artifacts.ts";
import { type Broker, createBroker } from "./broker.ts";
import { Deadline } from "./deadline.ts";
import { createDescriptions } from "./describe.ts";
import { machineFacts } from "./facts.ts";
import type { FileServer } from "./file_server.ts";
import { ANSWER_BYTES } from "./file_wire.ts";
import {
  CELLS,
  CELLS_BYTES,
  type SheathLimits,
  STATE,
  type ToMain,
  type ToWorker,
  type WireError,
} from "./messages.ts";
import { lookupFolders, workerPermissions } from "./permissions.ts";
import { createQuestions } from "./questions.ts";
import type { Sheath, SheathCall, SheathOptions } from "./sheath.ts";

/** Milliseconds within which a worker has to answer a cancel. */
const ABANDON_AFTER = 2000;

/** Milliseconds without a call after which a worker is let go: its memory is worth more than its start. */
const IDLE_AFTER = 60_000;

/** Milliseconds that calls get to put their results when the sheath is closed. */
const CLOSE_GRACE = 250;

const DEFAULT_LIMITS: SheathLimits = {
  outputBytes: 32 * 1024,
  bashTimeoutMs: 120_000,
  artifactBytes: 64 * 1024 * 1024,
};

interface OpenCall<Result> {
  readonly number: number;
  readonly cell: number;
  readonly call: SheathCall;
  readonly settle: (result: Result) => void;
  readonly done: Promise<Result>;
  /** Aborts when the call has ended: questions that are still open are withdrawn. */
  readonly over: Over;
  readonly deadline: Deadline;
  abandon?: ReturnType<typeof setTimeout>;
  cancelled: boolean;
  /** Resolves when the programs of a cancelled call are gone: its result waits for that. */
  ending?: Promise<void>;
}

/** The reason of every call's end: each new exception takes a picture of the stack. */
const OVER = new DOMException("The call is over", "AbortError");

/** A signal that is made where somebody asks for it: few calls ask anything. */
class Over {
  #controller: AbortController | undefined;
  #ended = false;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#ended) this.#controller.abort(OVER);
    return this.#controller.signal;
  }

  end(): void {
    this.#ended = true;
    this.#controller?.abort(OVER);
  }
}

interface Running<Result> {
  readonly worker: Worker;
  readonly cells: Int32Array;
  readonly broker: Broker;
  readonly calls: Map<number, OpenCall<Result>>;
  readonly artifacts: Map<number, ArtifactWriter>;
  /** Does the worker's work on files while programs run. Loaded by the first need. */
  readonly files?: () => Promise<FileServer>;
  readonly loadedFiles: () => Promise<FileServer> | undefined;
  /** Why it is of no use any more. */
  dead?: string;
  /** Until it is let go; it goes on while calls come, and looks at `restingSince`. */
  idle?: ReturnType<typeof setTimeout>;
  /** When the last call ended, by `performance.now`. */
  restingSince: number;
  /** The number of the next call when it was asked whether it can be. */
  asked?: number;
}

/**
 * Opens a sheath. Nothing is started before `warm` or `run`. `host`: what the
 * main isolate itself may do. `abandonAfter`: milliseconds that a worker gets
 * to answer a cancel; `idleAfter`: that it stays without a call.
 */
export function createSheath<Result>(
  options: SheathOptions<Result>,
  host: () => Promise<ShellHost>,
  abandonAfter = ABANDON_AFTER,
  idleAfter = IDLE_AFTER,
): Sheath<Result> {
  const { policy } = options;
  const limits: SheathLimits = { ...DEFAULT_LIMITS, ...options.limits };
  let running: Promise<Running<Result>> | undefined;
  let current: Running<Result> | undefined;
  let next = 1;
  let closed = false;
  /** What the last worker held when it was let go; the next starts with it. */
  let memory: unknown;
  /** Of workers that were let go: what their programs have left behind goes with the sheath. */
  const brokers: Broker[] = [];
  /** Made once: a worker that takes over sees what the one before saw. */
  let environment: Readonly<Record<string, string>> | undefined;
  const closing = new AbortController();
  const abandoned = createAbandoned();
  const confinement = createConfinement(policy);
  const descriptions = createDescriptions(policy, confinement);
  const questions = createQuestions(options, host, closing.signal);

  async function environmentOf(source: Readonly<Record<string, string>>) {
    const plain = commandEnvironment({
      names: options.env,
      source,
      secretNames: options.secretNames,
      tempDir: policy.tempDir,
      confined: policy.mode !== "off",
      offline: isOffline(policy),
    });
    return { ...plain, ...await options.devShell?.(plain) };
  }

  async function start(): Promise<Running<Result>> {
    const refusal = abandoned.refusal();
    if (refusal !== undefined) throw new Error(refusal);
    const realHost = await host();
    const source = options.environment ?? Deno.env.toObject();
    const env = environment ??= await environmentOf(source);
    const folders = policy.mode === "off" ? [] : lookupFolders(policy, env.PATH);
    const buffer = new SharedArrayBuffer(CELLS_BYTES);
    const cells = new Int32Array(buffer);
    const worker = new Worker(options.workerUrl, {
      type: "module",
      name: "sheath",
      deno: { permissions: workerPermissions(policy, folders) },
    } as WorkerOptions);
    const post = (message: ToWorker, transfer: Transferable[] = []) => {
      if (message.type === "ended") options.keeper?.programEnded();
      worker.postMessage(message, transfer);
    };
    const calls = new Map<number, OpenCall<Result>>();
    const answers = policy.mode !== "off" && Deno.build.os === "linux"
      ? new SharedArrayBuffer(ANSWER_BYTES)
      : undefined;
    let fileServer: Promise<FileServer> | undefined;
    const files = answers &&
      (() =>
        fileServer ??= import("./file_server.ts").then(({ createFileServer }) =>
          createFileServer({ policy, programFolders: folders, fs: realHost.fs, answers })
        ));
    const broker = createBroker({
      policy,
      host: realHost,
      env,
      cells,
      async wrapper() {
        const search = await confinement.wrapper();
        const remark = descriptions.untold(search.remark);
        if (remark !== undefined) options.notice?.("warning", remark);
        return search;
      },
      files,
      async permit(call, action) {
        const refusal = await questions.permit(calls.get(call), action);
        if (refusal !== undefined) throw new HostError("EDENIED", undefined, `Not allowed: ${refusal}`);
      },
      post,
      appeared: (places) => options.notice?.("warning", appearedText(places)),
    });
    const made: Running<Result> = {
      worker,
      cells,
      broker,
      calls,
      artifacts: new Map(),
      files,
      loadedFiles: () => fileServer,
      restingSince: performance.now(),
    };
    worker.onmessage = (event: MessageEvent<ToMain>) => receive(made, event.data, post);
    worker.onerror = (event) => {
      event.preventDefault();
      drop(made, `The sandbox's worker crashed: ${event.message}`);
    };
    post({
      type: "init",
      policy,
      cwd: options.cwd ?? policy.workspace,
      env,
      facts: machineFacts(source),
      limits,
      cells: buffer,
      answers,
      artifacts: options.artifacts !== undefined,
      keeps: options.keeper !== undefined,
      ...(options.trusted === undefined ? {} : { trusted: options.trusted }),
      programFolders: folders,
      ...(memory === undefined ? {} : { memory }),
    });
    current = made;
    return made;
  }

  function warm(): Promise<Running<Result>> {
    running ??= start();
    return running;
  }

  /** Whether nothing goes on in it, in the background neither. */
  function isIdle(on: Running<Result>): boolean {
    return current === on && on.calls.size === 0 && on.artifacts.size === 0 && on.broker.running === 0 &&
      Atomics.load(on.cells, CELLS.programs) === 0;
  }

  /** From now on it has nothing to do. */
  function rest(on: Running<Result>): void {
    on.restingSince = performance.now();
    if (on.idle === undefined) wait(on, idleAfter);
  }

  /** Lets a worker go that has had nothing to do for long enough by then. */
  function wait(on: Running<Result>, ms: number): void {
    on.idle = undefined;
    if (closed || current !== on || on.calls.size > 0) return;
    on.idle = setTimeout(() => {
      const left = on.restingSince + idleAfter - performance.now();
      if (left > 0 || !isIdle(on)) return wait(on, left > 0 ? left : idleAfter);
      on.idle = undefined;
      on.asked = next;
      on.worker.postMessage({ type: "rest" } satisfies ToWorker);
    }, ms);
    // No reason for the program to stay.
    Deno.unrefTimer(on.idle);
  }

  /** It has told all that it holds: unless somebody needs it by now, it goes. */
  function letGo(on: Running<Result>, held: unknown): void {
    if (held === undefined || closed || on.asked !== next || !isIdle(on)) return;
    memory = held;
    brokers.push(on.broker);
    current = undefined;
    running = undefined;
    on.worker.terminate();
    void closeFiles(on);
  }

  /** Ends all calls of a worker that is of no use any more; the next call starts another. `deaf`: it cannot be ended. */
  function drop(dead: Running<Result>, text: string, deaf = false): void {
    if (current !== dead) return;
    current = undefined;
    running = undefined;
    memory = undefined;
    dead.dead = text;
    clearTimeout(dead.idle);
    for (const open of [...dead.calls.values()]) settle(dead, open, options.failure(text));
    if (deaf) abandoned.add(dead.worker, dead.cells);
    else dead.worker.terminate();
    void dead.broker.close();
    void closeArtifacts(dead);
    void closeFiles(dead);
    if (!closed) options.notice?.("warning", `${text}. It was replaced; what the shell remembered is gone.`);
  }

  function settle(on: Running<Result>, open: OpenCall<Result>, result: Result): void {
    if (!on.calls.delete(open.number)) return;
    open.deadline.end();
    clearTimeout(open.abandon);
    Atomics.store(on.cells, open.cell, STATE.running);
    open.over.end();
    open.settle(result);
    rest(on);
  }

  function stop(on: Running<Result>, open: OpenCall<Result>, reason: "cancelled" | "timeout"): void {
    if (open.cancelled && reason === "timeout") return;
    open.cancelled = true;
    Atomics.store(on.cells, open.cell, STATE[reason]);
    Atomics.notify(on.cells, open.cell);
    // If it stands still for an answer, the answer is no.
    open.over.end();
    on.worker.postMessage({ type: "cancel", call: open.number, reason } satisfies ToWorker);
    open.ending = on.broker.endCall(open.number);
    open.abandon ??= setTimeout(
      () => drop(on, "The sandbox's worker did not answer a cancel and was abandoned", true),
      abandonAfter,
    );
  }

  /** Lets a call begin, where it was not ended before, once it may. */
  function hold(on: Running<Result>, open: OpenCall<Result>, begin: Promise<void>): void {
    Atomics.store(on.cells, open.cell, STATE.held);
    begin.then(() => {
      if (!on.calls.has(open.number)) return;
      Atomics.compareExchange(on.cells, open.cell, STATE.held, STATE.running);
      Atomics.notify(on.cells, open.cell);
    }, () => {
      if (on.calls.has(open.number)) stop(on, open, "cancelled");
    });
  }

  async function run(name: string, args: unknown, call: SheathCall): Promise<Result> {
    if (closed) return options.failure("The sandbox is closed");
    if (call.signal.aborted) return options.failure("Cancelled before it started");
    let on: Running<Result>;
    try {
      on = await warm();
    } catch (error) {
      running = undefined;
      return options.failure(`The sandbox's worker cannot be started: ${describe(error)}`);
    }
    if (on.dead !== undefined) return options.failure(on.dead);
    if (call.signal.aborted) return options.failure("Cancelled before it started");
    const number = next++;
    const cell = freeCell(on);
    if (cell === undefined) return options.failure("Too many calls run at once");
    const { promise, resolve } = Promise.withResolvers<Result>();
    const open: OpenCall<Result> = {
      number,
      cell,
      call,
      settle: resolve,
      done: promise,
      over: new Over(),
      deadline: new Deadline(() => stop(on, open, "timeout")),
      cancelled: false,
    };
    on.calls.set(number, open);
    on.broker.look();
    const cancel = () => stop(on, open, "cancelled");
    call.signal.addEventListener("abort", cancel, { once: true });
    if (call.begin !== undefined) hold(on, open, call.begin);
    try {
      on.worker.postMessage(
        {
          type: "call",
          call: number,
          cell,
          callId: call.callId,
          session: call.session ?? "",
          name,
          args,
        } satisfies ToWorker,
      );
    } catch (error) {
      settle(on, open, options.failure(`The arguments cannot be sent: ${describe(error)}`));
    }
    const result = await promise;
    call.signal.removeEventListener("abort", cancel);
    return result;
  }

  function receive(on: Running<Result>, message: ToMain, post: (message: ToWorker) => void): void {
    switch (message.type) {
      case "ready":
        return rest(on);
      case "resting":
        return letGo(on, message.memory);
      case "result":
      case "broken": {
        const open = on.calls.get(message.call);
        if (!open) return;
        if (message.output !== undefined) open.call.output(message.output);
        const result = message.type === "result" ? message.result as Result : options.failure(message.text);
        if (!open.ending) return settle(on, open, result);
        clearTimeout(open.abandon);
        return void open.ending.then(() => settle(on, open, result));
      }
      case "output":
        on.calls.get(message.call)?.call.output(message.text);
        return post({ type: "taken", call: message.call, length: message.text.length });
      case "deadline":
        return on.calls.get(message.call)?.deadline.set(message.ms);
      case "question":
        if (message.still) return void questions.answerStill(on, message.call, message.question);
        return void questions.answer(on, message.call, message.question).then(
          (value) => post({ type: "reply", id: message.id, value }),
          (error) => post({ type: "reply", id: message.id, error: wireError(error) }),
        );
      case "file":
        return void on.files?.().then(
          (server) => server.answer(message.request, message.granted.filter(questions.wasGranted)),
          // The worker would wait for ever.
          (error) => drop(on, `Files cannot be reached while programs run: ${String(error)}`),
        );
      case "more":
        return on.broker.more(message.process, message.fd);
      case "unread":
        return on.broker.unread(message.process, message.fd);
      case "unfed":
        return on.broker.unfed(message.process);
      case "kill":
        return on.broker.signal(message.process, message.signal);
      case "notice":
        return options.notice?.("warning", message.text);
    }
  }

  return {
    run,
    warm: () => {
      if (current) rest(current);
      void warm().catch(() => running = undefined);
    },
    killAll() {
      closed = true;
      for (const broker of brokers) broker.killAll();
      current?.broker.killAll();
      confinement.kill();
      try {
        removeTemp(policy);
      } catch {
        // Something that dies just now still writes there: the system's own cleaning gets it.
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      closing.abort();
      const on = await running?.catch(() => undefined);
      if (on) {
        const open = [...on.calls.values()];
        for (const call of open) stop(on, call, "cancelled");
        await on.broker.close();
        await within(CLOSE_GRACE, Promise.all(open.map((call) => call.done)));
        await closeArtifacts(on);
        await closeFiles(on);
        drop(on, "The sandbox was closed");
      }
      abandoned.close();
      for (const broker of brokers) await broker.close();
      await confinement.close();
      removeTemp(policy);
    },
    warning: descriptions.warning,
    describe: descriptions.describe,
  };
}

/** The first cell that no open call uses. */
function freeCell(on: { readonly calls: Map<number, { readonly cell: number }> }): number | undefined {
  const used = new Set([...on.calls.values()].map((open) => open.cell));
  for (let cell: number = CELLS.firstCall; cell < CELLS.length; cell++) if (!used.has(cell)) return cell;
  return undefined;
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([work, new Promise((resolve) => timer = setTimeout(resolve, ms))]);
  clearTimeout(timer);
}

async function closeFiles(
  on: { readonly loadedFiles: () => Promise<FileServer> | undefined },
): Promise<void> {
  // What cannot be loaded has opened nothing.
  (await on.loadedFiles()?.catch(() => undefined))?.close();
}

async function closeArtifacts(on: { readonly artifacts: Map<number, ArtifactWriter> }): Promise<void> {
  const writers = [...on.artifacts.values()];
  on.artifacts.clear();
  await Promise.allSettled(writers.map((writer) => writer.close()));
}

function wireError(error: unknown): WireError {
  if (error instanceof HostError) return { code: error.code, message: error.message, path: error.path };
  return { code: "EIO", message: describe(error) };
}
