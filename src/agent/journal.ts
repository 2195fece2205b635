/**
 * Where the loop writes down what happens, before it goes on. A failed write
 * rejects, and the loop stops at once: what is not written did not happen.
 */
import type { AssistantMessage, Message, ToolCall } from "../llm/message.ts";
import type { Replay, ToolResult } from "./tool.ts";

/** Where the loop writes down what happened, before it goes on. A rejected promise stops the run. */
export interface Journal {
  /** Durable before it resolves: no tool of the message starts earlier. */
  assistant(message: AssistantMessage, costUsd: number | undefined): Promise<void>;
  /** Written, in order, before the call has an effect. */
  intent(call: ToolCall, replay: Replay): Promise<void>;
  /** Written, in order; durable with the next `sync`. */
  result(call: ToolCall, result: ToolResult, durationMs: number): Promise<void>;
  /** A message of the program to the model; answers with what the model sees of it, now and after a resume. */
  note(text: string): Promise<Message>;
  /** Resolves when all that was written is durable. Begun before each request is put together; none is sent before that. */
  sync(): Promise<void>;
}
