/**
 * The calls that are open in the worker, and how they are stopped: by a number
 * in shared memory for code that loops, by an abort signal for code that waits.
 */
import { STATE, type ToWorker } from "../sandbox/mod.ts";

/** The reason of a stopped call: thrown by `poll`, and the signal's reason. */
export class Stopped extends Error {
  override readonly name = "Stopped";
  constructor(readonly by: "cancelled" | "timeout") {
    super(by === "timeout" ? "The time limit of the call was reached" : "The call was cancelled");
  }
}

export interface OpenCall {
  readonly number: number;
  readonly cell: number;
  readonly signal: AbortSignal;
  readonly abort: AbortController;
  reason(): Stopped;
  taken(length: number): void;
}

export interface Calls {
  open(message: Extract<ToWorker, { type: "call" }>): OpenCall;
  find(call: number): OpenCall | undefined;
  close(call: number): void;
  cancel(call: number, by: "cancelled" | "timeout"): void;
  /** Stands still until the call may begin; throws the reason where it was ended before. */
  begin(call: OpenCall): void;
  /** Whether the call of that cell is to end: one atomic load. */
  stopped(cell: number): boolean;
  isStop(error: unknown): boolean;
}

export function createCalls(cells: Int32Array): Calls {
  const open = new Map<number, OpenCall>();
  return {
    open({ call, cell }) {
      const abort = new AbortController();
      const made: OpenCall = {
        number: call,
        cell,
        abort,
        signal: abort.signal,
        reason: () => new Stopped(Atomics.load(cells, cell) === STATE.timeout ? "timeout" : "cancelled"),
        taken() {},
      };
      open.set(call, made);
      return made;
    },
    find: (call) => open.get(call),
    close: (call) => void open.delete(call),
    cancel: (call, by) => open.get(call)?.abort.abort(new Stopped(by)),
    begin(call) {
      while (Atomics.load(cells, call.cell) === STATE.held) Atomics.wait(cells, call.cell, STATE.held);
      if (Atomics.load(cells, call.cell) !== STATE.running) throw call.reason();
    },
    stopped: (cell) => Atomics.load(cells, cell) !== STATE.running,
    isStop: (error) => error instanceof Stopped,
  };
}
