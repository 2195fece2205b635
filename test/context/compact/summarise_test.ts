import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  estimateTokens,
  summarise,
  type SummaryAnswer,
  type SummaryInput,
  summaryPrompts,
  type SummaryRequest,
} from "../../../src/context/compact/mod.ts";
import { headAndEnd, serializeConversation } from "../../../src/context/compact/serialize.ts";
import { type Message, textOf } from "../../../src/llm/message.ts";

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const result = (text: string): Message => ({
  role: "tool_result",
  callId: "c",
  name: "bash",
  parts: [{ type: "text", text }],
  isError: false,
});

const MESSAGES: Message[] = [
  { role: "system", text: "prompt" },
  user("old wish"),
  { role: "assistant", parts: [{ type: "text", text: "done" }], stopReason: "stop", model: "a/b" },
  user("new wish"),
];
const INPUT: SummaryInput = {
  messages: MESSAGES,
  cut: 3,
  withinTurn: false,
  way: "live",
  budget: 2_000,
  room: 50_000,
  prompts: summaryPrompts(new Map()),
};

function scripted(...answers: SummaryAnswer[]) {
  const requests: SummaryRequest[] = [];
  return {
    requests,
    complete(request: SummaryRequest) {
      requests.push(request);
      return Promise.resolve(answers[requests.length - 1]);
    },
  };
}

const text = (text: string): SummaryAnswer => ({ type: "text", text, cut: false });
const live = new AbortController().signal;

Deno.test("summarise() asks inside the conversation: the same messages and one more", async () => {
  const model = scripted(text("It went well."));
  const outcome = await summarise(INPUT, model.complete, live);
  assertEquals(outcome.type === "summary" && outcome.text, "It went well.");
  assertEquals(model.requests.length, 1);
  assert(model.requests[0].live);
  assertEquals(model.requests[0].messages.slice(0, -1), MESSAGES);
  assertStringIncludes(
    textOf((model.requests[0].messages.at(-1) as Message & { role: "user" }).parts),
    "At most 2000 tokens",
  );
});

Deno.test("summarise() asks apart from it where the first answer is refused, does not fit or is empty", async () => {
  for (
    const first of [
      { type: "overflow", why: "too long" },
      { type: "failed", why: "no" },
      text("  \n"),
    ] as const
  ) {
    const model = scripted(first, text("Apart."));
    const outcome = await summarise({ ...INPUT, focus: "the port" }, model.complete, live);
    assertEquals(outcome.type === "summary" && outcome.text, "Apart.");
    const [, second] = model.requests;
    assert(!second.live);
    const asked = textOf((second.messages[1] as Message & { role: "user" }).parts);
    assertStringIncludes(asked, "old wish");
    assertStringIncludes(asked, "Keep in particular: the port");
    assert(!asked.includes("new wish"), "what stays is not summarised");
  }
});

Deno.test("summarise() says why there is none, and leaves a cancel to the caller", async () => {
  const model = scripted({ type: "failed", why: "no" }, text(""));
  const outcome = await summarise(INPUT, model.complete, live);
  assertEquals(outcome, { type: "failed", why: "the model's summary is empty", usages: [] });
  await assertRejects(
    () => summarise(INPUT, model.complete, AbortSignal.abort(new Error("stop"))),
    Error,
    "stop",
  );
});

Deno.test("summarise() says what an earlier summary and a cut within a turn ask for", async () => {
  const model = scripted(text("s"));
  const messages = [user("<summary>\nbefore\n</summary>"), ...MESSAGES.slice(1)];
  await summarise({ ...INPUT, messages, withinTurn: true }, model.complete, live);
  const asked = textOf((model.requests[0].messages.at(-1) as Message & { role: "user" }).parts);
  assertStringIncludes(asked, "earlier summary");
  assertStringIncludes(asked, "In progress");
});

Deno.test("serializeConversation() keeps the endings of results, the newest most, and never drops the last message", () => {
  const messages: Message[] = [];
  for (let at = 0; at < 400; at++) {
    messages.push(
      user(`wish ${at}`),
      result(`start ${at}\n${"noise ".repeat(2_000)}\nFAILED: outcome ${at}`),
    );
  }
  const out = serializeConversation(messages, 4_000);
  assert(estimateTokens(out) <= 5_000, `${estimateTokens(out)}`);
  assertStringIncludes(out, "FAILED: outcome 399");
  assertStringIncludes(out, "wish 399");
  assert(!out.includes("wish 0\n"), "the oldest goes first");
  assertStringIncludes(serializeConversation([user("x ".repeat(50_000))], 1_000), "characters left out");
});

Deno.test("headAndEnd() keeps both ends and no half of a character", () => {
  const cut = headAndEnd("a" + "\u{1f600}".repeat(100), 30);
  assert(cut.isWellFormed());
  assert(cut.startsWith("a") && cut.includes("left out"));
});
