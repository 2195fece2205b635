import { assert, assertEquals } from "@std/assert";
import type { EngineEvent } from "../../src/engine/event.ts";
import { createPermits } from "../../src/engine/permits.ts";

const REQUEST = {
  callId: "c1",
  action: { kind: "run", argv: ["make"], cwd: "/ws" },
  reason: "no rule",
  summary: "run make",
  suggestion: "run(make *)",
} as const;

Deno.test("permits ask the interfaces, take the first answer, and forget the question", async () => {
  const events: EngineEvent[] = [];
  const permits = createPermits((event) => events.push(event));
  const answer = permits.ask(REQUEST, new AbortController().signal);
  const [asked] = events;
  assert(asked.type === "permission_request");
  assertEquals([asked.callId, asked.request], ["c1", "run make"]);
  permits.answer("some other id", { allow: true });
  permits.answer(asked.permitId, { allow: false, reason: "not today" });
  permits.answer(asked.permitId, { allow: true });
  assertEquals(await answer, { allow: false, reason: "not today" });
});

Deno.test("permits answer no when the call ends, or has ended before", async () => {
  const permits = createPermits(() => {});
  const abort = new AbortController();
  const waiting = permits.ask(REQUEST, abort.signal);
  abort.abort();
  assertEquals((await waiting).allow, false);
  assertEquals((await permits.ask(REQUEST, abort.signal)).allow, false);
});
