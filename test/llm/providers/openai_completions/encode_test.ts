import { assert, assertEquals } from "@std/assert";
import type { AssistantMessage, Message } from "../../../../src/llm/message.ts";
import type { Model } from "../../../../src/llm/model.ts";
import type { LlmRequest } from "../../../../src/llm/provider.ts";
import { encode } from "../../../../src/llm/providers/openai_completions/encode.ts";
import { chatUrl, quirksOf } from "../../../../src/llm/providers/openai_completions/quirks.ts";
import { testModel, testRequest } from "../../../support/llm_run.ts";

const local = quirksOf("http://127.0.0.1:8080/v1");

function body(more: Partial<LlmRequest>, quirks = local) {
  return JSON.parse(encode(testRequest(more), quirks));
}

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const result = (callId: string, text: string): Message => ({
  role: "tool_result",
  callId,
  name: "read",
  parts: [{ type: "text", text }],
  isError: false,
});
const assistant = (parts: AssistantMessage["parts"], model = "local/mock-1"): Message => ({
  role: "assistant",
  parts,
  stopReason: "tool_calls",
  model,
});
const tool = { name: "read", description: "Reads.", schema: { type: "object", properties: {} } };

/** The bytes of the messages of a body, without the closing bracket. */
function messageBytes(text: string): string {
  const start = text.indexOf('"messages":[');
  const end = text.indexOf('],"tools":');
  assert(start >= 0 && end > start);
  return text.slice(start, end);
}

Deno.test("encode() makes earlier messages a byte-for-byte prefix of later ones, and tools identical", () => {
  const turns: Message[] = [
    { role: "system", text: "Be brief." },
    user("What is in a.md?"),
    assistant([
      { type: "thinking", text: "Look.", field: "reasoning_content" },
      { type: "text", text: "I look." },
      { type: "tool_call", id: "c1", name: "read", arguments: '{"path":"a.md"}' },
      { type: "tool_call", id: "c2", name: "read", arguments: '{"pa', broken: true },
    ]),
    result("c1", "hello"),
    {
      role: "tool_result",
      callId: "c2",
      name: "read",
      parts: [{ type: "text", text: "seen" }, { type: "image", mediaType: "image/png", data: "AAAA" }],
      isError: true,
    },
    assistant([{ type: "text", text: "It says hello." }]),
    user("Thanks 😀"),
  ];
  const model: Model = { ...testModel, images: true, options: { temperature: 0 } };
  // A request ends where the model is to speak: after the user or after all results.
  const bodies = [2, 5, 7].map((count) =>
    encode(testRequest({ model, tools: [tool], messages: turns.slice(0, count) }), local)
  );
  for (let i = 1; i < bodies.length; i++) {
    const [earlier, later] = [messageBytes(bodies[i - 1]), messageBytes(bodies[i])];
    assertEquals(later.slice(0, earlier.length), earlier);
    assert(later.length > earlier.length);
  }
  const rests = bodies.map((text) => text.slice(text.indexOf('],"tools":')));
  assertEquals(new Set(rests).size, 1);
});

Deno.test("encode() is the same for the same request, key order included", () => {
  const text = encode(testRequest({ tools: [tool], maxOutput: 5, toolChoice: "none" }), local);
  assertEquals(Object.keys(JSON.parse(text)), [
    "model",
    "messages",
    "tools",
    "tool_choice",
    "stream",
    "stream_options",
    "max_tokens",
  ]);
  assertEquals(encode(testRequest({ tools: [tool], maxOutput: 5, toolChoice: "none" }), local), text);
});

Deno.test("encode() sends broken arguments as an empty object and whole ones as they came", () => {
  const { messages } = body({
    messages: [
      user("go"),
      assistant([
        { type: "tool_call", id: "a", name: "read", arguments: '{ "path" : "x" }' },
        { type: "tool_call", id: "b", name: "read", arguments: '{"path":"x', broken: true },
        { type: "tool_call", id: "c", name: "not a name!", arguments: "{}" },
      ]),
    ],
  });
  assertEquals(messages[1].content, null);
  assertEquals(messages[1].tool_calls.map((call: { function: unknown }) => call.function), [
    { name: "read", arguments: '{ "path" : "x" }' },
    { name: "read", arguments: "{}" },
    { name: "not_a_name_", arguments: "{}" },
  ]);
});

Deno.test("encode() sends thoughts back in the field they came in, to the same model only", () => {
  const details = [{ type: "reasoning.text", text: "Hm.", index: 0 }];
  const messages = [
    user("go"),
    assistant([
      { type: "thinking", text: "Hm.", field: "reasoning", opaque: details },
      { type: "text", text: "Yes." },
    ]),
  ];
  assertEquals(body({ messages }).messages[1], {
    role: "assistant",
    content: "Yes.",
    reasoning: "Hm.",
    reasoning_details: details,
  });
  const other = { ...testModel, id: "another" };
  assertEquals(body({ messages, model: other }).messages[1], { role: "assistant", content: "Yes." });
});

