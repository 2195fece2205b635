/** What no transcript can list: any JSON at any place. The transcripts are in recorded_test.ts. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { LlmError } from "../../../../src/llm/errors.ts";
import type { StreamEvent } from "../../../../src/llm/event.ts";
import { fold } from "../../../../src/llm/fold.ts";
import { toolCalls } from "../../../../src/llm/message.ts";
import { Decoder } from "../../../../src/llm/providers/openai_completions/decode.ts";
import { quirksOf } from "../../../../src/llm/providers/openai_completions/quirks.ts";

function decoder(): Decoder {
  return new Decoder({
    asked: { provider: "local", url: "http://127.0.0.1/v1", secrets: [] },
    model: "local/m",
    idPrefix: "call_1_",
    quirks: quirksOf("http://127.0.0.1/v1"),
  });
}

async function decode(chunks: readonly unknown[]): Promise<StreamEvent[]> {
  const running = decoder();
  const events = chunks.flatMap((chunk) => running.push({ data: JSON.stringify(chunk) }));
  return [...events, ...await running.end()];
}

const anything = fc.jsonValue({ maxDepth: 3 });
/** A value of the right kind, or anything at all. */
const or = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: anything });
const fragment = fc.record({
  index: or(fc.nat(2)),
  id: or(fc.constantFrom("a", "b", "")),
  function: or(fc.record({
    name: or(fc.constantFrom("read", "ls", "")),
    arguments: or(fc.constantFrom("", "{}", '{"a":', "1}", '{"a":1}', "null")),
  }, { requiredKeys: [] })),
}, { requiredKeys: [] });
const delta = fc.record({
  content: or(fc.constantFrom("a", "", "<think>", "</think>")),
  reasoning: or(fc.string()),
  reasoning_content: or(fc.string()),
  reasoning_details: or(fc.array(fc.record({ type: anything, text: or(fc.string()), index: anything }))),
  tool_calls: or(fc.array(or(fragment), { maxLength: 3 })),
  function_call: anything,
}, { requiredKeys: [] });
const chunk = fc.record({
  choices: or(fc.array(
    or(fc.record({
      delta: or(delta),
      message: or(delta),
      finish_reason: or(fc.constantFrom(null, "stop", "tool_calls", "length", "error")),
    }, { requiredKeys: [] })),
    { maxLength: 2 },
  )),
  usage: or(fc.record({ prompt_tokens: or(fc.nat()), completion_tokens: or(fc.nat()) })),
}, { requiredKeys: [] });

Deno.test("Decoder ends with one done or error, whatever arrives, and hands out only whole calls", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(or(chunk), { maxLength: 8 }), async (chunks) => {
      const events = await decode(chunks);
      const last = events.at(-1);
      assert(last?.type === "done" || last?.type === "error");
      assertEquals(events.filter((event) => event.type === "done" || event.type === "error").length, 1);
      if (last.type === "error") return assert(last.error instanceof LlmError);
      const calls = toolCalls(last.message);
      assertEquals(new Set(calls.map((call) => call.id)).size, calls.length, "ids are not unique");
      for (const call of calls) {
        if (call.broken) continue;
        const value = JSON.parse(call.arguments);
        assert(typeof value === "object" && value !== null && !Array.isArray(value) && call.name !== "");
      }
      // Watchers that follow the events see the same calls in the same order.
      const watched = toolCalls(fold(events.slice(0, -1), "local/m").message);
      assertEquals(watched.map((call) => call.id), calls.map((call) => call.id));
    }),
    { numRuns: 500 },
  );
});

Deno.test("Decoder takes a lost connection after the finish for the end of the answer", async () => {
  const running = decoder();
  running.push({ data: '{"choices":[{"delta":{"content":"All."},"finish_reason":"stop"}]}' });
  const events = await running.end(new LlmError("network", "gone"));
  assertEquals(events.at(-1)?.type, "done");
});
