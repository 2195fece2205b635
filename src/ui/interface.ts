/** The contract of an interface: it is given an engine's port and speaks ops and events only. */
import type { EngineEvent } from "../engine/event.ts";
import type { Op } from "../engine/op.ts";

/** What an interface sees of the engine. */
export interface EnginePort {
  /** Resolves when the op is done: a prompt, when its run has ended. Never rejects for what is reported as an event. */
  submit(op: Op): Promise<void>;
  /** Calls back for every event, in order, until the answer is called. */
  subscribe(watch: (event: EngineEvent) => void): () => void;
}

/** Where an interface writes to. */
export interface Output {
  write(text: string): void;
  /** Resolves when all is out; the reader may be slow or gone. */
  flush(): Promise<void>;
  readonly terminal: boolean;
  readonly color: boolean;
  /** Width in columns, 80 where nobody knows. */
  readonly columns: number;
}
