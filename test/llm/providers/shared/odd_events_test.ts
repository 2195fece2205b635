/** Events that no server should send: whatever comes, a decoder ends with one last event and throws nothing. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { Decoder as MessagesDecoder } from "../../../../src/llm/providers/anthropic_messages/decode.ts";
import { Decoder as ChatDecoder } from "../../../../src/llm/providers/openai_completions/decode.ts";
import { quirksOf } from "../../../../src/llm/providers/openai_completions/quirks.ts";
import type { AnswerDecoder, AnswerOptions } from "../../../../src/llm/providers/shared/answer.ts";
import { ResponsesDecoder } from "../../../../src/llm/providers/shared/responses/decode.ts";

const odd = fc.oneof(
  fc.constantFrom(
    null,
    "",
    "x",
    0,
    -1,
    1.5,
    true,
    [],
    {},
    "{",
    "tool_use",
    "function_call",
    "message",
    "reasoning",
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const one = (keys: readonly string[]) => fc.dictionary(fc.constantFrom(...keys), odd, { maxKeys: 6 });

const DECODERS: readonly [string, (options: AnswerOptions) => AnswerDecoder, fc.Arbitrary<unknown>][] = [
  [
    "openai-completions",
    (options) => new ChatDecoder({ ...options, quirks: quirksOf("http://127.0.0.1"), textCalls: true }),
    fc.record({
      choices: fc.oneof(
        odd,
        fc.tuple(fc.record({
          delta: fc.oneof(
            odd,
            one(["content", "tool_calls", "reasoning", "reasoning_details", "refusal", "function_call"]),
            fc.record({
              tool_calls: fc.array(
                fc.oneof(odd, one(["index", "id", "function", "name", "arguments", "extra_content"])),
              ),
            }),
          ),
          finish_reason: odd,
        })),
      ),
      usage: fc.oneof(odd, one(["prompt_tokens", "completion_tokens", "prompt_tokens_details"])),
    }),
  ],
  [
    "anthropic-messages",
    (options) => new MessagesDecoder(options),
    fc.record({
      type: fc.constantFrom(
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "ping",
      ),
      index: odd,
      content_block: fc.oneof(
        odd,
        one(["type", "text", "thinking", "signature", "id", "name", "input", "data"]),
      ),
      delta: fc.oneof(odd, one(["type", "text", "thinking", "signature", "partial_json", "stop_reason"])),
      message: odd,
      usage: odd,
    }),
  ],
  [
    "openai-responses",
    (options) => new ResponsesDecoder(options),
    fc.record({
      type: fc.constantFrom(
        "response.output_item.added",
        "response.output_item.done",
        "response.output_text.delta",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_part.added",
        "response.function_call_arguments.delta",
        "response.completed",
      ),
      output_index: odd,
      item_id: odd,
      item: fc.oneof(odd, one(["type", "id", "call_id", "name", "arguments", "content", "summary"])),
      delta: odd,
      response: fc.oneof(odd, one(["status", "output", "usage", "error"])),
    }),
  ],
];

for (const [api, make, event] of DECODERS) {
  Deno.test(`${api} takes any event without a fault, and ends once`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 8 }), async (events) => {
        const decoder = make({
          asked: { provider: "p", url: "u", secrets: [] },
          model: "p/m",
          idPrefix: "c_",
        });
        const out = events.flatMap((one) => decoder.push({ data: JSON.stringify(one) }));
        out.push(...await decoder.end());
        const ends = out.filter((one) => one.type === "done" || one.type === "error");
        assertEquals(ends.length, 1);
        assert(out.at(-1) === ends[0]);
        if (ends[0].type !== "done") return;
        for (const part of ends[0].message.parts) {
          if (part.type !== "tool_call" || part.broken) continue;
          const args: unknown = JSON.parse(part.arguments);
          assert(typeof args === "object" && args !== null && !Array.isArray(args) && part.name !== "");
        }
      }),
      { numRuns: 400 },
    );
  });
}
