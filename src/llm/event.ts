/**
 * What a provider streams: a closed union. The last event of every stream is
 * `done` or `error`, and nothing follows it. Deltas are lossy for watchers;
 * the finished message in `done` is what is stored and acted on.
 */
import type { LlmError } from "./errors.ts";
import type { AssistantMessage, Usage } from "./message.ts";

/** Told apart by `type`. Indexes of calls count from 0. */
export type StreamEvent =
  /** The server has accepted the request and begun to answer. */
  | { readonly type: "start" }
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "thinking_delta"; readonly text: string }
  /** A tool call began; `index` is its place among the calls of the message. */
  | {
    readonly type: "tool_call_start";
    readonly index: number;
    readonly id: string;
    readonly name: string;
  }
  | {
    readonly type: "tool_call_delta";
    readonly index: number;
    readonly arguments: string;
  }
  /** The running total so far; the last one counts. */
  | { readonly type: "usage"; readonly usage: Usage }
  /** An attempt failed and the request will be sent again after `delayMs`; all deltas since the last `start` are void. */
  | {
    readonly type: "retry";
    readonly attempt: number;
    readonly delayMs: number;
    readonly cause: LlmError;
  }
  /** Something that the user should know and that does not end the stream. */
  | {
    readonly type: "notice";
    readonly text: string;
    /** What the model should be told too, so that it can do better, where its answer called no tool. */
    readonly toModel?: string;
  }
  | { readonly type: "done"; readonly message: AssistantMessage }
  /** `partial` is what had arrived: to show, never to act on. */
  | {
    readonly type: "error";
    readonly error: LlmError;
    readonly partial?: AssistantMessage;
  };
