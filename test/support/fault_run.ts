/**
 * One run of the program against a server with faults, and what must hold of
 * every such run, however it ends: stdout parses and ends with `run_end`; a
 * failure is one line that names the provider, and no stack trace; no key
 * shows anywhere; each retry is visible; the session's file is whole, each of
 * its calls has one result; and `--continue` sends a request that a strict
 * server takes, which starts with the messages of the one before.
 */
import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import type { ChatBody } from "./chat_script.ts";
import { type FaultScenario, type FaultServer, startFaultServer } from "./fault_server.ts";
import { createProject, type Ended, type Project } from "./program.ts";

/** How a run against a scenario must end. */
export interface Expected {
  readonly scenario: FaultScenario;
  readonly code: number;
  /** How many requests the run sends. */
  readonly requests: number;
  /** How many of them are sent again. */
  readonly retries: number;
  /** Default: "done" with code 0, else "". */
  readonly text?: string;
  /** In the error and its hint or, where the run recovers, in the causes of its retries. */
  readonly says?: readonly (string | RegExp)[];
  /** What is asserted beside that, before the session is continued. */
  readonly also?: (run: FaultyRun) => void | Promise<void>;
  /** Into the settings of the provider. */
  readonly provider?: Readonly<Record<string, unknown>>;
  /** Where the server is, instead of the scenario's. */
  readonly url?: string;
}

export interface FaultyRun {
  readonly ended: Ended;
  /** The fields of `run_end`. */
  readonly end: Readonly<Record<string, unknown>>;
  readonly server: FaultServer;
  readonly project: Project;
  of(type: string): readonly Record<string, unknown>[];
}

/** How many rows run at a time: more would starve each other, and silence is told by the clock. */
const AT_ONCE = 4;

