import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { errorResult, textResult } from "../../src/agent/tool.ts";
import { LlmError } from "../../src/llm/errors.ts";
import { type Message, textOf } from "../../src/llm/message.ts";
import { createMemorySession, createSession, openArtifacts, type Session } from "../../src/session/mod.ts";
import { compileChecker } from "../../src/engine/structured.ts";
import { engineRun } from "../support/engine_run.ts";
import { answer, toolsOf } from "../support/fakes.ts";

const kinds = (session: Session) => [...session.path()].map((entry) => entry.kind);
const results = (messages: readonly Message[]) =>
  messages.flatMap((one) => one.role === "tool_result" ? [one] : []);

Deno.test("prompt writes prompt, submission and start down before it asks, and reports the end", async () => {
  const run = engineRun({
    steps: [(signal) => {
      assertEquals(kinds(run.session), ["system", "submission", "run_start"]);
      assertEquals(signal.aborted, false);
      return (async function* () {
        yield { type: "done", message: answer("hello") } as const;
      })();
    }],
  });
  const result = await run.prompt("hi");
  assertEquals([result.reason, result.text, result.steps, result.error], ["stop", "hello", 1, null]);
  assertEquals(kinds(run.session), ["system", "submission", "run_start", "assistant", "run_end"]);
  assertEquals(run.events[0].type, "run_start");
  assertEquals(run.events.at(-1)?.type, "run_end");
});

Deno.test("prompt sends the system prompt once, and every request starts with the one before, over two prompts", async () => {
  const run = engineRun({ steps: [answer("", [["read", {}]]), answer("one"), answer("two")] });
  await run.prompt("first");
  await run.prompt("second");
  assertEquals(run.requests.length, 3);
  assertEquals(run.requests[2].filter((message) => message.role === "system").length, 1);
  for (let i = 1; i < 3; i++) {
    assertEquals(run.requests[i].slice(0, run.requests[i - 1].length), run.requests[i - 1]);
  }
});

Deno.test("prompt takes up a run that was cut off: safe calls again, others never, each closed in the session", async () => {
  const session = createMemorySession({ cwd: "/ws" });
  await session.append({ kind: "system", text: "s" });
  await session.append({
    kind: "submission",
    requestId: "r",
    parts: [],
    message: [{ type: "text", text: "do" }],
  });
  await session.append({ kind: "run_start", runId: "run-1", model: "test/model" });
  await session.append({
    kind: "assistant",
    message: answer("", [["read", {}], ["write", {}], ["write", {}]]),
  });
  await session.append({ kind: "intent", callId: "c0", name: "read", replay: "safe" });
  await session.append({ kind: "intent", callId: "c1", name: "write", replay: "never" });
  let wrote = 0;
  const tools = toolsOf({
    read: () => textResult("read again"),
    write: () => {
      wrote++;
      return textResult("written");
    },
  });
  const run = engineRun({ steps: [answer("went on")], session, tools });
  const result = await run.prompt("");
  assertEquals([result.reason, result.text, wrote], ["stop", "went on", 0]);
  const [first, second, third] = results(run.requests[0]);
  assertEquals(textOf(first.parts), "read again");
  assertStringIncludes(textOf(second.parts), "outcome not known");
  assertStringIncludes(textOf(third.parts), "had no effect");
  assertEquals(kinds(session).filter((kind) => kind === "result").length, 3);
  assertEquals(session.projection.run, undefined);
});

Deno.test("prompt ends a run for good when the user interrupts, and leaves it open at a shutdown", async () => {
  for (
    const [by, reason, open] of [["user", "cancelled", false], ["shutdown", "cancelled", true], [
      "timeout",
      "timeout",
      false,
    ]] as const
  ) {
    const run = engineRun({
      steps: [answer("", [["write", {}]]), answer("never asked for")],
      tools: toolsOf({
        write: async () => {
          await run.interrupt(by);
          return textResult("done");
        },
      }),
    });
    const result = await run.prompt("go");
    assertEquals([result.reason, run.requests.length], [reason, 1]);
    assertEquals(run.session.projection.run !== undefined, open);
    assertEquals(results(run.session.projection.messages).length, 1);
  }
});

Deno.test("prompt ends with the provider's error, its remedy and an open way back", async () => {
  const run = engineRun({
    steps: [
      new LlmError("auth", 'Provider "x" refuses the key', { hint: "Set X_KEY" }),
      answer("now it works"),
    ],
  });
  const failed = await run.prompt("hi");
  assertEquals([failed.reason, failed.error, failed.hint], [
    "error",
    'Provider "x" refuses the key',
    "Set X_KEY",
  ]);
  const again = await run.prompt("again");
  assertEquals([again.reason, again.text], ["stop", "now it works"]);
});

