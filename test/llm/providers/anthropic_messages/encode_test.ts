import { assert, assertEquals } from "@std/assert";
import type { AssistantMessage, Message } from "../../../../src/llm/message.ts";
import type { Model } from "../../../../src/llm/model.ts";
import type { LlmRequest } from "../../../../src/llm/provider.ts";
import { encode } from "../../../../src/llm/providers/anthropic_messages/encode.ts";
import { testModel, testRequest } from "../../../support/llm_run.ts";

const body = (more: Partial<LlmRequest>) => JSON.parse(encode(testRequest(more)));
const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const answer = (parts: AssistantMessage["parts"], model = "local/mock-1"): Message => ({
  role: "assistant",
  parts,
  stopReason: "tool_calls",
  model,
});
const call = (id: string, args = '{"path":"a.md"}') =>
  ({ type: "tool_call", id, name: "read", arguments: args }) as const;
const result = (callId: string, text: string, isError = false): Message => ({
  role: "tool_result",
  callId,
  name: "read",
  parts: [{ type: "text", text }],
  isError,
});
const tool = { name: "read", description: "Reads.", schema: { type: "object", properties: {} } };

const MARK = ',"cache_control":{"type":"ephemeral"}';
/** The bytes of the messages, without the cache marks, which are no part of what is cached. */
function messageBytes(text: string): string {
  const start = text.indexOf('"messages":[');
  assert(start > 0 && text.endsWith("]}"));
  return text.slice(start, -2).replaceAll(MARK, "");
}

const turns: Message[] = [
  { role: "system", text: "Be brief." },
  user("What is in a.md?"),
  answer([
    { type: "thinking", text: "Look.", signature: "sig==" },
    { type: "text", text: "I look." },
    call("c1"),
    { ...call("c2", '{"pa'), broken: true },
  ]),
  result("c1", "hello"),
  result("c2", "not run", true),
  answer([{ type: "text", text: "It says hello." }]),
  user("Thanks 😀"),
];

Deno.test("encode() makes earlier messages a byte-for-byte prefix of later ones, but for cache marks", () => {
  const bodies = [2, 5, 7].map((count) =>
    encode(testRequest({ tools: [tool], messages: turns.slice(0, count) }))
  );
  for (let i = 1; i < bodies.length; i++) {
    const [earlier, later] = [messageBytes(bodies[i - 1]), messageBytes(bodies[i])];
    assertEquals(later.slice(0, earlier.length), earlier);
    assert(later.length > earlier.length);
  }
  const heads = bodies.map((text) => text.slice(0, text.indexOf('"messages":[')));
  assertEquals(new Set(heads).size, 1);
});

Deno.test("encode() puts the cache marks on tools, system and the last two messages of the user", () => {
  const sent = body({ tools: [tool, { ...tool, name: "write" }], messages: turns });
  assertEquals(sent.tools.map((one: Record<string, unknown>) => "cache_control" in one), [false, true]);
  assertEquals(sent.system, [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }]);
  const marks = sent.messages.map((one: { content: Record<string, unknown>[] }) =>
    one.content.map((block) => "cache_control" in block)
  );
  assertEquals(marks, [[false], [false, false, false, false], [false, true], [false], [true]]);
});

Deno.test("encode() puts all results of an answer into the one message after it", () => {
  const { messages } = body({ messages: turns });
  assertEquals(messages.map((one: { role: string }) => one.role), [
    "user",
    "assistant",
    "user",
    "assistant",
    "user",
  ]);
  assertEquals(messages[1].content[0], { type: "thinking", thinking: "Look.", signature: "sig==" });
  assertEquals(messages[1].content[3], { type: "tool_use", id: "c2", name: "read", input: {} });
  assertEquals(
    messages[2].content.map((
      one: { tool_use_id: string; is_error?: boolean },
    ) => [one.tool_use_id, one.is_error]),
    [
      ["c1", undefined],
      ["c2", true],
    ],
  );
});

Deno.test("encode() keeps thoughts of others and thoughts without a signature out, and redacted ones in", () => {
  const parts: AssistantMessage["parts"] = [
    { type: "thinking", text: "unsigned" },
    { type: "thinking", text: "", opaque: "secret data" },
    { type: "text", text: "Yes." },
  ];
  assertEquals(body({ messages: [user("go"), answer(parts)] }).messages[1].content, [
    { type: "redacted_thinking", data: "secret data" },
    { type: "text", text: "Yes." },
  ]);
  assertEquals(body({ messages: [user("go"), answer(parts, "other/model")] }).messages[1].content, [
    { type: "text", text: "Yes." },
  ]);
});