/** Runs each row, some at a time, and names those that fail. */
export async function meetAll(rows: Readonly<Record<string, Expected>>): Promise<void> {
  const waiting = Object.entries(rows);
  const failures: string[] = [];
  const work = async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      try {
        await meet(row[1]);
      } catch (error) {
        failures.push(`${row[0]}: ${Deno.inspect(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failures.length > 0) throw new Error(failures.join("\n\n"));
}

/** One run, `--output stream-json`, then another that continues its session. */
export async function meet(expected: Expected): Promise<void> {
  const server = startFaultServer(expected.scenario);
  try {
    await using project = await createProject({
      url: expected.url ?? server.url,
      provider: expected.provider,
    });
    await project.write("notes.txt", "remember the milk\n");
    const ended = await project.run(["run", "-o", "stream-json", "do it"]);
    const run = read(ended, server, project);
    assertEndsAs(run, expected);
    await assertSessionWhole(run);
    await expected.also?.(run);
    if (expected.url === undefined) await assertContinues(run);
  } finally {
    await server.close();
  }
}

function read(ended: Ended, server: FaultServer, project: Project): FaultyRun {
  const { lines } = ended;
  const end = lines.at(-1) ?? {};
  return { ended, end, server, project, of: (type) => lines.filter((line) => line.type === type) };
}

function assertEndsAs(run: FaultyRun, expected: Expected): void {
  const { ended, end, server } = run;
  const seen = `${ended.stdout}\n${ended.stderr}`;
  assertEquals(ended.lines.map((line) => line.seq), ended.lines.map((_, i) => i));
  assertEquals([ended.code, end.type], [expected.code, "run_end"], seen);
  assertEquals(server.requests.length, expected.requests, seen);
  assertEquals(end.text, expected.text ?? (expected.code === 0 ? "done" : ""), seen);
  assertCleanTexts(ended);

  const retries = run.of("retry");
  assertEquals(retries.length, expected.retries, seen);
  assertEquals(ended.stderr.match(/trying again/g)?.length ?? 0, expected.retries, seen);
  retries.forEach(({ attempt, delayMs, cause }, i) => {
    assertEquals(attempt, i + 1);
    assert(Number.isInteger(delayMs) && Number(delayMs) > 0, seen);
    assertStringIncludes(String(cause), '"mock"');
  });

  if (expected.code === 0) assertEquals([end.reason, end.error, end.hint], ["stop", null, null], seen);
  else assertFailsClearly(run);
  const told = expected.code === 0
    ? retries.map((retry) => retry.cause).join("\n")
    : `${end.error}\n${end.hint}`;
  for (const part of expected.says ?? []) {
    if (typeof part === "string") assertStringIncludes(told, part);
    else assertMatch(told, part);
  }
}

/** One line that names the provider, and a remedy. */
function assertFailsClearly({ ended, end }: FaultyRun): void {
  assertEquals(end.reason, "error");
  const error = String(end.error);
  assertMatch(error, /^\P{Cc}*provider "mock"\P{Cc}*$/iu);
  assertMatch(String(end.hint), /^\P{Cc}{10,}$/u);
  assertEquals(ended.stderr.split(`Error: ${error}\n${end.hint}\n`).length, 2, ended.stderr);
}

/** What may never show, wherever a run writes. */
export function assertCleanTexts(ended: Ended): void {
  for (const text of [ended.stdout, ended.stderr]) {
    assertNotMatch(text, /CANARY/);
    assertNotMatch(text, /^\s+at .*:\d+|\bUncaught\b|\[object |\bundefined\b/m);
  }
}

/** Its lines parse, and each call that was written down has one result, in order. */
async function assertSessionWhole({ end }: FaultyRun): Promise<void> {
  const text = await Deno.readTextFile(String(end.sessionFile));
  assertNotMatch(text, /CANARY/);
  const entries = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  const calls = entries.flatMap((entry) =>
    entry.kind === "assistant"
      ? entry.message.parts.filter((part: { type: string }) => part.type === "tool_call")
      : []
  );
  const results = entries.filter((entry) => entry.kind === "result");
  assertEquals(results.map((entry) => entry.callId), calls.map((call) => call.id));
  assertEquals(new Set(calls.map((call) => call.id)).size, calls.length);
  assertEquals(entries.filter((entry) => entry.kind === "run_start").length, 1);
  assertEquals(entries.filter((entry) => entry.kind === "run_end").length, 1);
}

/** The session goes on, with a request that starts as the last one did. */
export async function assertContinues(
  { project, server }: Pick<FaultyRun, "project" | "server">,
): Promise<void> {
  const before = server.requests.at(-1);
  const next = await project.run(["run", "-o", "json", "--continue", "and now?"]);
  assertEquals([next.code, next.lines[0]?.text], [0, "done"], next.stderr);
  const { body } = server.requests.at(-1)!;
  assertPaired(body);
  assertEquals(body.messages.at(-1)?.content, "and now?");
  const start = JSON.stringify(before?.body.messages).slice(0, -1);
  assertEquals(JSON.stringify(body.messages).slice(0, start.length), start);
}

/** What strict servers ask of a request: ids that differ, arguments that are JSON text, each call's result right behind it. */
export function assertPaired(body: ChatBody): void {
  const ids: string[] = [];
  body.messages.forEach((message, i) => {
    const calls = message.tool_calls ?? [];
    for (const call of calls) {
      const args: unknown = JSON.parse(call.function.arguments);
      assert(typeof args === "object" && args !== null && !Array.isArray(args), call.function.arguments);
    }
    const got: (string | undefined)[] = [];
    for (let j = i + 1; calls.length > 0 && body.messages[j]?.role === "tool"; j++) {
      got.push(body.messages[j].tool_call_id);
    }
    assertEquals(got, calls.map((call) => call.id));
    ids.push(...calls.map((call) => call.id));
    assert(
      message.role !== "assistant" || message.content || calls.length > 0,
      "an empty answer is sent back",
    );
  });
  assertEquals(new Set(ids).size, ids.length);
}
