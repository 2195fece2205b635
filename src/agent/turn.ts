/** One request to the model: streams it, reports it, and answers with how it ended. */
import { LlmError } from "../llm/errors.ts";
import type { StreamEvent } from "../llm/event.ts";
import type { AssistantMessage } from "../llm/message.ts";
import type { AgentEvent } from "./event.ts";

/** How one answer of the model ended. */
type TurnEnd =
  /** `note`: what the model should be told where it called no tool. */
  | { readonly type: "done"; readonly message: AssistantMessage; readonly note?: string }
  | { readonly type: "error"; readonly error: LlmError; readonly partialText: string }
  /** The signal aborted; `partialText` is the visible text so far. */
  | { readonly type: "aborted"; readonly partialText: string };

/** Follows a provider's stream to its end. Never throws. */
export async function follow(
  stream: AsyncIterable<StreamEvent>,
  emit: (event: AgentEvent) => void,
  signal: AbortSignal,
): Promise<TurnEnd> {
  let partialText = "";
  let note: string | undefined;
  for await (const event of stream) {
    switch (event.type) {
      case "start":
        partialText = "";
        break;
      case "text_delta":
        partialText += event.text;
        emit(event);
        break;
      case "thinking_delta":
        emit(event);
        break;
      case "retry":
        // What came of the attempt that failed is void.
        partialText = "";
        emit(event);
        break;
      case "notice":
        note = event.toModel ?? note;
        emit({ type: "notice", level: "warning", text: event.text });
        break;
      case "done":
        return { type: "done", message: event.message, ...(note === undefined ? {} : { note }) };
      case "error":
        if (signal.aborted) return { type: "aborted", partialText };
        return { type: "error", error: event.error, partialText };
    }
  }
  if (signal.aborted) return { type: "aborted", partialText };
  return {
    type: "error",
    error: new LlmError("protocol", "The provider's stream ended without a last event"),
    partialText,
  };
}
