/** Our side of each protocol against a mock that others wrote: what we believe of them is not only ours. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Message } from "../../src/llm/message.ts";
import { textOf, toolCalls } from "../../src/llm/message.ts";
import { openProvider } from "../../src/llm/stream.ts";
import { aimockMissing, startAimock } from "../support/aimock.ts";
import { collect, errorOf, messageOf, testEndpoint, testRequest } from "../support/llm_run.ts";

// The pause between its pieces lets the first ones out before the mock closes the connection.
const CUT = "This answer is cut somewhere in its middle, and nobody may take it for whole.";
const FIXTURES = [
  { match: { userMessage: "greet" }, response: { content: "Hello from afar 😀.", reasoning: "Be kind." } },
  {
    match: { userMessage: "look", hasToolResult: false },
    response: {
      content: "I look.",
      toolCalls: [{ name: "read", arguments: { path: "a.md" } }, { name: "ls", arguments: { path: "." } }],
    },
  },
  { match: { userMessage: "look", hasToolResult: true }, response: { content: "Seen." } },
  {
    match: { userMessage: "limited", sequenceIndex: 0 },
    response: { error: { message: "Rate limited", type: "rate_limit_error" }, status: 429, retryAfter: 3 },
  },
  { match: { userMessage: "limited", sequenceIndex: 1 }, response: { content: "Now." } },
  { match: { userMessage: "forbidden" }, response: { error: { message: "Bad key" }, status: 401 } },
  {
    match: { userMessage: "cut", sequenceIndex: 0 },
    response: { content: CUT },
    latency: 5,
    truncateAfterChunks: 3,
  },
  {
    match: { userMessage: "slowly" },
    response: { content: "At last, piece by piece." },
    latency: 60,
    chunkSize: 6,
  },
  { match: { userMessage: "cut", sequenceIndex: 1 }, response: { content: "Whole." } },
];

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });

for (const api of ["openai-completions", "openai-responses", "anthropic-messages"]) {
  Deno.test({
    name: `${api} speaks with aimock: text, thoughts, calls and their results, errors, a cut stream, delays`,
    ignore: aimockMissing() !== undefined,
    async fn(t) {
      const mock = await startAimock(FIXTURES);
      const waited: number[] = [];
      const provider = openProvider({
        api,
        endpoint: testEndpoint(mock.origin),
        retryDeps: { random: () => 0, wait: (ms) => (waited.push(ms), Promise.resolve()) },
      });
      const ask = (messages: readonly Message[]) => collect(provider, testRequest({ messages }));
      try {
        await t.step("text, thoughts, usage", async () => {
          const { parts, stopReason, usage } = messageOf(await ask([user("greet")]));
          const said = parts.map((part) => [part.type, part.type === "tool_call" ? part.name : part.text]);
          assertEquals(said, [["thinking", "Be kind."], ["text", "Hello from afar 😀."]]);
          // For the other two it counts nothing, which is "unknown".
          assertEquals([stopReason, usage !== undefined], ["stop", api === "openai-completions"]);
        });
        await t.step("parallel calls, then their results", async () => {
          const message = messageOf(await ask([user("look")]));
          assertEquals(toolCalls(message).map((call) => [call.name, JSON.parse(call.arguments)]), [
            ["read", { path: "a.md" }],
            ["ls", { path: "." }],
          ]);
          const results = toolCalls(message).map((call): Message => ({
            role: "tool_result",
            callId: call.id,
            name: call.name,
            parts: [{ type: "text", text: "ok" }],
            isError: false,
          }));
          assertEquals(textOf(messageOf(await ask([user("look"), message, ...results])).parts), "Seen.");
        });
        await t.step("429 with Retry-After", async () => {
          assertEquals(textOf(messageOf(await ask([user("limited")])).parts), "Now.");
          assertEquals(waited.splice(0), [3000]);
        });
        await t.step("401", async () => {
          const error = errorOf(await ask([user("forbidden")]));
          assertEquals([error.code, waited.length], ["auth", 0]);
          assertStringIncludes(error.message, "Bad key");
        });
        await t.step("a stream cut in its middle", async () => {
          const events = await ask([user("cut")]);
          assertEquals(textOf(messageOf(events).parts), "Whole.");
          assertEquals(events.filter((event) => event.type === "retry").length, 1);
        });
        await t.step("an answer that takes its time", async () => {
          const events = await ask([user("slowly")]);
          assertEquals(textOf(messageOf(events).parts), "At last, piece by piece.");
          assertEquals(events.filter((event) => event.type === "text_delta").length > 1, true);
        });
      } finally {
        await mock.close();
      }
    },
  });
}
