/** What is running now. Data only. */
export interface RunningState {
  readonly runId: string;
  readonly abort: AbortController;
  /** Who ended it; set before the abort. */
  endedBy?: "user" | "shutdown" | "timeout";
  /** Whether more can be said to it. */
  readonly steerable?: true;
  /** Nothing was done: the run waits for a person. */
  parked?: true;
}

/** What an engine is at. */
export interface EngineState {
  running?: RunningState;
}
