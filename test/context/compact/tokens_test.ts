import { assert, assertEquals } from "@std/assert";
import { createMeter, estimateTokens, messageTokens } from "../../../src/context/compact/mod.ts";
import type { Message, Usage } from "../../../src/llm/message.ts";

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const reply = (text: string): Message => ({
  role: "assistant",
  parts: [{ type: "text", text }],
  stopReason: "stop",
  model: "a/b",
});
const usage = (input: number, output: number, cacheRead = 0): Usage => ({
  input,
  output,
  cacheRead,
  cacheWrite: 0,
  reasoning: 0,
});

Deno.test("estimateTokens() of a long text is about what its parts have", () => {
  const text = "The quick brown fox jumps over the lazy dog, again and again.\n".repeat(3_000);
  const parts = estimateTokens(text.slice(0, 6_200)) * (text.length / 6_200);
  assert(Math.abs(estimateTokens(text) - parts) / parts < 0.05);
});

Deno.test("a meter is exact where the provider counted, and adds an estimate for what came later", () => {
  const meter = createMeter(100);
  const messages = [user("hello ".repeat(500)), reply("hi")];
  assertEquals(meter.measure(messages).exact, false);
  meter.observe(messages, usage(100, 20, 500));
  assertEquals(meter.measure(messages), { tokens: 620, exact: true });
  const later = meter.measure([...messages, user("more words here ".repeat(50))]);
  assertEquals(later.exact, false);
  assert(later.tokens > 650 && later.tokens < 1_000, `${later.tokens}`);
});

Deno.test("a meter tells what no message explains, and keeps it when the messages are gone", () => {
  const meter = createMeter(300);
  const messages = [user("go"), reply("ok")];
  meter.observe(messages, usage(63_000, 50));
  assert(meter.fixed > 62_000);
  assert(meter.measure([user("<summary>\ns\n</summary>")]).tokens > 62_000);
});

Deno.test("messageTokens() counts images and calls", () => {
  assert(
    messageTokens({ role: "user", parts: [{ type: "image", mediaType: "image/png", data: "" }] }) > 1_000,
  );
  const call: Message = {
    role: "assistant",
    parts: [{ type: "tool_call", id: "1", name: "read", arguments: '{"path":"a.ts"}' }],
    stopReason: "tool_calls",
    model: "a/b",
  };
  assert(messageTokens(call) > 8);
});
