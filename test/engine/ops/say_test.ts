import { assertEquals } from "@std/assert";
import { type Message, textOf } from "../../../src/llm/message.ts";
import { ops } from "../../../src/engine/ops/mod.ts";
import { queueOf } from "../../../src/engine/queue.ts";
import { createMemorySession } from "../../../src/session/mod.ts";
import { type EngineRun, engineRun } from "../../support/engine_run.ts";
import { answer, type Step } from "../../support/fakes.ts";

const said = (messages: readonly Message[]) =>
  messages.map((message) => [message.role, "parts" in message ? textOf(message.parts as never) : ""]);

/** An answer in whose middle something else happens. */
function during(text: string, work: () => Promise<void>): Step {
  return async function* () {
    yield { type: "start" };
    await work();
    yield { type: "text_delta", text };
    yield { type: "done", message: answer(text) };
  };
}

const say = (run: EngineRun, type: "steer" | "follow_up", requestId: string) =>
  ops[type]({ type, requestId, parts: [{ type: "text", text: requestId }] } as never, run.deps);

Deno.test("steer during an answer comes behind that answer, and one more request answers it", async () => {
  const run: EngineRun = engineRun({
    steps: [during("to the first", () => say(run, "steer", "wait")), answer("to both")],
  });
  assertEquals((await run.prompt("first")).text, "to both");
  assertEquals(said(run.requests[1]).slice(1), [
    ["user", "first"],
    ["assistant", "to the first"],
    ["user", "wait"],
  ]);
  assertEquals(run.requests.length, 2);
  assertEquals(run.requests[1].slice(0, run.requests[0].length), run.requests[0]);
  const order = run.events.map(({ type }) => type).filter((type) =>
    ["queue", "message_end", "steered"].includes(type)
  );
  assertEquals(order, ["queue", "message_end", "queue", "steered", "message_end"]);
});

Deno.test("steer during calls comes behind their results, before the next request", async () => {
  const calls = async function* () {
    yield { type: "start" } as const;
    await say(run, "steer", "only that file");
    yield { type: "done", message: answer("", [["read", {}]]) } as const;
  };
  const run: EngineRun = engineRun({ steps: [calls, answer("done")] });
  await run.prompt("first");
  assertEquals(said(run.requests[1]).slice(2).map(([role]) => role), ["assistant", "tool_result", "user"]);
});

Deno.test("what was said to a run goes before what waits for its end, each once", async () => {
  const run: EngineRun = engineRun({
    steps: [
      during("one", async () => {
        await say(run, "follow_up", "later");
        await say(run, "steer", "now");
        await say(run, "steer", "now");
      }),
      answer("two"),
      answer("three"),
    ],
  });
  assertEquals((await run.prompt("first")).text, "three");
  assertEquals(said(run.requests[2]).filter(([role]) => role === "user").map(([, text]) => text), [
    "first",
    "now",
    "later",
  ]);
  assertEquals(queueOf(run.session), []);
});

Deno.test("what was said to a run whose process died is taken when the run goes on", async () => {
  const session = createMemorySession({ cwd: "/ws" });
  await session.append({ kind: "system", text: "s" });
  const message = [{ type: "text" as const, text: "do" }];
  await session.append({ kind: "submission", requestId: "r", parts: message, message });
  await session.append({ kind: "run_start", runId: "run-1", model: "test/model" });
  await session.append({
    kind: "queued",
    requestId: "q",
    parts: [{ type: "text", text: "not there" }],
    steer: true,
  });
  const run = engineRun({ steps: [answer("ok")], session });
  await run.prompt("");
  assertEquals(said(run.requests[0]).slice(1), [["user", "do"], ["user", "not there"]]);
});
