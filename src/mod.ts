/**
 * The door for programs that embed myelin: the loop on its own, the message
 * model and the providers, settings, sessions, and the whole engine.
 */
export {
  type AgentEvent,
  errorResult,
  type Journal,
  type Limits,
  type LoopEnd,
  type LoopOptions,
  runLoop,
  type Spent,
  textResult,
  type ToolBody,
  type ToolContext,
  type ToolEntry,
  type ToolResult,
  type Tools,
  type View,
} from "./agent/mod.ts";
export {
  type AssistantMessage,
  type ContentPart,
  type Endpoint,
  LlmError,
  type LlmRequest,
  type Message,
  type Model,
  openProvider,
  type Provider,
  type StreamEvent,
  textOf,
  type ToolCall,
  toolCalls,
  type Usage,
} from "./llm/mod.ts";
export { loadConfig, resolveModel } from "./config/mod.ts";
export { createMemorySession, createSession, openSession, type Session } from "./session/mod.ts";
export type { MainTool, ToolLimits } from "./tools/mod.ts";
export { createEngine, type CreateOptions, type Engine, type SessionChoice } from "./engine/create.ts";
export type { EngineEvent, RunReason, RunResult } from "./engine/event.ts";
export type { Op } from "./engine/op.ts";
