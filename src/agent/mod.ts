/** The loop on its own: bring a stream of a model, tools and a journal. */
export { addSpent, type Limits, NOTHING_SPENT, type Spent } from "./budget.ts";
export type { AgentEvent } from "./event.ts";
export type { Journal } from "./journal.ts";
export { type LoopEnd, type LoopOptions, runLoop } from "./loop.ts";
export {
  type Effects,
  errorResult,
  type Replay,
  type RunsIn,
  textResult,
  type TodoItem,
  type ToolBody,
  type ToolContext,
  type ToolEntry,
  type ToolResult,
  type Tools,
  type View,
} from "./tool.ts";