Deno.test("encode() never lets an unpaired surrogate out, raw or escaped", () => {
  const text = encode(
    testRequest({
      messages: [
        { role: "system", text: "a\ud800" },
        user("b\udc00 and 😀"),
        assistant([
          { type: "thinking", text: "c\ud83d", field: "reasoning_content" },
          { type: "text", text: "d\ud83d" },
          { type: "tool_call", id: "x", name: "read", arguments: '{"p":"\\ud83d","q":"\\ud83d\\ude00"}' },
          { type: "tool_call", id: "y", name: "read", arguments: '{"p":"\ud83d"}' },
        ]),
        result("x", "e\udfff"),
      ],
    }),
    local,
  );
  assert(text.isWellFormed());
  assert(!/\\u[dD][89a-fA-F]/.test(text), text);
  const calls = JSON.parse(text).messages[2].tool_calls;
  assertEquals(JSON.parse(calls[0].function.arguments), { p: "\ufffd", q: "😀" });
});

Deno.test("encode() sends images as data URLs, and says where one was left out", () => {
  const messages: Message[] = [{
    role: "user",
    parts: [{ type: "text", text: "see" }, { type: "image", mediaType: "image/png", data: "AAAA" }],
  }];
  assertEquals(body({ messages, model: { ...testModel, images: true } }).messages[0].content, [
    { type: "text", text: "see" },
    { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
  ]);
  assertEquals(body({ messages }).messages[0].content, "see\n(an image, left out: this model takes none)");
});

Deno.test("encode() puts the images of tool results after the whole run of results", () => {
  const picture = (callId: string): Message => ({
    role: "tool_result",
    callId,
    name: "read",
    parts: [{ type: "image", mediaType: "image/png", data: callId }],
    isError: false,
  });
  const call = (id: string) => ({ type: "tool_call", id, name: "read", arguments: "{}" }) as const;
  const { messages } = body({
    model: { ...testModel, images: true },
    messages: [user("go"), assistant([call("a"), call("b")]), picture("a"), picture("b")],
  });
  assertEquals(messages.map((message: { role: string }) => message.role), [
    "user",
    "assistant",
    "tool",
    "tool",
    "user",
  ]);
  assertEquals(messages[4].content.filter((part: { type: string }) => part.type === "image_url").length, 2);
});

Deno.test("encode() passes options through, and null takes a field out", () => {
  const model = {
    ...testModel,
    options: { temperature: 0.2, stream_options: null, model: "x", messages: [], top_k: 3 },
  };
  const sent = body({ model });
  assertEquals([sent.temperature, sent.top_k, sent.model, "stream_options" in sent], [
    0.2,
    3,
    "mock-1",
    false,
  ]);
  assertEquals(sent.messages.length, 1);
});

Deno.test("encode() says the thinking level as the server wants it, to models that think", () => {
  const model = { ...testModel, reasoning: true };
  assertEquals(body({ model, thinking: "high" }).reasoning_effort, "high");
  assertEquals(body({ model, thinking: "off" }).reasoning_effort, "none");
  assertEquals("reasoning_effort" in body({ thinking: "high" }), false);
  const router = quirksOf("https://openrouter.ai/api/v1");
  assertEquals(body({ model, thinking: "low" }, router).reasoning, { effort: "low" });
  assertEquals(body({ model, thinking: "off" }, router).reasoning, { enabled: false });
});

Deno.test("encode() asks for an answer by schema, and for its length", () => {
  const schema = { type: "object", properties: { n: { type: "number" } } };
  assertEquals(body({ outputSchema: schema }).response_format, {
    type: "json_schema",
    json_schema: { name: "answer", schema },
  });
  assertEquals(body({ maxOutput: 9 }, quirksOf("https://api.openai.com/v1")).max_completion_tokens, 9);
});

Deno.test("encode() leaves out a message of thoughts alone and fills an empty result", () => {
  const { messages } = body({
    messages: [
      user("go"),
      assistant([{ type: "tool_call", id: "a", name: "read", arguments: "{}" }]),
      result("a", ""),
      assistant([{ type: "thinking", text: "hm", field: "reasoning_content" }]),
    ],
  });
  assertEquals(messages.slice(2), [{ role: "tool", tool_call_id: "a", content: "(no output)" }]);
});

Deno.test("chatUrl() works with and without the version in the base URL", () => {
  const urls: [string, string][] = [
    ["http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat/completions"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"],
    ["http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1/chat/completions"],
    ["https://openrouter.ai/api", "https://openrouter.ai/api/v1/chat/completions"],
    ["https://host.example/v1beta/openai", "https://host.example/v1beta/openai/chat/completions"],
    ["https://host.example/paas/v4", "https://host.example/paas/v4/chat/completions"],
    ["https://host.example/x/chat/completions", "https://host.example/x/chat/completions"],
    [
      "https://host.example/openai?api-version=1",
      "https://host.example/openai/v1/chat/completions?api-version=1",
    ],
  ];
  for (const [base, url] of urls) assertEquals(chatUrl(base), url);
});
