import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createSpace, type SpaceOptions, type SpaceSettings } from "../../src/engine/space.ts";
import type { EngineEvent } from "../../src/engine/event.ts";
import { LlmError } from "../../src/llm/errors.ts";
import type { StreamEvent } from "../../src/llm/event.ts";
import { type AssistantMessage, type Message, textOf, type Usage } from "../../src/llm/message.ts";
import { createMemorySession, type Session } from "../../src/session/mod.ts";

const SETTINGS: SpaceSettings = {
  enabled: true,
  reserve: 16_384,
  threshold: 1,
  keepRecentTokens: 20_000,
  strategy: "plain",
  summaryRequest: "live",
};
const signal = new AbortController().signal;

const answer = (text: string, input?: number): AssistantMessage => ({
  role: "assistant",
  parts: [{ type: "text", text }],
  stopReason: "stop",
  model: "test/model",
  ...(input === undefined ? {} : { usage: usage(input) }),
});
const usage = (input: number): Usage => ({ input, output: 50, cacheRead: 0, cacheWrite: 0, reasoning: 0 });

async function say(session: Session, text: string): Promise<void> {
  await session.append({
    kind: "submission",
    requestId: crypto.randomUUID(),
    parts: [{ type: "text", text }],
    message: [{ type: "text", text }],
  });
}

interface Setup {
  readonly settings?: Partial<SpaceSettings>;
  /** What the model answers to each request for a summary. */
  readonly summaries?: readonly (string | LlmError)[];
  readonly window?: number | null;
  /** A session to go on with. */
  readonly session?: Session;
  /** What the small model says; null: it cannot be reached. */
  readonly pruner?: string | null;
}

async function setUp(setup: Setup = {}) {
  const session = setup.session ?? createMemorySession({ cwd: "/ws" });
  if (setup.session === undefined) await session.append({ kind: "system", text: "You are a test." });
  const pruned: string[] = [];
  const events: EngineEvent[] = [];
  const asked: { messages: readonly Message[]; live: boolean }[] = [];
  const kept: string[] = [];
  const model = setup.window === null ? {} : { contextWindow: setup.window ?? 65_536 };
  const options: SpaceOptions = {
    session,
    entries: [],
    model: () => model,
    settings: { ...SETTINGS, ...setup.settings },
    promptFiles: () => new Map(),
    async *request({ messages, live }) {
      asked.push({ messages: [...messages], live });
      const said = setup.summaries?.[asked.length - 1] ?? "What was done.";
      yield said instanceof LlmError
        ? { type: "error", error: said }
        : { type: "done", message: answer(said) };
    },
    keep: (text) => Promise.resolve(`artifact://${kept.push(text)}`),
    costOf: () => undefined,
    ...(setup.pruner === undefined ? {} : {
      pruner: {
        async *ask(messages: readonly Message[]): AsyncGenerator<StreamEvent> {
          pruned.push(
            messages.map((message) => message.role === "user" ? textOf(message.parts) : "").join(""),
          );
          yield setup.pruner === null
            ? { type: "error", error: new LlmError("network", "nobody is there") }
            : { type: "done", message: answer(setup.pruner!, 700) };
        },
        costOf: () => 0.001,
      },
    }),
    emit: (event) => void events.push(event),
  };
  const space = createSpace(options);
  const sent: (readonly Message[])[] = [];
  /** One request as a run makes it; the answer is written down like a run's. */
  async function send(reply: AssistantMessage | LlmError): Promise<StreamEvent | undefined> {
    let last: StreamEvent | undefined;
    const replies = [reply, answer("ok")];
    const once = async function* (messages: readonly Message[]): AsyncGenerator<StreamEvent> {
      sent.push([...messages]);
      const next = replies.shift()!;
      yield next instanceof LlmError ? { type: "error", error: next } : { type: "done", message: next };
    };
    for await (const event of space.stream(once, signal)) last = event;
    if (last?.type === "done") await session.append({ kind: "assistant", message: last.message });
    return last;
  }
  return { session, space, events, asked, sent, kept, send, pruned };
}

Deno.test("a conversation that fits is sent as it is", async () => {
  const { session, send, asked, sent } = await setUp();
  await say(session, "hello");
  await send(answer("hi", 20_000));
  await say(session, "more");
  await send(answer("hi", 40_000));
  assertEquals(asked.length, 0);
  assertEquals(sent[1].slice(0, sent[0].length), sent[0]);
});

