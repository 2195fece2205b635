import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { AppError } from "../../src/lib/errors.ts";
import { createOutput, createTask } from "../../src/tools/task/body.ts";
import type { AgentReport, Agents } from "../../src/tools/mod.ts";
import { Bench, call } from "../support/host_fs.ts";

Deno.test("task gives the agent's answer, or how far it came and why not further", async () => {
  using bench = new Bench();
  assertEquals((await call(createTask(bench.main), { prompt: "find" })).text, "found it");
  const stopped: AgentReport = {
    ended: "error",
    text: "Half of it",
    problem: "no key",
    steps: 3,
    toolCalls: 4,
  };
  const agents = agentsWith(stopped);
  const { text, isError } = await call(createTask({ agents, limits: bench.main.limits }), { prompt: "find" });
  assert(isError);
  assertEquals(text, "Half of it\n\n[failed: no key; 3 steps, 4 calls]");
});

Deno.test("task tells what is wrong with a role", async () => {
  using bench = new Bench();
  const agents: Agents = {
    ...bench.main.agents,
    start() {
      throw new AppError("no_role", 'There is no role "poet". Roles: explore');
    },
  };
  const { text, isError } = await call(createTask({ agents, limits: bench.main.limits }), {
    prompt: "sing",
    role: "poet",
  });
  assert(isError);
  assertEquals(text, 'There is no role "poet". Roles: explore');
});

Deno.test("task in the background answers with an id; task_output has its news, then its answer", async () => {
  using bench = new Bench();
  const done: AgentReport = { ended: "stop", text: "There.", steps: 2, toolCalls: 1 };
  const agents = agentsWith(undefined, done);
  const deps = { agents, limits: bench.main.limits };
  assertStringIncludes((await call(createTask(deps), { prompt: "find", background: true })).text, "as task1");
  assertEquals((await call(createOutput(deps), { id: "task1" })).text, "task1 is still running:\nread a.ts");
  assertEquals((await call(createOutput(deps), { id: "task1", wait: true })).text, "There.");
  const unknown = await call(createOutput(deps), { id: "task9" });
  assert(unknown.isError);
  assertStringIncludes(unknown.text, "no task task9");
});

/** Agents of which the one there is stands as given, and ends with `end` when somebody waits. */
function agentsWith(report: AgentReport | undefined, end = report): Agents {
  let now = report;
  const run = {
    id: "task1",
    get done() {
      now = end;
      return Promise.resolve(end!);
    },
    news: () => ["read a.ts"],
    get report() {
      return now;
    },
    cancel() {},
  };
  return {
    roles: () => [],
    start: () => run,
    find: (id) => id === "task1" ? run : undefined,
    running: () => ["task1"],
  };
}
