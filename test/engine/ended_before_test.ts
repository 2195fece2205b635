import { assertEquals, assertStringIncludes } from "@std/assert";
import { LlmError } from "../../src/llm/errors.ts";
import { textOf } from "../../src/llm/message.ts";
import { createMemorySession } from "../../src/session/mod.ts";
import { engineRun } from "../support/engine_run.ts";
import { answer } from "../support/fakes.ts";

const texts = (messages: readonly { role: string }[]) =>
  messages.map((message) => "parts" in message ? textOf(message.parts as never) : "");

Deno.test("after a run that failed without an answer the model is told so, between the two things that the user said", async () => {
  const run = engineRun({ steps: [new LlmError("auth", "the key is refused"), answer("ok"), answer("ok")] });
  await run.prompt("first");
  await run.prompt("second");
  const [, first, note, second] = texts(run.requests[1]);
  assertEquals([first, second], ["first", "second"]);
  assertStringIncludes(note, "without your answer: it failed (the key is refused)");
  // What was sent is still the beginning, and it is told once.
  assertEquals(run.requests[1].slice(0, 2), run.requests[0]);
  await run.prompt("third");
  assertEquals(texts(run.requests[2]).filter((text) => text.includes("without your answer")).length, 1);
});

Deno.test("a run that used up its steps is told of before the next prompt; one that came to its answer is not", async () => {
  const run = engineRun({
    steps: [answer("", [["read", {}]]), answer("done"), answer("more")],
    limits: { maxSteps: 1 },
  });
  await run.prompt("first");
  await run.prompt("second");
  assertStringIncludes(texts(run.requests[1]).at(-2)!, "it had used up its steps");
  await run.prompt("third");
  assertEquals(texts(run.requests[2]).slice(-2), ["done", "third"]);
});

Deno.test("a run that a crash cut off before its answer is told of when something new is said", async () => {
  const session = createMemorySession({ cwd: "/ws" });
  await session.append({ kind: "system", text: "s" });
  await session.append({
    kind: "submission",
    requestId: "r",
    parts: [],
    message: [{ type: "text", text: "do" }],
  });
  await session.append({ kind: "run_start", runId: "run-1", model: "test/model" });
  const run = engineRun({ steps: [answer("ok")], session });
  await run.prompt("something else");
  const said = texts(run.requests[0]);
  assertStringIncludes(said.at(-2)!, "the program was ended");
  assertEquals(said.at(-1), "something else");
});