Deno.test("a conversation that grows too long is summarised inside itself, and the user's words stay", async () => {
  const { session, send, asked, sent, events } = await setUp();
  await say(session, `First wish. ${"word ".repeat(3_000)}`);
  await send(answer("done ".repeat(30_000), 60_000));
  await say(session, "Second wish");
  await send(answer("ok", 5_000));
  assertEquals(asked.length, 1);
  assert(asked[0].live);
  // The summary is asked for with the same messages, so that it reads the cache.
  assertEquals(asked[0].messages.slice(0, -1).slice(0, sent[0].length), sent[0]);
  const [system, summary, ...rest] = sent[1];
  assertEquals(system.role, "system");
  assert(summary.role === "user");
  assertStringIncludes(textOf(summary.parts), "What was done.");
  assertStringIncludes(textOf(summary.parts), "First wish.");
  assertEquals(rest.map((message) => message.role === "user" && textOf(message.parts)), ["Second wish"]);
  assert(events.some((event) => event.type === "compaction" && event.action === "summarise"));
});

Deno.test("a fixed part that does not fit ends in words after two fruitless summaries, and no loop", async () => {
  const { session, send, asked, sent } = await setUp();
  let end: StreamEvent | undefined;
  for (let turn = 0; turn < 6 && end?.type !== "error"; turn++) {
    await say(session, `wish ${turn}`);
    end = await send(answer("ok", 63_000));
  }
  assert(end?.type === "error");
  assertStringIncludes(end.error.message, "does not fit the model's window of 65536 tokens");
  assertStringIncludes(end.error.message, "tools ~");
  assert(asked.length <= 2, `${asked.length} summaries`);
  assert(asked.length + sent.length <= 4, `${asked.length + sent.length} requests`);
});

Deno.test("a usage whose total disagrees with its parts is read by its parts", async () => {
  const { session, send, asked } = await setUp();
  await say(session, "a");
  await send({ ...answer("ok"), usage: { ...usage(900), total: 64_000 } as Usage });
  await say(session, "b");
  await send(answer("ok", 950));
  assertEquals(asked.length, 0);
});

Deno.test("an empty summary changes nothing and is told", async () => {
  const { session, send, sent, events } = await setUp({ summaries: ["", " "] });
  await say(session, "First wish");
  await send(answer("done ".repeat(30_000), 50_000));
  await say(session, "Second wish");
  await send(answer("ok", 5_000));
  assertEquals(sent[1].slice(0, sent[0].length), sent[0]);
  assert(events.some((event) => event.type === "notice" && event.text.includes("stays as it is")));
});

Deno.test("a refusal for length is answered by a summary made apart, and the request is sent again", async () => {
  const { session, send, asked, sent } = await setUp({ window: null });
  await say(session, "First wish");
  await send(answer("done ".repeat(2_000)));
  await say(session, "Second wish");
  const end = await send(new LlmError("overflow", "too long"));
  assertEquals(end?.type, "done");
  assertEquals(asked.map(({ live }) => live), [false]);
  assertEquals(sent.length, 3);
  assertStringIncludes(textOf((sent[2][1] as Message & { role: "user" }).parts), "What was done.");
});

Deno.test("switched off it stays off, after a refusal too, and says how to make room", async () => {
  const { session, send, asked } = await setUp({ settings: { enabled: false } });
  await say(session, "First wish");
  await send(answer("done ".repeat(30_000), 60_000));
  await say(session, "Second wish");
  const end = await send(new LlmError("overflow", "too long"));
  assert(end?.type === "error");
  assertStringIncludes(end.error.hint ?? "", "/compact");
  assertEquals(asked.length, 0);
});

Deno.test("a cancel while the summary is being made leaves the conversation as it was", async () => {
  const { session, space } = await setUp();
  await say(session, "First wish");
  await session.append({ kind: "assistant", message: answer("done ".repeat(30_000), 60_000) });
  const before = [...session.projection.messages];
  const abort = new AbortController();
  const pending = space.compact(abort.signal);
  abort.abort(new Error("stop"));
  await pending.then(() => assert(false, "it went on"), (error) => assertEquals(error.message, "stop"));
  assertEquals(session.projection.messages, before);
});

Deno.test("near the bound the model is told once what it must write down", async () => {
  const { session, send, sent } = await setUp({ settings: { strategy: "notify" } });
  await say(session, "a");
  await send(answer("ok", 44_000));
  await say(session, "b");
  await send(answer("ok", 45_000));
  await say(session, "c");
  await send(answer("ok", 46_000));
  const told = sent.map((messages) =>
    messages.filter((message) =>
      message.role === "user" && textOf(message.parts).includes("<session_checkpoint>")
    )
      .length
  );
  assertEquals(told, [0, 1, 1]);
});

