/**
 * A conversation that grows too long: how large it is, what goes, and what
 * is carried over. Apart from the door of the layer, because a run that ends
 * early never needs it.
 */
export {
  createMeter,
  estimateTokens,
  instructionFiles,
  instructionTokens,
  type Measure,
  messageTokens,
  type Meter,
} from "./tokens.ts";
export { elidedResult, planShake, type ShakeMode, type Shaken } from "./shake.ts";
export { type Carried, composeSummary, type FileUse, gather, type KeepText } from "./carry.ts";
export { askStale, type Block, parkable, parkedResult, readStale, type StaleBlock } from "./prune.ts";
export {
  type Clearable,
  clearable,
  CLEARED,
  type Cut,
  planCut,
  planSpace,
  roomForRecent,
  type SpaceAction,
  type SpaceLimits,
  summaryBudget,
  triggerOf,
  worthGoing,
} from "./plan.ts";
export { type SummaryPrompts, summaryPrompts } from "./prompts.ts";
export {
  type Complete,
  summarise,
  type SummaryAnswer,
  type SummaryInput,
  type SummaryRequest,
  type SummaryResult,
  type SummaryWay,
} from "./summarise.ts";
