import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  clearable,
  CLEARED,
  messageTokens,
  planCut,
  planSpace,
  roomForRecent,
  type SpaceLimits,
  summaryBudget,
  triggerOf,
} from "../../../src/context/compact/mod.ts";
import type { Message } from "../../../src/llm/message.ts";

const LIMITS: SpaceLimits = { contextWindow: 200_000, reserve: 16_384, keepRecentTokens: 20_000 };

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const call = (id: string): Message => ({
  role: "assistant",
  parts: [{ type: "tool_call", id, name: "read", arguments: "{}" }],
  stopReason: "tool_calls",
  model: "a/b",
});
const result = (callId: string, tokens: number): Message => ({
  role: "tool_result",
  callId,
  name: "read",
  parts: [{ type: "text", text: "word ".repeat(tokens) }],
  isError: false,
});
const total = (messages: readonly Message[]) =>
  messages.reduce((sum, message) => sum + messageTokens(message), 0);

Deno.test("triggerOf() is the window without the reserve, or the threshold where that comes sooner, and never nothing", () => {
  assertEquals(triggerOf(LIMITS), 183_616);
  assertEquals(triggerOf({ ...LIMITS, threshold: 0.8 }), 160_000);
  assertEquals(triggerOf({ ...LIMITS, contextWindow: 8_000 }), 4_000);
});

Deno.test("the summary's room is declared, and what is kept leaves it free", () => {
  for (const contextWindow of [8_000, 32_000, 65_536, 200_000, 1_000_000]) {
    const limits = { ...LIMITS, contextWindow };
    const budget = summaryBudget(limits);
    assert(budget >= 1_024 && budget <= 16_000);
    assert(roomForRecent(limits, 2_000) + budget + 2_000 <= triggerOf(limits), `${contextWindow}`);
  }
  assertEquals(roomForRecent(LIMITS, 2_000), 20_000);
});

Deno.test("planSpace() does nothing below the trigger", () => {
  assertEquals(planSpace([user("hi")], { tokens: 183_616, fixed: 0 }, LIMITS).type, "none");
});

Deno.test("planSpace() clears old tool output where that frees enough, and nothing else", () => {
  const messages: Message[] = [user("go")];
  for (let at = 0; at < 10; at++) messages.push(call(`c${at}`), result(`c${at}`, 19_000));
  const action = planSpace(messages, { tokens: 190_000, fixed: 0 }, LIMITS);
  assertEquals(action.type, "clear");
  const cleared = action.type === "clear" ? action.results.map(({ at }) => at) : [];
  // The newest 40,000 tokens of output stay: three results of 19,000.
  assertEquals(cleared, [2, 4, 6, 8, 10, 12, 14]);
});

Deno.test("planSpace() summarises where clearing frees too little", () => {
  const messages: Message[] = [user("go ".repeat(20_000))];
  for (let at = 0; at < 3; at++) messages.push(call(`c${at}`), result(`c${at}`, 19_000));
  assertEquals(planSpace(messages, { tokens: 190_000, fixed: 0 }, LIMITS).type, "summarise");
});

Deno.test("planSpace() says when nothing is left that could go", () => {
  const summary = user("<summary>\nAll of it.\n</summary>");
  const messages: Message[] = [{ role: "system", text: "x" }, summary];
  assertEquals(planSpace(messages, { tokens: 190_000, fixed: 189_000 }, LIMITS).type, "stuck");
});

Deno.test("clearable() leaves alone what is cleared already, and small results", () => {
  const messages: Message[] = [
    call("a"),
    {
      ...result("a", 1),
      parts: [{ type: "text", text: `${CLEARED}~900 tokens; full text: artifact://1]` }],
    } as Message,
    call("b"),
    result("b", 10),
    call("c"),
    result("c", 5_000),
  ];
  assertEquals(clearable(messages, 0).map(({ at }) => at), [5]);
});

Deno.test("planCut() never splits a call from its results, keeps the last step, and keeps no more than asked", () => {
  const step = fc.record({
    calls: fc.integer({ min: 0, max: 3 }),
    tokens: fc.integer({ min: 1, max: 3_000 }),
    ask: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 0, max: 9_000 }),
      (steps, keep) => {
        const messages: Message[] = [{ role: "system", text: "prompt" }, user("begin")];
        for (const [at, { calls, tokens, ask }] of steps.entries()) {
          const ids = Array.from({ length: calls }, (_, n) => `${at}.${n}`);
          messages.push({
            role: "assistant",
            parts: ids.map((id) => ({ type: "tool_call", id, name: "read", arguments: "{}" })),
            stopReason: calls > 0 ? "tool_calls" : "stop",
            model: "a/b",
          });
          for (const id of ids) messages.push(result(id, tokens));
          if (ask && calls === 0) {
            messages.push(user("more"));
          }
        }
        const cut = planCut(messages, keep);
        if (cut === undefined) return;
        const first = messages[cut.at];
        assert(first === undefined || first.role === "user" || first.role === "assistant");
        const kept = messages.slice(cut.at);
        const lastStep = messages.findLastIndex(({ role }) => role === "assistant");
        const over = total(kept) > keep;
        if (over) assertEquals(cut.at, lastStep, "more than asked is kept only of the last step");
        if (messages.at(-1)?.role === "tool_result") assert(cut.at <= lastStep);
      },
    ),
  );
});