Deno.test("old tool output is cleared before anything is summarised, and can be read back", async () => {
  const { session, send, asked, kept, sent } = await setUp({ window: 200_000 });
  await say(session, "go");
  for (let at = 0; at < 8; at++) {
    await session.append({
      kind: "assistant",
      message: {
        role: "assistant",
        parts: [{ type: "tool_call", id: `c${at}`, name: "read", arguments: "{}" }],
        stopReason: "tool_calls",
        model: "test/model",
      },
    });
    await session.append({
      kind: "result",
      callId: `c${at}`,
      name: "read",
      parts: [{ type: "text", text: `output ${at} ${"word ".repeat(19_000)}` }],
      isError: false,
    });
  }
  await session.append({ kind: "assistant", message: answer("so", 190_000) });
  await say(session, "on");
  await send(answer("ok", 100_000));
  assertEquals(asked.length, 0);
  assertEquals(kept.length, 5);
  assertStringIncludes(kept[0], "output 0 ");
  const texts = sent[0].filter((message) => message.role === "tool_result").map((message) =>
    textOf(message.parts)
  );
  assertStringIncludes(texts[0], "full text: artifact://1");
  assertStringIncludes(texts[7], "output 7 ");
});

/** Eight reads of 19,000 words each, and an answer that says how full the window is. */
async function readALot(session: Session): Promise<void> {
  await say(session, "go");
  for (let at = 0; at < 8; at++) {
    await session.append({
      kind: "assistant",
      message: {
        role: "assistant",
        parts: [{ type: "tool_call", id: `c${at}`, name: "read", arguments: `{"path":"f${at}"}` }],
        stopReason: "tool_calls",
        model: "test/model",
      },
    });
    const parts = [{ type: "text" as const, text: `output ${at} ${"word ".repeat(19_000)}` }];
    await session.append({ kind: "result", callId: `c${at}`, name: "read", parts, isError: false });
  }
  await session.append({ kind: "assistant", message: answer("so", 190_000) });
  await say(session, "on");
}
const outputs = (messages: readonly Message[]) =>
  messages.flatMap((message) => message.role === "tool_result" ? [textOf(message.parts)] : []);

Deno.test("with a pruner what it calls stale is parked, newer than clearing would go, and can be called back", async () => {
  const { session, send, asked, kept, sent, pruned, space } = await setUp({
    window: 200_000,
    pruner: "Stale are:\n2: read again later\n7: superseded [by] f7\n99: not there\nrm -rf",
  });
  await readALot(session);
  await send(answer("ok", 100_000));
  assertEquals([asked.length, pruned.length, kept.length], [0, 1, 2]);
  assertStringIncludes(pruned[0], '1. read {"path":"f0"}');
  const shown = outputs(sent[0]);
  assertEquals(shown.map((text) => text.startsWith("[parked ")), [
    false,
    true,
    false,
    false,
    false,
    false,
    true,
    false,
  ]);
  assertStringIncludes(shown[1], 'of read {"path":"f1"}; read again later; full text: artifact://1]');
  assertStringIncludes(shown[6], "superseded by f7; full text: artifact://2]");
  assertStringIncludes(kept[0], "output 1 word");
  assertEquals(space.takeSpent().costUsd, 0.001);
  // The request after it goes on from there: nothing is asked or changed again.
  await say(session, "more");
  await send(answer("ok", 100_200));
  assertEquals(sent[1].slice(0, sent[0].length), sent[0]);
  assertEquals(pruned.length, 1);
});

Deno.test("a pruner that finds too little, or cannot be reached, leaves the pass as it is without one", async () => {
  for (const pruner of ["none", null]) {
    const { session, send, pruned, sent, events } = await setUp({ window: 200_000, pruner });
    await readALot(session);
    await send(answer("ok", 100_000));
    assertEquals(pruned.length, 1);
    assertEquals(outputs(sent[0]).filter((text) => text.startsWith("[cleared ")).length, 5);
    assertEquals(
      events.some((event) => event.type === "notice" && event.text.includes("nobody is there")),
      pruner === null,
    );
  }
});

Deno.test("without a pruner nothing is parked, and while a conversation fits none is asked", async () => {
  const { session, send, pruned } = await setUp({ window: 400_000, pruner: "1: old" });
  await readALot(session);
  await send(answer("ok", 100_000));
  assertEquals(pruned.length, 0);
});

