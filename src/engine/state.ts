/** What is running now. Data only. */

export interface RunningState {
  readonly runId: string;
  readonly abort: AbortController;
  /** Who ended it; set before the abort. */
  endedBy?: "user" | "shutdown" | "timeout";
}

export interface EngineState {
  running?: RunningState;
}
