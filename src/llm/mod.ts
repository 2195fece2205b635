/** The door of the llm layer: messages, events, providers. */
export type {
  AssistantMessage,
  AssistantPart,
  ContentPart,
  DocumentPart,
  ImagePart,
  Message,
  StopReason,
  SystemMessage,
  TextPart,
  ThinkingPart,
  ToolCall,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "./message.ts";
export { textOf, toolCalls } from "./message.ts";
export type { StreamEvent } from "./event.ts";
export { LlmError, type LlmErrorCode, type LlmErrorOptions } from "./errors.ts";
export { type Cost, type Model, modelName } from "./model.ts";
export type { Endpoint, LlmRequest, Provider, ProviderKind, Thinking, ToolDeclaration } from "./provider.ts";
export { fold, type Folded } from "./fold.ts";
export { DEFAULT_RETRY, type RetryDeps, retrying, type RetryPolicy } from "./retry.ts";
export { openProvider, type OpenProviderOptions } from "./stream.ts";
export { loadSample, providers, type SampleFile } from "./providers/mod.ts";
export { record, type RecordingSink } from "./recording.ts";
export { addUsage, costOf, leastCostOfNext } from "./cost.ts";
export { completeModel, type Known, listCatalog, type ModelSettings, type Wanted } from "./catalog/lookup.ts";
export { Calibration, estimateRequest, type RequestSize } from "./estimate.ts";
export { isLocal, type Probed, type ProbeOptions, probeServer } from "./probe.ts";
export { type Compared, comparePrefix, type PrefixBreak, watchingPrefix } from "./prefix.ts";
export { handoff } from "./handoff.ts";

/** Asks a server for its models; loaded where somebody asks. */
export const loadModelLister = () => import("./list_models.ts");