Deno.test("a session that is opened anew after two fruitless summaries does not begin to count again, until something has changed", async () => {
  let session: Session | undefined;
  let requests = 0;
  const ends: (string | undefined)[] = [];
  const turn = async (more: Setup = {}) => {
    // Each turn by a process of its own.
    const own = await setUp(session === undefined ? more : { ...more, session });
    session = own.session;
    await say(session, `wish ${ends.length}`);
    const end = await own.send(answer("ok", 63_000));
    requests += own.asked.length + own.sent.length;
    ends.push(end?.type);
    return end;
  };
  for (let n = 0; n < 8; n++) {
    const end = await turn();
    if (end?.type === "error") assertStringIncludes(end.error.message, "does not fit the model's window");
  }
  assertEquals(ends.slice(2), Array(6).fill("error"));
  assert(requests <= 4, `${requests} requests`);
  // A larger window, or another prompt, is tried.
  assertEquals((await turn({ window: 200_000 }))?.type, "done");
});

Deno.test("summaries that a growing conversation needs one after the other are not taken for fruitless", async () => {
  const { session, space, send, asked } = await setUp();
  await say(session, "go");
  for (let turn = 0; turn < 12; turn++) {
    const call = { type: "tool_call" as const, id: `c${turn}`, name: "read", arguments: "{}" };
    const { tokens } = await space.measure();
    const counted = answer("I look.", Math.min(tokens, 45_000));
    const end = await send({ ...counted, parts: [...counted.parts, call], stopReason: "tool_calls" });
    assertEquals(end?.type, "done", `turn ${turn}`);
    const parts = [{ type: "text" as const, text: "words ".repeat(20_000) }];
    await session.append({ kind: "result", callId: call.id, name: "read", parts, isError: false });
  }
  assert(asked.length >= 4, `${asked.length}`);
  assert(asked.length <= 11, `${asked.length}`);
});

Deno.test("what fills the window is told apart: tools, instruction files, and what only the server counts", async () => {
  const { session, space } = await setUp();
  const text = `<project_context>\n<file path="/ws/AGENTS.md">\n${
    "rule ".repeat(2_000)
  }\n</file>\n</project_context>`;
  await session.append({ kind: "system", text });
  await say(session, "wish");
  await session.append({ kind: "assistant", message: answer("ok", 60_000) });
  const { parts } = await space.measure();
  assert(parts.instructions > 1_500 && parts.instructions < 4_000, `${parts.instructions}`);
  assert(parts.prompt < 100, `${parts.prompt}`);
  assert(parts.other > 50_000, `${parts.other}`);
});

Deno.test("a summary that heeds no budget is cut to it", async () => {
  const { session, send, sent } = await setUp({ summaries: [`BEGIN ${"word ".repeat(90_000)} END`] });
  await say(session, "First wish");
  await send(answer("done ".repeat(30_000), 60_000));
  await say(session, "Second wish");
  const end = await send(answer("ok", 5_000));
  assertEquals(end?.type, "done");
  const summary = textOf((sent[1][1] as Message & { role: "user" }).parts);
  assert(summary.length < 40_000, `${summary.length}`);
  for (const part of ["BEGIN", "END", "characters left out", "First wish"]) {
    assertStringIncludes(summary, part);
  }
});

Deno.test("a server that cannot be had is not asked a second time in another form", async () => {
  const { session, send, asked, sent, events } = await setUp({
    summaries: [new LlmError("overloaded", "later"), "never"],
  });
  await say(session, "First wish");
  await send(answer("done ".repeat(30_000), 50_000));
  await say(session, "Second wish");
  await send(answer("ok", 5_000));
  assertEquals(asked.length, 1);
  assertEquals(sent[1].slice(0, sent[0].length), sent[0]);
  assert(events.some((event) => event.type === "notice" && event.text.includes("later")));
});

Deno.test("a summary that could not be had twice is not asked for again while requests go through", async () => {
  const { session, send, asked } = await setUp({ summaries: Array(20).fill("") });
  for (let turn = 0; turn < 6; turn++) {
    await say(session, `wish ${turn}`);
    assertEquals((await send(answer("done ".repeat(100), 50_000)))?.type, "done");
  }
  assertEquals(asked.length, 4);
});

Deno.test("a short conversation that the server refuses for its length is summarised whole", async () => {
  const { session, send, asked } = await setUp();
  for (const wish of ["a", "b"]) {
    await say(session, wish);
    await send(answer("ok", 100));
  }
  await say(session, "c");
  assertEquals((await send(new LlmError("overflow", "too long")))?.type, "done");
  assertEquals(asked.length, 1);
});

