import { assertEquals, assertRejects } from "@std/assert";
import { textOf } from "../../src/llm/message.ts";
import { createBroadcast } from "../../src/engine/engine.ts";
import type { EngineEvent } from "../../src/engine/event.ts";
import { ops } from "../../src/engine/ops/mod.ts";
import { titleInBackground } from "../../src/engine/titles.ts";
import { createMemorySession, isKnown } from "../../src/session/mod.ts";
import { engineRun } from "../support/engine_run.ts";
import { answer, scripted } from "../support/fakes.ts";

const texts = (messages: readonly { role: string }[]) =>
  messages.map((message) => "parts" in message ? textOf(message.parts as never) : "");
const navigated = (events: readonly EngineEvent[]) => events.findLast((event) => event.type === "navigated");

Deno.test("navigate goes before what the user said, and gives it back to be edited", async () => {
  const run = engineRun({ steps: [answer("one"), answer("two"), answer("three")] });
  await run.prompt("first");
  await run.prompt("second");
  const second =
    [...run.session.entries()].filter((entry) => isKnown(entry) && entry.kind === "submission")[1];
  await ops.navigate({ type: "navigate", to: second.id }, run.deps);
  const event = navigated(run.events);
  assertEquals(event?.type === "navigated" && event.editable, [{ type: "text", text: "second" }]);
  assertEquals(texts(run.session.projection.messages).slice(1), ["first", "one"]);
  await run.prompt("another");
  assertEquals(texts(run.requests[2]).slice(1), ["first", "one", "another"]);
});

Deno.test("navigate leaves a summary of what is left, where it is asked for", async () => {
  const run = engineRun({ steps: [answer("one"), answer("It tried a thing.")] });
  await run.prompt("first");
  const system = run.session.path()[0];
  const deps = { ...run.deps, branchPrompt: () => Promise.resolve("Summarise.") };
  await ops.navigate({ type: "navigate", to: system.id, summarize: true }, deps);
  assertEquals(texts(run.requests[1]).slice(1), ["first", "one", "Summarise."]);
  assertEquals(texts(run.session.projection.messages).slice(1), ["<summary>\nIt tried a thing.\n</summary>"]);
});

Deno.test("navigate goes all the same where no summary is to be had, and to no entry that is not there", async () => {
  const run = engineRun({ steps: [answer("one")] });
  await run.prompt("first");
  await ops.navigate({ type: "navigate", to: null, summarize: true }, run.deps);
  assertEquals(run.session.projection.messages.length, 0);
  await assertRejects(() => ops.navigate({ type: "navigate", to: "nothing" }, run.deps));
});

Deno.test("title and label name the session and its entries", async () => {
  const run = engineRun({ steps: [answer("one")] });
  await run.prompt("first");
  const entry = run.session.path()[1];
  await ops.title({ type: "title", title: "  A  name\nof it " }, run.deps);
  await ops.label({ type: "label", entry: entry.id.slice(-12), label: "start" }, run.deps);
  assertEquals(run.session.projection.title, "A name of it");
  assertEquals([...run.session.projection.labels], [[entry.id, "start"]]);
});

Deno.test("titleInBackground() asks once, after the first run that ended well, and cleans what comes", async () => {
  const session = createMemorySession({ cwd: "/ws" });
  const broadcast = createBroadcast();
  const asked = Promise.withResolvers<void>();
  let requests = 0;
  const titles = titleInBackground({
    session,
    broadcast,
    request(messages, signal) {
      requests++;
      return scripted([answer('Title: "Flaky tests".\nbecause')], signal).stream(messages);
    },
  });
  broadcast.subscribe((event) => event.type === "titled" && asked.resolve());
  const run = engineRun({ steps: [answer("one"), answer("two")], session });
  const deps = { ...run.deps, emit: broadcast.emit };
  for (const text of ["why do they fail", "go on"]) {
    await ops.prompt({ type: "prompt", requestId: text, parts: [{ type: "text", text }] }, deps);
    await asked.promise;
  }
  await titles.close();
  assertEquals([session.projection.title, requests], ["Flaky tests", 1]);
});
