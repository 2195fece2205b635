/**
 * What the loop reports while it works. Deltas may be dropped for a slow
 * watcher; everything else is said exactly once, in order.
 */
import type { LlmError } from "../llm/errors.ts";
import type { AssistantMessage, Usage } from "../llm/message.ts";
import type { ToolResult } from "./tool.ts";

/** What a watcher of the loop is told. */
export type AgentEvent =
  | { readonly type: "step_start"; readonly step: number }
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "thinking_delta"; readonly text: string }
  /** A finished answer, already in the journal. */
  | { readonly type: "message_end"; readonly message: AssistantMessage }
  /** `args` is undefined where the model's JSON could not be read. */
  | { readonly type: "tool_start"; readonly callId: string; readonly name: string; readonly args: unknown }
  | { readonly type: "tool_output"; readonly callId: string; readonly text: string }
  | {
    readonly type: "tool_end";
    readonly callId: string;
    readonly name: string;
    readonly result: ToolResult;
    readonly durationMs: number;
  }
  /** After each answer: its own usage (undefined: the server did not say) and the cost of the run so far in US dollars. */
  | { readonly type: "usage"; readonly usage: Usage | undefined; readonly costUsd: number | undefined }
  | { readonly type: "retry"; readonly attempt: number; readonly delayMs: number; readonly cause: LlmError }
  | { readonly type: "notice"; readonly level: "info" | "warning"; readonly text: string };
