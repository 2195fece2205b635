/**
 * What stands for a process inside the isolate: a number, the signals sent to
 * it, and the waiting it is in. {@link drive} runs a computation to its end;
 * each wait of it can be broken off by a signal.
 */
import type { Run } from "../expand/config.ts";
import type { Later } from "../host.ts";

/** Thrown through a computation to end the process `target`. */
export class Killed extends Error {
  override readonly name = "Killed";
  constructor(readonly target: Process, readonly signal: string) {
    super(signal);
  }
}

export class Process {
  /** Signals that arrived and were not acted on yet. */
  pending: string[] | undefined;
  /** The signal that ends it, once one does. */
  killed: string | undefined;
  /** Set while a computation of this process waits: breaks the wait off with an error. */
  interrupt: ((error: unknown) => void) | undefined;
  /** Has a computation of its own, not one inside its parent's. */
  driven = false;
  /** True while `wait` waits: a trapped signal ends that at once. */
  interruptible = false;
  /** Signals that have a trap (or are ignored) in the shell of this process. */
  trapped: ((signal: string) => boolean) | undefined;
  /** Called when the process is killed, for what it waits for: programs, utilities, the parts of a pipeline. */
  readonly onKill = new Set<(signal: string) => void>();
  /** Started with `&` without job control: SIGINT is nothing to it, unless it sets a trap. */
  ignoresInterrupt = false;
  /** One command and nothing else: a shell that it starts is it, with the signals that it ignores. */
  single = false;
  /** The process of the shell that started this one in the background. */
  shellProcess: Process | undefined;
  /** The shell that a subshell was started for (`bash script &`): signals are meant for it. */
  delegate: Process | undefined;
  #controller: AbortController | undefined;

  constructor(readonly pid: number, readonly parent: Process | undefined) {}

  /** Aborts when the process is killed. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.killed !== undefined) this.#controller.abort(this.killed);
    }
    return this.#controller.signal;
  }

  /** The process in whose computation this one's code runs. */
  get driver(): Process {
    return this.driven || this.parent === undefined ? this : this.parent.driver;
  }

  /** Delivers a signal. */
  send(signal: string): void {
    if (this.killed !== undefined) return;
    if (this.delegate !== undefined) return this.delegate.send(signal);
    if (signal !== "SIGKILL" && signal !== "SIGSTOP" && this.trapped?.(signal)) {
      (this.pending ??= []).push(signal);
      if (this.interruptible) this.driver.interrupt?.(new SignalArrived(signal));
      return;
    }
    if (IGNORED_BY_DEFAULT.has(signal) || (this.ignoresInterrupt && signal === "SIGINT")) return;
    this.kill(signal);
  }

  /** A signal to the whole group, as `timeout` sends it: what runs in the foreground gets it as well. */
  sendToGroup(signal: string): void {
    const shell = this.delegate ?? this;
    const foreground = [...shell.onKill];
    this.send(signal);
    if (shell.killed === undefined) { for (const f of foreground) f(signal); }
  }

  kill(signal: string): void {
    if (this.killed !== undefined) return;
    this.killed = signal;
    this.#controller?.abort(signal);
    for (const f of this.onKill) f(signal);
    this.driver.interrupt?.(new Killed(this, signal));
  }
}

const IGNORED_BY_DEFAULT = new Set([
  "SIGCHLD",
  "SIGQUIT",
  "SIGCONT",
  "SIGURG",
  "SIGWINCH",
  "SIGSTOP",
  "SIGTSTP",
  "SIGTTIN",
  "SIGTTOU",
]);

/** A trapped signal broke off a `wait`. */
export class SignalArrived extends Error {
  override readonly name = "SignalArrived";
  constructor(readonly signal: string) {
    super(signal);
  }
}

/** A step of evaluation: its result, or a computation that gives it. */
export type Step<T> = T | Run<T>;

export function isRun<T>(step: Step<T>): step is Run<T> {
  return typeof step === "object" && step !== null && "next" in step;
}

/** Runs as far as nothing waits: the result where that was all, else the rest of the computation. */
export function begin<T>(run: Run<T>): Step<T> {
  const first = run.next();
  return first.done === true ? first.value : resume(run, first.value);
}

function* resume<T>(run: Run<T>, promise: Promise<unknown>): Run<T> {
  let open = true;
  try {
    for (;;) {
      let value: unknown;
      let failed = false;
      try {
        value = yield promise;
      } catch (error) {
        failed = true;
        value = error;
      }
      // Whatever it ends with, it has ended by itself.
      open = false;
      const next = failed ? run.throw(value) : run.next(value);
      if (next.done === true) return next.value;
      open = true;
      promise = next.value;
    }
  } finally {
    if (open) leave(run);
  }
}

/** Leaves the rest of a computation alone, but for what it holds; nobody is to be told how what it waits for ends. */
export function abandon(run: Run<unknown>): void {
  const next = run.next();
  if (next.done === true) return;
  next.value.catch(() => {});
  leave(run);
}

/** Has it close what it opened. */
function leave(run: Run<unknown>): void {
  const last = run.return(undefined);
  if (last.done !== true) last.value.catch(() => {});
}

/** Runs a computation to its end, for a process. */
export function drive<T>(run: Step<T>, process: Process): Later<T> {
  if (!isRun(run)) return run;
  process.driven = true;
  const first = run.next();
  if (first.done === true) return first.value;
  return new Promise<T>((resolve, reject) => {
    let token = 0;
    const outer = process.interrupt;
    const settle = (next: () => IteratorResult<Promise<unknown>, T>) => {
      let result: IteratorResult<Promise<unknown>, T>;
      process.interrupt = outer;
      try {
        result = next();
      } catch (error) {
        reject(error);
        return;
      }
      if (result.done === true) resolve(result.value);
      else waitFor(result.value);
    };
    const waitFor = (promise: Promise<unknown>) => {
      const mine = ++token;
      process.interrupt = (error) => {
        if (mine !== token) return;
        token++;
        process.interrupt = outer;
        // Not at once: the one who sends the signal is in the middle of its own work.
        queueMicrotask(() => settle(() => run.throw(error)));
      };
      promise.then((value) => {
        if (mine !== token) return;
        token++;
        settle(() => run.next(value));
      }, (error) => {
        if (mine !== token) return;
        token++;
        settle(() => run.throw(error));
      });
    };
    waitFor(first.value);
  });
}
