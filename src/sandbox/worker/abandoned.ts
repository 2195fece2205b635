/**
 * Workers that did not answer a cancel. Nothing ends an isolate that is busy
 * in one step of its own: its thread runs on, and takes a processor and its
 * memory, until the step is done. So each is waited for, and while too many
 * are left no other is started.
 *
 * What comes back to its senses is ended before it does anything more: its
 * calls count as cancelled, and files it asks the main isolate for, where the
 * asking ends it.
 */
import { CELLS, STATE, type ToMain, type ToWorker } from "./messages.ts";

/** Threads that may be lost at once. Each may take a processor of its own. */
const AT_MOST = 4;

/** Workers that nobody can stop and that still may run. */
export interface Abandoned {
  /** Takes a worker over: from now on nobody else listens to it. */
  add(worker: Worker, cells: Int32Array): void;
  /** Why no worker may be started now; undefined where one may. */
  refusal(): string | undefined;
  /** Lets go of all of them. */
  close(): void;
}

/** `atMost`: how many are waited for before no worker is started any more. */
export function createAbandoned(atMost = AT_MOST): Abandoned {
  const left = new Set<Worker>();

  /** It does nothing any more, or stands still: now it can be ended. */
  function end(worker: Worker): void {
    left.delete(worker);
    worker.terminate();
  }

  return {
    add(worker, cells) {
      left.add(worker);
      for (let cell: number = CELLS.firstCall; cell < cells.length; cell++) {
        Atomics.store(cells, cell, STATE.cancelled);
      }
      // As if a program ran: it leaves files to this isolate.
      Atomics.add(cells, CELLS.programs, 1);
      worker.onerror = (event) => {
        event.preventDefault();
        end(worker);
      };
      worker.onmessage = ({ data }: MessageEvent<ToMain>) => {
        const waits = data.type === "file" || (data.type === "question" && data.still);
        // Anything else may have been on its way when it was given up.
        if (waits || data.type === "resting") end(worker);
      };
      worker.postMessage({ type: "rest" } satisfies ToWorker);
    },
    refusal() {
      if (left.size < atMost) return undefined;
      return `${left.size} calls that were ended did not stop and still take up the processor, so no other is ` +
        "started until one of them is done. If that lasts, end myelin: its session can be continued";
    },
    close() {
      for (const worker of left) end(worker);
    },
  };
}
