/** Short ways to make requests and collect streams in tests of the llm layer. */
import type { LlmError } from "../../src/llm/errors.ts";
import type { StreamEvent } from "../../src/llm/event.ts";
import type { AssistantMessage } from "../../src/llm/message.ts";
import type { Model } from "../../src/llm/model.ts";
import type { Endpoint, LlmRequest, Provider } from "../../src/llm/provider.ts";

export const testModel: Model = {
  provider: "local",
  id: "mock-1",
  reasoning: false,
  images: false,
  options: {},
};

export function testEndpoint(baseUrl: string, more: Partial<Endpoint> = {}): Endpoint {
  return { baseUrl, apiKey: () => Promise.resolve(undefined), headers: {}, idleTimeoutMs: 10_000, ...more };
}

export function testRequest(more: Partial<LlmRequest> = {}): LlmRequest {
  return {
    model: testModel,
    messages: [{ role: "user", parts: [{ type: "text", text: "hello" }] }],
    tools: [],
    ...more,
  };
}

/** All events of one request. */
export async function collect(
  provider: Provider,
  request: LlmRequest = testRequest(),
  signal: AbortSignal = new AbortController().signal,
): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of provider.stream(request, signal)) events.push(event);
  return events;
}

/** The message of a stream that must have ended well. */
export function messageOf(events: readonly StreamEvent[]): AssistantMessage {
  const last = events.at(-1);
  if (last?.type === "done") return last.message;
  const text = last?.type === "error" ? last.error.message : JSON.stringify(last);
  throw new Error(`the stream did not end with done: ${text}`);
}

/** The error of a stream that must have failed. */
export function errorOf(events: readonly StreamEvent[]): LlmError {
  const last = events.at(-1);
  if (last?.type === "error") return last.error;
  throw new Error(`the stream did not end with an error: ${JSON.stringify(last)}`);
}
