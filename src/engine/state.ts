/** What is running now. Data only. */

export interface RunningState {
  readonly runId: string;
  readonly abort: AbortController;
  /** Who ended it; set before the abort. */
  endedBy?: "user" | "shutdown" | "timeout";
  /** Nothing was done: the run waits for a person. */
  parked?: true;
}

export interface EngineState {
  running?: RunningState;
}
