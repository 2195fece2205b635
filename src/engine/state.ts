/** What is running now. Data only. */
import type { Message } from "../llm/message.ts";

export interface RunningState {
  readonly runId: string;
  readonly abort: AbortController;
  /** Who ended it; set before the abort. */
  endedBy?: "user" | "shutdown" | "timeout";
  /** What was said to it and that the loop has not taken yet. */
  readonly steering?: Message[];
  /** Nothing was done: the run waits for a person. */
  parked?: true;
}

export interface EngineState {
  running?: RunningState;
}
