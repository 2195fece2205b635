import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Payload } from "../../src/session/entry.ts";
import { project } from "../../src/session/project.ts";
import { planRecovery } from "../../src/session/recover.ts";
import { answer, chain, intent, result, RUN } from "./sample.ts";

const TOOLS: Readonly<Record<string, "safe" | "never">> = { read: "safe", bash: "never" };
const plan = (...payloads: readonly Payload[]) =>
  planRecovery(project(chain(...payloads)), (name) => TOOLS[name]);
const start: Payload = { kind: "run_start", runId: "r", model: "m" };

Deno.test("planRecovery() asks for nothing where every call has its result", () => {
  assertEquals(plan(answer("", ["a", "bash"]), result("a", "bash")), {
    run: undefined,
    calls: [],
    parked: false,
  });
});

Deno.test("planRecovery() takes a call without an intent for one that may have started, where the file has lost entries", () => {
  const cut = project(
    chain(start, answer("", ["a", "bash"], ["b", "read"], ["c", "bash"]), intent("c", "bash", "never")),
  );
  const { calls } = planRecovery(cut, (name) => TOOLS[name], true);
  assertEquals(calls.map(({ action, started }) => [action, started]), [
    ["close", true],
    ["close", true],
    ["close", true],
  ]);
  assertStringIncludes(
    calls[0].action === "close" ? calls[0].text : "",
    "outcome not known. The session's file",
  );
  assertStringIncludes(calls[2].action === "close" ? calls[2].text : "", "while this call was running");
});

interface Row {
  readonly when: string;
  readonly tool: string;
  readonly record: "safe" | "never" | undefined;
  readonly action: "rerun" | "close";
  readonly says?: string;
}

const ROWS: readonly Row[] = [
  { when: "safe then and now, and started", tool: "read", record: "safe", action: "rerun" },
  { when: "safe and not started", tool: "read", record: undefined, action: "rerun" },
  {
    when: "safe now, but not when it was made",
    tool: "read",
    record: "never",
    action: "close",
    says: "outcome not known",
  },
  {
    when: "safe when it was made, but not now",
    tool: "bash",
    record: "safe",
    action: "close",
    says: "outcome not known",
  },
  {
    when: "never to be repeated, and started",
    tool: "bash",
    record: "never",
    action: "close",
    says: "outcome not known",
  },
  {
    when: "never to be repeated, and not started",
    tool: "bash",
    record: undefined,
    action: "close",
    says: "before this call was started",
  },
  {
    when: "of a tool that is gone",
    tool: "gone",
    record: "safe",
    action: "close",
    says: "outcome not known",
  },
];

for (const { when, tool, record, action, says } of ROWS) {
  Deno.test(`planRecovery() for a call that is ${when}: ${action}`, () => {
    const { calls, run } = plan(
      start,
      answer("", ["a", tool]),
      ...(record ? [intent("a", tool, record)] : []),
    );
    assertEquals(run?.runId, "r");
    assertEquals(calls.map((call) => [call.callId, call.action, call.started]), [[
      "a",
      action,
      record !== undefined,
    ]]);
    const [call] = calls;
    if (call.action === "close") {
      assertStringIncludes(call.text, "interrupted");
      assertStringIncludes(call.text, says ?? "");
    }
  });
}

Deno.test("planRecovery() leaves calls that have a result alone, and keeps call order", () => {
  assertEquals(plan(...RUN).calls.map(({ callId }) => callId), ["c3"]);
  assertEquals(
    plan(answer("", ["a", "read"], ["b", "bash"], ["c", "read"]), result("b", "bash")).calls.map((
      { callId },
    ) => callId),
    ["a", "c"],
  );
});

Deno.test("planRecovery() parks a run that was taken up five times without getting on", () => {
  const again = (count: number) => Array.from({ length: count }, () => start);
  assertEquals(plan(start, ...again(4)).parked, false);
  assertEquals(plan(start, ...again(5)).parked, true);
  assertEquals(plan(start, ...again(5), answer("on"), ...again(1)).parked, false);
});