Deno.test("prompt stops at the first failed write, before the effect", async () => {
  const session = createMemorySession({ cwd: "/ws" });
  let ran = 0;
  const append = session.append.bind(session);
  session.append = (payload, options) =>
    payload.kind === "assistant"
      ? Promise.reject(new Error("No space left on device"))
      : append(payload, options);
  const run = engineRun({
    session,
    steps: [answer("", [["write", {}]])],
    tools: toolsOf({
      write: () => {
        ran++;
        return textResult("x");
      },
    }),
  });
  const result = await run.prompt("go");
  assertEquals([result.reason, result.error, ran], ["error", "No space left on device", 0]);
});

Deno.test("prompt says that a permission was missing", async () => {
  const run = engineRun({
    steps: [answer("", [["write", {}]]), answer("I may not.")],
    tools: toolsOf({ write: () => errorResult("refused", { denied: "run make" }) }),
  });
  const result = await run.prompt("go");
  assertEquals(result.reason, "denied");
  assertStringIncludes(result.error ?? "", "run make");
});

Deno.test("prompt checks answers against the schema, asks again at most twice, then fails", async () => {
  const check = await compileChecker({
    type: "object",
    properties: { n: { type: "number" } },
    required: ["n"],
  });
  const good = engineRun({
    check,
    steps: [answer("it is 3"), answer('{"n":"3"}'), answer('```json\n{"n":3}\n```')],
  });
  const result = await good.prompt("count");
  assertEquals([result.reason, result.structured, result.steps], ["stop", { n: 3 }, 3]);
  const bad = engineRun({
    check,
    steps: [answer("no"), answer("no"), answer("no"), answer('{"n":3}')],
  });
  const failed = await bad.prompt("count");
  assertEquals([failed.reason, failed.structured, bad.requests.length], ["error", null, 3]);
  assertStringIncludes(failed.error ?? "", "schema");
  const late = bad.requests[2].at(-1);
  assert(late?.role === "user");
  assertStringIncludes(textOf(late.parts), "not JSON");
});

Deno.test("prompt keeps to the limits over all attempts for a schema", async () => {
  const run = engineRun({
    check: await compileChecker({ type: "number" }),
    limits: { maxSteps: 2 },
    steps: [answer("x"), answer("y"), answer("3")],
  });
  const result = await run.prompt("count");
  assertEquals([result.reason, result.steps], ["max_steps", 2]);
});

Deno.test("a second prompt while one runs is refused", async () => {
  const run = engineRun({
    steps: [answer("", [["write", {}]]), answer("end")],
    tools: toolsOf({
      write: async () => {
        await assertRejects(() => run.prompt("me too"), Error, "under way");
        return textResult("ok");
      },
    }),
  });
  assertEquals((await run.prompt("go")).reason, "stop");
});

Deno.test("prompt leaves a run alone that was taken up five times in vain, until somebody says something", async () => {
  const session = createMemorySession({ cwd: "/ws" });
  await session.append({ kind: "system", text: "s" });
  for (let n = 0; n < 6; n++) {
    await session.append({ kind: "run_start", runId: "run-1", model: "test/model" });
  }
  const run = engineRun({ steps: [answer("went on")], session });
  const parked = await run.prompt("");
  assertEquals([parked.reason, run.requests.length], ["error", 0]);
  assertStringIncludes(parked.error ?? "", "five times");
  assertEquals(session.projection.run?.runId, "run-1");
  const again = await run.prompt("try it another way");
  assertEquals([again.reason, again.text], ["stop", "went on"]);
});

Deno.test("prompt names what an interrupted call had put out", async () => {
  const root = await Deno.makeTempDir();
  try {
    const session = await createSession({ root, cwd: "/ws" });
    await session.append({ kind: "run_start", runId: "run-1", model: "test/model" });
    await session.append({ kind: "assistant", message: answer("", [["write", {}]]) });
    await session.append({ kind: "intent", callId: "c0", name: "write", replay: "never" });
    const store = openArtifacts(async () => await session.artifactsDir() ?? root);
    const output = await store.create("c0");
    await output.write(new TextEncoder().encode("so far"));
    await output.close();
    const run = engineRun({ steps: [answer("went on")], session });
    await run.prompt("");
    const [closed] = results(run.requests[0]);
    assertStringIncludes(textOf(closed.parts), "artifact://1");
    assertStringIncludes(textOf(closed.parts), output.path);
    await session.close();
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("prompt accepts a request id once: said again it does nothing, or goes on with the run that was cut off", async () => {
  const run = engineRun({ steps: [answer("one"), answer("two")] });
  const op = { type: "prompt" as const, requestId: "same", parts: [{ type: "text" as const, text: "do" }] };
  const { ops } = await import("../../src/engine/ops/mod.ts");
  await ops.prompt(op, run.deps);
  await ops.prompt(op, run.deps);
  assertEquals([run.requests.length, kinds(run.session).filter((kind) => kind === "submission").length], [
    1,
    1,
  ]);
  await run.session.append({ kind: "run_start", runId: "cut", model: "test/model" });
  await ops.prompt(op, run.deps);
  assertEquals([run.requests.length, kinds(run.session).filter((kind) => kind === "submission").length], [
    2,
    1,
  ]);
});
