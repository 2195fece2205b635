/**
 * An answer by a schema where the server has no form of its own for it: the
 * schema becomes a tool, and a call of it becomes the text of the answer. The
 * history holds that text, so nothing of the tool is ever seen elsewhere.
 */
import type { StreamEvent } from "../../event.ts";
import type { AssistantMessage, AssistantPart, ToolCall } from "../../message.ts";
import type { LlmRequest, ToolDeclaration } from "../../provider.ts";

const NAME = "final_answer";

const known = new WeakMap<LlmRequest["tools"], WeakMap<object, readonly ToolDeclaration[]>>();

/** The request with the schema as a tool. The same tools and schema give the same list. */
export function withAnswerTool(request: LlmRequest): LlmRequest {
  const { outputSchema, ...rest } = request;
  if (outputSchema === undefined) return request;
  let bySchema = known.get(request.tools);
  if (bySchema === undefined) known.set(request.tools, bySchema = new WeakMap());
  let tools = bySchema.get(outputSchema);
  if (tools === undefined) {
    const isObject = outputSchema.type === "object";
    const schema = isObject
      ? outputSchema
      : { type: "object", properties: { answer: outputSchema }, required: ["answer"] };
    const description = "Gives the final answer. Call it once, at the end, instead of answering with text.";
    tools = [...request.tools, { name: NAME, description, schema }];
    bySchema.set(outputSchema, tools);
  }
  return { ...rest, tools };
}

/** The events with the answer as text. */
export async function* answerAsText(
  events: AsyncIterable<StreamEvent>,
  schema: Readonly<Record<string, unknown>>,
): AsyncGenerator<StreamEvent> {
  const hidden = new Set<number>();
  for await (const event of events) {
    if (event.type === "start" || event.type === "retry") hidden.clear();
    if (event.type === "tool_call_start" && event.name === NAME) hidden.add(event.index);
    else if (
      (event.type === "tool_call_start" || event.type === "tool_call_delta") && hidden.has(event.index)
    ) {
      continue;
    } else if (event.type === "done") {
      const message = withoutTool(event.message, schema.type === "object");
      const text = message.text;
      if (text !== undefined) yield { type: "text_delta", text };
      yield { type: "done", message: message.message };
    } else yield event;
  }
}

function withoutTool(
  message: AssistantMessage,
  whole: boolean,
): { message: AssistantMessage; text?: string } {
  const isAnswer = (part: AssistantPart): boolean => part.type === "tool_call" && part.name === NAME;
  const answer = message.parts.find((part): part is ToolCall => isAnswer(part));
  if (answer === undefined) return { message };
  const parts: AssistantPart[] = message.parts.filter((part) => !isAnswer(part));
  // With other calls beside it, it was given too early: they run, and the model is asked again.
  if (answer.broken || parts.some((part) => part.type === "tool_call")) {
    return { message: { ...message, parts } };
  }
  const text = whole ? answer.arguments : inner(answer.arguments);
  // What was said before the answer is no part of it.
  const thoughts = parts.filter((part) => part.type === "thinking");
  return { message: { ...message, parts: [...thoughts, { type: "text", text }], stopReason: "stop" }, text };
}

function inner(text: string): string {
  return JSON.stringify((JSON.parse(text) as { answer?: unknown }).answer ?? null);
}