Deno.test("encode() sends images and documents to models that take them, and a word to others", () => {
  const messages: Message[] = [{
    role: "user",
    parts: [
      { type: "text", text: " " },
      { type: "image", mediaType: "image/png", data: "AAAA" },
      { type: "document", mediaType: "application/pdf", data: "JVBE", name: "a.pdf" },
    ],
  }];
  const able: Model = { ...testModel, images: true, documents: true };
  const plain = (content: Record<string, unknown>[]) => content.map(({ cache_control: _, ...rest }) => rest);
  assertEquals(plain(body({ model: able, messages }).messages[0].content), [
    { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
    {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: "JVBE" },
      title: "a.pdf",
    },
  ]);
  assertEquals(
    body({ messages }).messages[0].content.map((one: { type: string }) => one.type),
    ["text", "text"],
  );
});

Deno.test("encode() says a thinking level as a number of tokens below the limit, or by name", () => {
  const budget: Model = { ...testModel, reasoning: true, maxOutput: 8192 };
  assertEquals(body({ model: budget, thinking: "high" }).thinking, { type: "enabled", budget_tokens: 7168 });
  assertEquals(body({ model: budget, thinking: "low" }).thinking, { type: "enabled", budget_tokens: 4096 });
  assertEquals(body({ model: budget, thinking: "off" }).thinking, { type: "disabled" });
  assertEquals("thinking" in body({ model: budget }), false);
  const adaptive: Model = { ...budget, thinkingForm: "adaptive" };
  const sent = body({ model: adaptive, thinking: "medium", outputSchema: { type: "object" } });
  assertEquals([sent.thinking, sent.output_config], [
    { type: "adaptive" },
    { effort: "medium", format: { type: "json_schema", schema: { type: "object" } } },
  ]);
  assertEquals("thinking" in body({ thinking: "high" }), false, "a model that does not think");
});

Deno.test("encode() leaves a budget out while calls of another model wait for their end", () => {
  const model: Model = { ...testModel, reasoning: true };
  const open = [user("go"), answer([call("c1")], "other/model"), result("c1", "x")];
  assertEquals("thinking" in body({ model, thinking: "high", messages: open }), false);
  assertEquals("thinking" in body({ model, thinking: "high", messages: [...open, user("and now?")] }), true);
});

Deno.test("encode() never lets an unpaired surrogate out, and makes foreign ids fit", () => {
  const text = encode(testRequest({
    messages: [
      user("a\ud800"),
      answer([call("functions.read:0", '{"p":"\\ud83d"}')], "other/model"),
      result("functions.read:0", "e\udfff"),
    ],
  }));
  assert(text.isWellFormed() && !/\\u[dD][89a-fA-F]/.test(text));
  const { messages } = JSON.parse(text);
  const id = messages[1].content[0].id;
  assert(/^[\w-]+$/.test(id));
  assertEquals(messages[2].content[0].tool_use_id, id);
});

Deno.test("encode() leaves room for thinking beside the answer that was asked for, and forbids calls without losing the cache", () => {
  const model: Model = { ...testModel, reasoning: true, maxOutput: 64_000 };
  const sent = body({ model, thinking: "low", maxOutput: 2_000, tools: [tool], toolChoice: "none" });
  assertEquals([sent.max_tokens, sent.thinking.budget_tokens, "tool_choice" in sent], [6_096, 4_096, false]);
  assertEquals(body({ model, maxOutput: 2_000 }).max_tokens, 2_000);
});

Deno.test("encode() puts what the user's side says in a row into one message: roles alternate", () => {
  const { messages } = body({
    messages: [
      user("one"),
      { role: "system", text: "<date>\n2026-01-02\n</date>" },
      user("two"),
      answer([call("c1")]),
      result("c1", "hello"),
      user("three"),
    ],
  });
  assertEquals(messages.map(({ role }: { role: string }) => role), ["user", "assistant", "user"]);
  assertEquals(messages[0].content.map(({ text }: { text: string }) => text), [
    "one",
    "<date>\n2026-01-02\n</date>",
    "two",
  ]);
  assertEquals(messages[2].content.map(({ type }: { type: string }) => type), ["tool_result", "text"]);
});
