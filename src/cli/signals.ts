/**
 * Ctrl-C and its kin: the first one ends the run and keeps the session, the
 * second leaves at once. SIGTERM and SIGHUP leave the run to be resumed.
 */
import type { Engine } from "../engine/create.ts";
import { EXIT } from "./exit_codes.ts";

export interface SignalWatch {
  /** The exit status that a signal asks for; undefined: none came. */
  readonly status: number | undefined;
  stop(): void;
}

const SIGNALS: readonly {
  readonly name: Deno.Signal;
  readonly by: "user" | "shutdown";
  readonly status: number;
}[] = [
  { name: "SIGINT", by: "user", status: EXIT.interrupted },
  { name: "SIGTERM", by: "shutdown", status: EXIT.terminated },
  { name: "SIGHUP", by: "shutdown", status: 129 },
];

/** Watches from now on. `say` tells a person that a signal was taken. */
export function watchSignals(engine: Engine, say: (text: string) => void): SignalWatch {
  let status: number | undefined;
  const listeners = SIGNALS.filter(({ name }) => Deno.build.os !== "windows" || name !== "SIGTERM").map(
    (signal) => {
      const listener = () => {
        if (status !== undefined) {
          engine.abandon();
          Deno.exit(status);
        }
        status = signal.status;
        if (signal.by === "user") say("stopping; Ctrl-C again leaves at once");
        void engine.submit({ type: "interrupt", by: signal.by });
      };
      Deno.addSignalListener(signal.name, listener);
      return { name: signal.name, listener };
    },
  );
  return {
    get status() {
      return status;
    },
    stop: () => listeners.forEach(({ name, listener }) => Deno.removeSignalListener(name, listener)),
  };
}