Deno.test("a first request that the server refuses for its length is summarised by nobody", async () => {
  const { session, send, asked } = await setUp();
  await say(session, "a");
  const end = await send(new LlmError("overflow", "too long"));
  assertEquals(end?.type === "error" && end.error.code, "overflow");
  assertEquals(asked.length, 0);
});

Deno.test("a summary that a person asks for is made of a short conversation as well, and not twice of the same", async () => {
  const { session, space, asked, send, sent } = await setUp();
  await say(session, "First wish");
  await send(answer("done ".repeat(400), 900));
  assertEquals((await space.compact(signal)).type, "done");
  assert(asked[0].live);
  assertEquals(asked[0].messages.slice(0, sent[0].length), sent[0]);
  assertStringIncludes(JSON.stringify(session.projection.messages), "First wish");
  assertEquals((await space.compact(signal)).type, "nothing");
  assertEquals(asked.length, 1);
});

Deno.test("a summary that a person asks for is not made where there is nothing to gain, and says how much there is", async () => {
  const { session, space, asked, send } = await setUp({ summaries: ["word ".repeat(500)] });
  await say(session, "First wish");
  await send(answer("done", 900));
  const before = [...session.projection.messages];
  const tiny = await space.compact(signal);
  assert(tiny.type === "nothing" && tiny.older > 0 && tiny.older < 50);
  assertEquals(asked.length, 0);

  await say(session, "Second wish");
  await send(answer("done ".repeat(300), 900));
  const longer = await space.compact(signal);
  assert(longer.type === "nothing" && longer.summary! >= longer.older, JSON.stringify(longer));
  assertEquals(asked.length, 1);
  assertEquals(session.projection.messages.slice(0, before.length), before);
  assertEquals(session.projection.messages.length, before.length + 2);
});

Deno.test("a prompt that alone is longer than the window ends in words, and nobody is asked for a summary of it", async () => {
  const first = await setUp({ window: 8_192 });
  await say(first.session, "word ".repeat(20_000));
  const end = await first.send(answer("ok"));
  assert(end?.type === "error");
  assertStringIncludes(end.error.message, "does not fit the model's window of 8192 tokens");

  const later = await setUp({ window: 8_192 });
  await say(later.session, "First wish");
  await later.send(answer("done ".repeat(2_500), 3_000));
  await say(later.session, "word ".repeat(20_000));
  assertEquals((await later.send(answer("ok")))?.type, "error");

  for (const { asked, events, session } of [first, later]) {
    assertEquals(asked.length, 0);
    assertEquals(events.filter(({ type }) => type.startsWith("compaction")), []);
    assert(!session.path().some(({ kind }) => kind === "compaction"));
  }
  assertEquals([first.sent.length, later.sent.length], [0, 1]);
});

Deno.test("a last step that fills most of the window is sent on as it is where all before it is shorter than a summary", async () => {
  const { session, send, asked, sent } = await setUp({ window: 32_768 });
  await say(session, "Look at it");
  const call = { type: "tool_call" as const, id: "c", name: "read", arguments: "{}" };
  await send({ ...answer("", 60), parts: [call], stopReason: "tool_calls" });
  const parts = [{ type: "text" as const, text: "word ".repeat(12_000) }];
  await session.append({ kind: "result", callId: "c", name: "read", parts, isError: false });
  assertEquals((await send(answer("It says word.", 13_000)))?.type, "done");
  assertEquals(asked.length, 0);
  assertEquals(sent[1].slice(0, sent[0].length), sent[0]);
});

Deno.test("a summary that came out no smaller is not taken, is told, and is not asked for without end", async () => {
  const { session, send, asked, sent, events } = await setUp({
    window: 16_384,
    summaries: Array(9).fill("word ".repeat(1_200)),
  });
  await say(session, "First wish");
  const call = { type: "tool_call" as const, id: "c", name: "read", arguments: "{}" };
  await send(answer("plan ".repeat(900), 1_000));
  await say(session, "Go on");
  await send({ ...answer("", 1_100), parts: [call], stopReason: "tool_calls" });
  const parts = [{ type: "text" as const, text: "word ".repeat(9_000) }];
  await session.append({ kind: "result", callId: "c", name: "read", parts, isError: false });
  for (let attempt = 0; attempt < 4; attempt++) await send(new LlmError("network", "gone"));
  assertEquals((await send(answer("ok")))?.type, "done");
  assertEquals(sent.at(-1)!.slice(0, sent[0].length), sent[0]);
  assertEquals([asked.length, sent.length], [2, 7]);
  assert(events.some((event) => event.type === "notice" && event.text.includes("would be no smaller")));
  assert(!session.path().some(({ kind }) => kind === "compaction"));
});
