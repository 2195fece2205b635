import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type LoopEnd, type LoopOptions, runLoop } from "../../src/agent/loop.ts";
import { errorResult, textResult, type ToolContext, type Tools } from "../../src/agent/tool.ts";
import { LlmError } from "../../src/llm/errors.ts";
import { type AssistantMessage, type Message, textOf } from "../../src/llm/message.ts";
import { answer, collector, memoryJournal, okTool, scripted, type Step, toolsOf } from "../support/fakes.ts";

interface Setup {
  readonly steps: readonly Step[];
  readonly tools?: Tools;
  readonly limits?: LoopOptions["limits"];
  readonly abort?: AbortController;
  readonly journal?: ReturnType<typeof memoryJournal>;
  readonly takeSteering?: LoopOptions["takeSteering"];
}

async function run(setup: Setup): Promise<{
  end: LoopEnd;
  requests: Message[][];
  messages: Message[];
  log: string[];
  seen: ReturnType<typeof collector>;
}> {
  const abort = setup.abort ?? new AbortController();
  const model = scripted(setup.steps, abort.signal);
  const journal = setup.journal ?? memoryJournal();
  const seen = collector();
  const messages: Message[] = [{ role: "user", parts: [{ type: "text", text: "task" }] }];
  const end = await runLoop({
    messages,
    tools: setup.tools ?? toolsOf({ read: okTool, write: okTool }),
    journal,
    limits: setup.limits ?? { maxSteps: 50 },
    signal: abort.signal,
    emit: seen.emit,
    stream: model.stream,
    costOf: () => 0.01,
    takeSteering: setup.takeSteering,
    now: () => 0,
  });
  return { end, requests: model.requests, messages, log: journal.log, seen };
}

const results = (messages: readonly Message[]) =>
  messages.flatMap((message) => message.role === "tool_result" ? [message] : []);

Deno.test("runLoop() goes on until the model stops calling, and adds up what it used", async () => {
  const { end, requests, seen } = await run({
    steps: [answer("look", [["read", {}]]), answer("", [["write", {}]]), answer("done")],
  });
  assertEquals(end.reason, "stop");
  assertEquals(end.text, "done");
  assertEquals(end.spent, {
    steps: 3,
    toolCalls: 2,
    usage: { input: 30, output: 15, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    costUsd: 0.03,
  });
  assertEquals(requests.length, 3);
  assertEquals(seen.types().filter((type) => type === "tool_end").length, 2);
});

Deno.test("runLoop() sends requests of which each starts with the one before", async () => {
  const { requests } = await run({
    steps: [answer("a", [["read", {}], ["nope", {}]]), answer("b", [["write", {}]]), answer("c")],
  });
  for (let i = 1; i < requests.length; i++) {
    const [before, after] = [requests[i - 1], requests[i]].map((messages) =>
      messages.map((one) => JSON.stringify(one))
    );
    assertEquals(after.slice(0, before.length), before);
  }
});

Deno.test("runLoop() writes an answer before its tools start and syncs results before the next request", async () => {
  const { log } = await run({ steps: [answer("", [["read", {}], ["write", {}]]), answer("end")] });
  assertEquals(log, [
    "sync",
    "assistant 2",
    "intent read",
    "result read",
    "intent write",
    "result write",
    "sync",
    "assistant 1",
  ]);
});

Deno.test("runLoop() stops when the journal fails, before any tool has run", async () => {
  let ran = 0;
  const tools = toolsOf({
    write: () => {
      ran++;
      return textResult("ok");
    },
  });
  await assertRejects(
    () =>
      run({
        steps: [answer("", [["write", {}]])],
        tools,
        journal: memoryJournal((line) => line.startsWith("assistant")),
      }),
    Error,
    "cannot write",
  );
  assertEquals(ran, 0);
});

Deno.test("runLoop() hands the sheath's calls over at once, and lets them begin once the answer is durable", async () => {
  const log: string[] = [];
  const tool = (name: string) => async (_args: unknown, { begin }: ToolContext) => {
    log.push(`${name} handed over`);
    await begin;
    log.push(`${name} begins`);
    return textResult("ok");
  };
  const journal = memoryJournal();
  const held = {
    ...journal,
    assistant: async (message: AssistantMessage) => {
      await othersTurn();
      log.push("answer durable");
      await journal.assistant(message, undefined);
    },
  };
  await run({
    steps: [answer("", [["read", {}], ["readMore", {}], ["write", {}]]), answer("end")],
    tools: toolsOf({ read: tool("read"), readMore: tool("readMore"), write: tool("write") }, "sheath"),
    journal: held,
  });
  assertEquals(log, [
    "read handed over",
    "readMore handed over",
    "answer durable",
    "read begins",
    "readMore begins",
    "write handed over",
    "write begins",
    "answer durable",
  ]);
});

Deno.test("runLoop() never lets a call begin whose answer could not be kept", async () => {
  const log: string[] = [];
  const tools = toolsOf({
    write: async (_args, { begin }) => {
      log.push("handed over");
      await begin;
      log.push("began");
      return textResult("ok");
    },
  }, "sheath");
  const journal = memoryJournal((line) => line.startsWith("assistant"));
  await assertRejects(
    () => run({ steps: [answer("", [["write", {}]])], tools, journal }),
    Error,
    "cannot write",
  );
  await othersTurn();
  assertEquals(log, ["handed over"]);
});

Deno.test("runLoop() runs neighbouring readers side by side and keeps the order of results", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => release = resolve);
  const started: string[] = [];
  const tools = toolsOf({
    readSlow: async () => {
      started.push("slow");
      await gate;
      return textResult("slow");
    },
    readFast: () => {
      started.push("fast");
      release();
      return textResult("fast");
    },
    write: () => {
      started.push("write");
      return textResult("write");
    },
  });
  const { messages } = await run({
    steps: [answer("", [["readSlow", {}], ["readFast", {}], ["write", {}]]), answer("end")],
    tools,
  });
  // The slow one only ends because the fast one ran meanwhile.
  assertEquals(started, ["slow", "fast", "write"]);
  assertEquals(results(messages).map((one) => textOf(one.parts)), ["slow", "fast", "write"]);
});

