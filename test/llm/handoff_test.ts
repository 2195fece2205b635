import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import fc from "fast-check";
import { handoff } from "../../src/llm/handoff.ts";
import { type AssistantMessage, type Message, toolCalls } from "../../src/llm/message.ts";
import { testModel } from "../support/llm_run.ts";

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const answer = (parts: AssistantMessage["parts"], model = "local/mock-1"): AssistantMessage => ({
  role: "assistant",
  parts,
  stopReason: "tool_calls",
  model,
});
const call = (id: string, opaque?: unknown) =>
  ({ type: "tool_call", id, name: "read", arguments: "{}", ...(opaque ? { opaque } : {}) }) as const;
const result = (callId: string): Message => ({
  role: "tool_result",
  callId,
  name: "read",
  parts: [{ type: "text", text: "x" }],
  isError: false,
});

Deno.test("handoff() gives back a history that fits as it is", () => {
  const messages = [
    user("go"),
    answer([{ type: "thinking", text: "hm", signature: "s" }, call("a")]),
    result("a"),
  ];
  assertStrictEquals(handoff(messages, testModel), messages);
});

Deno.test("handoff() keeps out what another model thought, signed and numbered", () => {
  const messages = [
    user("go"),
    answer([
      { type: "thinking", text: "hm", signature: "s" },
      { type: "text", text: "Yes.", opaque: { id: "msg_1" } },
      call("a", { id: "fc_1" }),
    ], "other/model"),
    result("a"),
  ];
  assertEquals(
    handoff(messages, testModel)[1],
    answer([{ type: "text", text: "Yes." }, call("a")], "other/model"),
  );
});

Deno.test("handoff() makes ids fit, unique and the same each time; results follow", () => {
  const messages = [
    user("go"),
    answer([call("functions.read:0"), call("a")], "other/model"),
    result("functions.read:0"),
    result("a"),
    answer([call("a")]),
    result("a"),
  ];
  const once = handoff(messages, testModel);
  assertEquals(handoff(messages, testModel), once);
  const ids = once.flatMap((message) =>
    message.role === "assistant" ? toolCalls(message).map(({ id }) => id) : []
  );
  assertEquals(new Set(ids).size, 3);
  assert(ids.every((id) => /^[\w-]{1,40}$/.test(id)));
  assertEquals(once.flatMap((message) => message.role === "tool_result" ? [message.callId] : []), ids);
  const nine = handoff(messages, testModel, { pattern: /^[a-zA-Z0-9]{9}$/, length: 9 });
  const made = nine[1].role === "assistant" ? toolCalls(nine[1]).map(({ id }) => id) : [];
  assert(made.length === 2 && made.every((id) => /^[a-z0-9]{9}$/.test(id)));
});

Deno.test("handoff() gives each call one result, and leaves out a result without a call", () => {
  const out = handoff(
    [user("go"), answer([call("a"), call("b")]), result("b"), user("and?"), result("zzz")],
    testModel,
  );
  assertEquals(out.map((message) => message.role), [
    "user",
    "assistant",
    "tool_result",
    "tool_result",
    "user",
  ]);
  const results = out.flatMap((message) =>
    message.role === "tool_result" ? [[message.callId, message.isError]] : []
  );
  assertEquals(results, [["b", false], ["a", true]]);
});

Deno.test("handoff() keeps a prefix a prefix, whatever the history", () => {
  const id = fc.constantFrom("a", "b", "functions.x:1", "ü", "x".repeat(60));
  const message: fc.Arbitrary<Message> = fc.oneof(
    id.map((text) => user(text)),
    fc.tuple(fc.array(id, { maxLength: 3 }), fc.boolean()).map(([ids, own]) =>
      answer([{ type: "text", text: "t" }, ...ids.map((one) => call(one))], own ? "local/mock-1" : "other/m")
    ),
    id.map(result),
  );
  fc.assert(fc.property(fc.array(message, { maxLength: 12 }), fc.nat(12), (messages, cut) => {
    // A request never ends between an answer and its results.
    const ends = messages.flatMap((one, at) => one.role !== "user" ? [] : [at + 1]).filter((end) =>
      end <= cut
    );
    const all = handoff(messages, testModel);
    for (const end of ends) {
      const part = handoff(messages.slice(0, end), testModel);
      assertEquals(all.slice(0, part.length), part);
    }
    const calls = all.flatMap((one) => one.role === "assistant" ? toolCalls(one).map((own) => own.id) : []);
    const results = all.flatMap((one) => one.role === "tool_result" ? [one.callId] : []);
    assertEquals([...results].sort(), [...calls].sort());
    assertEquals(new Set(calls).size, calls.length);
  }));
});
