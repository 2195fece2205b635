import { assert, assertEquals } from "@std/assert";
import { textResult } from "../../src/agent/tool.ts";
import { createBroadcast } from "../../src/engine/engine.ts";
import type { EngineEvent } from "../../src/engine/event.ts";
import { createLive, type LiveItem } from "../../src/engine/live.ts";
import { createMemorySession } from "../../src/session/mod.ts";
import { engineRun } from "../support/engine_run.ts";
import { answer, toolsOf } from "../support/fakes.ts";

const types = (items: readonly LiveItem[]) => items.map((item) => item.type);

async function all(items: AsyncIterable<LiveItem>): Promise<LiveItem[]> {
  const out: LiveItem[] = [];
  for await (const item of items) out.push(item);
  return out;
}

Deno.test("attach() gives what was missed, what is going on, then everything, once", async () => {
  const session = createMemorySession({ cwd: "/ws" });
  const broadcast = createBroadcast();
  const live = createLive(session, broadcast);
  const joined: { early: ReturnType<typeof live.attach>; late?: ReturnType<typeof live.attach> } = {
    early: live.attach(0),
  };
  const tools = toolsOf({
    write(_args, { output }) {
      output("half of it");
      joined.late = live.attach(2);
      return textResult("done");
    },
  });
  const run = engineRun({
    steps: [answer("I write.", [["write", { n: 1 }]]), answer("Done.")],
    session,
    tools,
  });
  const deps = { ...run.deps, emit: broadcast.emit };
  const { ops } = await import("../../src/engine/ops/mod.ts");
  await ops.prompt({ type: "prompt", requestId: "r", parts: [{ type: "text", text: "go" }] }, deps);

  const { early, late } = joined;
  assert(late !== undefined);
  assertEquals(early.snapshot, { running: false, text: "", thinking: "", calls: [], queued: [], open: [] });
  assertEquals(late.snapshot.running, true);
  assertEquals(late.snapshot.calls, [{ callId: "c0", name: "write", args: { n: 1 }, output: "half of it" }]);
  const known = [...session.entries()];
  assertEquals(late.entries, known.slice(2, late.seq));
  early.detach();
  late.detach();
  const entriesOf = (items: readonly LiveItem[]) =>
    items.flatMap((item) => item.type === "entry" ? [[item.seq, item.entry.id]] : []);
  const numbered = known.map(({ id }, at) => [at + 1, id]);
  assertEquals(entriesOf(await all(early.items)), numbered);
  const rest = await all(late.items);
  assertEquals(entriesOf(rest), numbered.slice(late.seq));
  assertEquals(types(rest).filter((type) => type === "tool_end" || type === "run_end"), [
    "tool_end",
    "run_end",
  ]);
});

Deno.test("attach() tells what waits for a person, until it is decided", () => {
  const broadcast = createBroadcast();
  const live = createLive(createMemorySession({ cwd: "/ws" }), broadcast);
  broadcast.emit({
    type: "permission_request",
    permitId: "p",
    callId: "c",
    request: "run rm",
    reason: "",
    rule: null,
  });
  assertEquals(live.attach(0).snapshot.open.length, 1);
  broadcast.emit({ type: "permission", callId: "c", request: "run rm", decision: "allow", by: "you" });
  assertEquals(live.attach(0).snapshot.open, []);
});

Deno.test("attach() leaves out pieces of texts for a slow reader, and nothing that is finished", async () => {
  const broadcast = createBroadcast();
  const live = createLive(createMemorySession({ cwd: "/ws" }), broadcast);
  const slow = live.attach(0);
  const finished: EngineEvent = { type: "notice", level: "info", text: "finished" };
  for (let n = 0; n < 2000; n++) {
    broadcast.emit({ type: "text_delta", text: "x" });
    if (n % 10 === 0) broadcast.emit(finished);
  }
  slow.detach();
  const got = types(await all(slow.items));
  assertEquals(got.filter((type) => type === "notice").length, 200);
  assert(got.filter((type) => type === "text_delta").length < 1000);
});