Deno.test("runLoop() gives every call one result: unknown tool, broken JSON, wrong shape, a body that throws", async () => {
  const tools = toolsOf({
    read: okTool,
    throws: () => {
      throw new Error("kaput");
    },
    fails: () => errorResult("no such file"),
  });
  const call = (id: string, name: string, args: string, broken?: true) =>
    ({ type: "tool_call", id, name, arguments: args, ...(broken ? { broken } : {}) }) as const;
  const { messages, end } = await run({
    steps: [
      answer("", [
        call("1", "nope", "{}"),
        call("2", "read", '{"path":', true),
        call("3", "read", "[1]"),
        call("4", "throws", "{}"),
        call("5", "fails", "{}"),
        call("6", "read", "{}"),
      ]),
      answer("end"),
    ],
    tools,
  });
  assertEquals(end.reason, "stop");
  const got = results(messages);
  assertEquals(got.map((one) => one.callId), ["1", "2", "3", "4", "5", "6"]);
  assertEquals(got.map((one) => one.isError), [true, true, true, true, true, false]);
  const texts = got.map((one) => textOf(one.parts));
  assertStringIncludes(texts[0], 'no tool named "nope". Tools: read, throws, fails');
  assertStringIncludes(texts[1], "was not run");
  assertStringIncludes(texts[2], "must be a JSON object, not an array");
  assertStringIncludes(texts[3], "kaput");
});

Deno.test("runLoop() ends at the limits with a reason", async () => {
  const forever = Array.from({ length: 10 }, () => answer("", [["read", {}]]));
  const steps = await run({ steps: forever, limits: { maxSteps: 3 } });
  assertEquals([steps.end.reason, steps.requests.length], ["max_steps", 3]);
  // Every call has its result, so that the session can go on.
  assertEquals(results(steps.messages).length, 3);
  const budget = await run({ steps: forever, limits: { maxSteps: 50, budgetUsd: 0.025 } });
  assertEquals([budget.end.reason, budget.requests.length], ["budget", 3]);
});

