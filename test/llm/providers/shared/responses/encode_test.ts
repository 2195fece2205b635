import { assert, assertEquals } from "@std/assert";
import type { AssistantMessage, Message } from "../../../../../src/llm/message.ts";
import type { LlmRequest } from "../../../../../src/llm/provider.ts";
import { encode, type ResponsesForm } from "../../../../../src/llm/providers/shared/responses/encode.ts";
import { testModel, testRequest } from "../../../../support/llm_run.ts";

const item: ResponsesForm = {
  system: "item",
  maxOutput: true,
  summaries: false,
  effort: true,
  cacheKey: true,
  documents: true,
};
const field: ResponsesForm = { ...item, system: "instructions", summaries: true, maxOutput: false };
const body = (more: Partial<LlmRequest>, form = item) => JSON.parse(encode(testRequest(more), form));

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const answer = (parts: AssistantMessage["parts"], model = "local/mock-1"): Message => ({
  role: "assistant",
  parts,
  stopReason: "tool_calls",
  model,
});
const result = (callId: string, text: string): Message => ({
  role: "tool_result",
  callId,
  name: "read",
  parts: [{ type: "text", text }],
  isError: false,
});
const tool = { name: "read", description: "Reads.", schema: { type: "object", properties: {} } };
const reasoning = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAA" };
const parts: AssistantMessage["parts"] = [
  { type: "thinking", text: "Hm.", opaque: reasoning },
  { type: "text", text: "I look.", opaque: { id: "msg_1", phase: "commentary" } },
  { type: "tool_call", id: "call_1", name: "read", arguments: '{"path":"a"}', opaque: { id: "fc_1" } },
];
const turns = [
  { role: "system", text: "Be brief." } as const,
  user("go"),
  answer(parts),
  result("call_1", "hello"),
  answer([{ type: "text", text: "Done.", opaque: { id: "msg_2" } }]),
  user("thanks"),
];

Deno.test("encode() makes earlier items a byte-for-byte prefix of later ones, and the rest identical", () => {
  for (const form of [item, field]) {
    const bodies = [2, 4, 6].map((count) =>
      encode(testRequest({ tools: [tool], messages: turns.slice(0, count) }), form).slice(0, -2)
    );
    for (let i = 1; i < bodies.length; i++) {
      assertEquals(bodies[i].slice(0, bodies[i - 1].length), bodies[i - 1]);
      assert(bodies[i].length > bodies[i - 1].length);
    }
  }
});

Deno.test("encode() keeps nothing on the server, and sends encrypted reasoning and ids back to the same model", () => {
  const sent = body({ messages: turns, model: { ...testModel, reasoning: true }, cacheKey: "s1" });
  assertEquals([sent.store, sent.include, sent.prompt_cache_key], [
    false,
    ["reasoning.encrypted_content"],
    "s1",
  ]);
  assertEquals(sent.input.slice(2, 6), [
    reasoning,
    {
      type: "message",
      role: "assistant",
      id: "msg_1",
      phase: "commentary",
      status: "completed",
      content: [{ type: "output_text", text: "I look.", annotations: [] }],
    },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: '{"path":"a"}' },
    { type: "function_call_output", call_id: "call_1", output: "hello" },
  ]);
});

Deno.test("encode() sends neither reasoning nor ids of another model, nor ids whose reasoning is lost", () => {
  const foreign = body({ messages: [user("go"), answer(parts, "other/m"), result("call_1", "x")] }).input;
  assertEquals(foreign.map((one: Record<string, unknown>) => [one.type, one.id]), [
    ["message", undefined],
    ["message", undefined],
    ["function_call", undefined],
    ["function_call_output", undefined],
  ]);
  const lost =
    body({ messages: [user("go"), answer([{ type: "thinking", text: "Hm." }, ...parts.slice(1)])] }).input;
  assertEquals(lost.map((one: Record<string, unknown>) => one.id), [
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("encode() puts the system prompt where the transport wants it", () => {
  assertEquals(body({ messages: turns }).input[0], {
    type: "message",
    role: "system",
    content: [{ type: "input_text", text: "Be brief." }],
  });
  const sent = body({ messages: turns, maxOutput: 5 }, field);
  assertEquals([sent.instructions, sent.input[0].role, "max_output_tokens" in sent], [
    "Be brief.",
    "user",
    false,
  ]);
});

Deno.test("encode() says effort, schema, images, documents and broken calls in this protocol's words", () => {
  const model = { ...testModel, reasoning: true, images: true, documents: true };
  const sent = body({
    model,
    thinking: "off",
    outputSchema: { type: "object" },
    messages: [
      {
        role: "user",
        parts: [
          { type: "image", mediaType: "image/png", data: "AAAA" },
          { type: "document", mediaType: "application/pdf", data: "JVBE", name: "a.pdf" },
        ],
      },
      answer([{ type: "tool_call", id: "c", name: "a b", arguments: '{"x', broken: true }]),
    ],
  });
  assertEquals(sent.reasoning, { effort: "none" });
  assertEquals(sent.text.format, {
    type: "json_schema",
    name: "answer",
    schema: { type: "object" },
    strict: false,
  });
  assertEquals(sent.input[0].content, [
    { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" },
    { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBE" },
  ]);
  assertEquals([sent.input[1].name, sent.input[1].arguments], ["a_b", "{}"]);
  assertEquals(sent.input[2].type, "function_call_output");
});