Deno.test("runLoop() ends with the provider's error and runs nothing of the broken answer", async () => {
  const { end, log } = await run({ steps: [new LlmError("protocol", "stream ended early")] });
  assert(end.reason === "error");
  assertEquals(end.error.message, "stream ended early");
  assertEquals(log, ["sync"]);
});

Deno.test("runLoop() takes half of an answer for none: it is told, and kept as what it is", async () => {
  const { end, messages, log, seen } = await run({
    steps: [answer("look", [["read", {}]]), async function* () {
      yield { type: "start" };
      yield { type: "text_delta", text: "The fault is" };
      yield { type: "error", error: new LlmError("network", "stream stalled") };
    }],
  });
  assertEquals([end.reason, end.text], ["error", "look"]);
  assertEquals(log.slice(-2), ["sync", "note"]);
  const notice = seen.events.find((event) => event.type === "notice");
  assertEquals(notice, {
    type: "notice",
    level: "warning",
    text: "The answer broke off after: The fault is",
  });
  const last = messages.at(-1);
  assert(last?.role === "user");
  assertStringIncludes(textOf(last.parts), "it had begun: The fault is");
});

Deno.test("runLoop() says that the output limit cut a call, also where the tool is unknown", async () => {
  const half = (id: string, name: string) =>
    ({ type: "tool_call", id, name, arguments: '{"path":', broken: true }) as const;
  const { messages } = await run({
    steps: [
      { ...answer("", [half("1", "write")]), stopReason: "length" },
      { ...answer("", [half("2", "nope")]), stopReason: "length" },
      answer("end"),
    ],
  });
  const texts = results(messages).map((one) => textOf(one.parts));
  for (const text of texts) assertStringIncludes(text, "cut at the output limit");
  assertStringIncludes(texts[1], 'no tool named "nope"');
});

Deno.test("runLoop() keeps what was said before an interruption, and starts no more calls", async () => {
  const abort = new AbortController();
  const { end, messages, log } = await run({
    abort,
    steps: [async function* () {
      yield { type: "start" };
      yield { type: "text_delta", text: "I will now" };
      abort.abort();
    }],
  });
  assertEquals(end.reason, "aborted");
  assertEquals(log, ["sync", "note"]);
  const last = messages.at(-1);
  assert(last?.role === "user");
  assertStringIncludes(textOf(last.parts), "I will now");
});

Deno.test("runLoop() gives a result to calls that an interruption overtakes", async () => {
  const abort = new AbortController();
  const tools = toolsOf({
    write: () => {
      abort.abort();
      return textResult("written");
    },
  });
  const { end, messages } = await run({
    abort,
    tools,
    steps: [answer("", [["write", {}], { type: "tool_call", id: "c9", name: "write", arguments: "{}" }])],
  });
  assertEquals(end.reason, "aborted");
  assertEquals(results(messages).map((one) => textOf(one.parts)), [
    "written",
    "Not run: the user interrupted.",
  ]);
});

Deno.test("runLoop() says that a permission was missing when the model gives up on it", async () => {
  const tools = toolsOf({ read: okTool, write: () => errorResult("refused", { denied: "run make" }) });
  const gaveUp = await run({ tools, steps: [answer("", [["write", {}]]), answer("cannot")] });
  assert(gaveUp.end.reason === "denied");
  assertEquals(gaveUp.end.denied, "run make");
  const otherWay = await run({
    tools,
    steps: [answer("", [["write", {}]]), answer("", [["read", {}]]), answer("done")],
  });
  assertEquals(otherWay.end.reason, "stop");
});

Deno.test("runLoop() takes what the user adds before the next request, and after the last answer", async () => {
  const queue: Message[][] = [[], [{ role: "user", parts: [{ type: "text", text: "more" }] }]];
  const { end, requests } = await run({
    steps: [answer("first"), answer("second")],
    takeSteering: () => Promise.resolve(queue.shift() ?? []),
  });
  assertEquals(end.text, "second");
  assertEquals(requests[1].at(-1)?.role, "user");
});

function othersTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
