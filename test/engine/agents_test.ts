import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { textResult, type ToolContext, type ToolResult } from "../../src/agent/tool.ts";
import { type AgentsOptions, createAgents } from "../../src/engine/agents.ts";
import type { ModelWish } from "../../src/engine/agent_models.ts";
import { loadRoles, roleOf } from "../../src/engine/roles.ts";
import { LlmError } from "../../src/llm/errors.ts";
import type { Message } from "../../src/llm/message.ts";
import type { AgentTask } from "../../src/tools/mod.ts";
import { answer, scripted, type Step, toolsOf } from "../support/fakes.ts";

interface Bench {
  readonly agents: ReturnType<typeof createAgents>;
  readonly requests: { messages: Message[]; tools: string[] }[];
  readonly wishes: ModelWish[];
  start(task?: Partial<AgentTask>): ReturnType<ReturnType<typeof createAgents>["start"]>;
}

type Body = (args: Record<string, unknown>, context: ToolContext) => ToolResult | Promise<ToolResult>;

function bench(steps: readonly Step[], more: Partial<AgentsOptions> & { read?: Body } = {}): Bench {
  const requests: Bench["requests"] = [];
  const wishes: ModelWish[] = [];
  let next = 0;
  const { read = () => textResult("a line"), ...options } = more;
  const agents = createAgents({
    tools: toolsOf({ read, grep: () => textResult("a hit"), write: () => textResult("written") }),
    roles: () => loadRoles(undefined),
    systemText: () => "You are a test.",
    model({ model, thinking }) {
      wishes.push({ ...(model ? { model } : {}), ...(thinking ? { thinking } : {}) });
      return Promise.resolve({
        stream(messages, tools, signal) {
          requests.push({ messages: [...messages], tools: tools.map((tool) => tool.name) });
          return scripted(steps.slice(next++), signal).stream(messages);
        },
        costOf: () => 0.25,
      });
    },
    budgetLeft: () => undefined,
    maxSteps: 5,
    notice() {},
    now: () => 0,
    ...options,
  });
  const never = new AbortController().signal;
  return {
    agents,
    requests,
    wishes,
    start: (task = {}) =>
      agents.start({
        prompt: "find it",
        role: undefined,
        callId: "call-1",
        signal: never,
        progress() {},
        ...task,
      }),
  };
}

Deno.test("an agent works with its role's tools and a prompt of its own, and reports its answer", async () => {
  const progress: string[] = [];
  const { start, requests } = bench([answer("", [["read", { path: "a.ts" }]]), answer("It is in a.ts:3")]);
  const report = await start({ progress: (text) => progress.push(text) }).done;
  assertEquals(report, { ended: "stop", text: "It is in a.ts:3", steps: 2, toolCalls: 1 });
  assertEquals(requests[0].tools, ["read", "grep"]);
  const [system, user] = requests[0].messages;
  assert(system.role === "system" && user.role === "user");
  assert(system.text.startsWith("You are a test.\n<role>\n"));
  assertEquals(user.parts, [{ type: "text", text: "find it" }]);
  assertEquals(progress, ["read a.ts"]);
});

Deno.test("an agent's calls have a shell and ledger of their own and belong to the call of the run", async () => {
  const seen: unknown[] = [];
  const { start } = bench([answer("", [["read", {}]]), answer("done")], {
    read(_args, context) {
      seen.push([context.callId, (context as { session?: string }).session]);
      return textResult("x");
    },
  });
  await start().done;
  assertEquals(seen, [["call-1", "task1"]]);
});

Deno.test("an agent of a role that changes files gets its tools; an unknown role is an error", async () => {
  const { start, requests, agents } = bench([answer("done")]);
  await start({ role: "work" }).done;
  assertEquals(requests[0].tools, ["read", "grep", "write"]);
  assertThrows(() => start({ role: "poet" }), Error, 'no role "poet"');
  assertEquals(agents.roles().map((role) => role.name), ["explore", "review", "work"]);
});

Deno.test("an agent works with the model, the thinking and the steps that its role names", async () => {
  const role = { name: "deep", about: "", tools: ["read"], text: "Think." };
  const steps = Array.from({ length: 9 }, () => answer("", [["read", {}]]));
  const named = bench(steps, {
    roles: () => [{ ...role, model: "mock/big", thinking: "high", steps: 2 }],
  });
  assertEquals((await named.start().done).ended, "max_steps");
  assertEquals(named.requests.length, 2);
  assertEquals(named.wishes, [{ model: "mock/big", thinking: "high" }]);
  // A role cannot have more than a run has.
  const many = bench(steps, { roles: () => [{ ...role, steps: 100 }] });
  await many.start().done;
  assertEquals(many.requests.length, 5);
  const unknown = bench([], { model: () => Promise.reject(new Error('There is no model "mock/none"')) });
  const report = await unknown.start().done;
  assertEquals([report.ended, report.problem], ["error", 'There is no model "mock/none"']);
});

Deno.test("an agent that is stopped reports what it has said and done", async () => {
  const abort = new AbortController();
  const { start } = bench([answer("I look at a.ts first", [["read", { path: "a.ts" }]]), answer("never")], {
    read() {
      abort.abort();
      return textResult("x");
    },
  });
  const report = await start({ signal: abort.signal }).done;
  assertEquals(report.ended, "aborted");
  assertStringIncludes(report.text, "I look at a.ts first");
  assertStringIncludes(report.text, "- read a.ts");
});

Deno.test("an agent that fails or reaches its limit of steps says so", async () => {
  const broken = await bench([new LlmError("auth", "the key is wrong")]).start().done;
  assertEquals([broken.ended, broken.problem], ["error", "the key is wrong"]);
  const endless = bench(Array.from({ length: 9 }, () => answer("", [["read", {}]])));
  assertEquals((await endless.start().done).ended, "max_steps");
  assertEquals(endless.requests.length, 5);
});

Deno.test("agents spend the run's budget, and hand over what they spent", async () => {
  const steps = Array.from({ length: 9 }, () => answer("", [["read", {}]]));
  const { start, agents, requests } = bench(steps, { budgetLeft: () => 0.6 });
  const report = await start().done;
  assertEquals(report.ended, "budget");
  // After the third request of 0.25 each, the 0.6 are used up.
  assertEquals(requests.length, 3);
  assertEquals(agents.takeSpent(), {
    steps: 0,
    toolCalls: 0,
    usage: { input: 30, output: 15, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    costUsd: 0.75,
  });
  assertEquals(agents.takeSpent().costUsd, undefined);
});

Deno.test("an agent in the background outlives its call, tells its news, and can be ended", async () => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { start, agents } = bench([
    answer("", [["read", { path: "b.ts" }]]),
    (signal) =>
      (async function* () {
        reach();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        yield* [];
      })(),
  ]);
  const run = start({ signal: undefined });
  await reached;
  assertEquals(agents.running(), [run.id]);
  assertEquals(agents.find(run.id)?.news(), ["read b.ts"]);
  assertEquals(agents.find(run.id)?.news(), []);
  agents.close();
  assertEquals((await run.done).ended, "aborted");
  assertEquals(agents.running(), []);
  assertEquals(agents.find(run.id)?.report?.ended, "aborted");
});

Deno.test("loadRoles() adds the project's roles, which win over the built-in ones", () => {
  const folder = Deno.makeTempDirSync();
  try {
    const roles = `${folder}/.myelin/prompts/roles`;
    Deno.mkdirSync(roles, { recursive: true });
    Deno.writeTextFileSync(
      `${roles}/docs.md`,
      "---\nabout: writes docs\ntools: [read, write]\n---\nWrite docs.\n",
    );
    Deno.writeTextFileSync(`${roles}/review.md`, "Only look.\n");
    Deno.writeTextFileSync(
      `${roles}/deep.md`,
      "---\nmodel: mock/big\nthinking: high\nsteps: 7\n---\nThink.\n",
    );
    Deno.writeTextFileSync(`${roles}/odd.md`, "---\nthinking: very\n---\nThink.\n");
    Deno.writeTextFileSync(`${roles}/none.md`, "---\nsteps: 0\n---\nThink.\n");
    Deno.writeFileSync(`${roles}/broken.md`, new Uint8Array([0, 1, 2]));
    const all = loadRoles(folder);
    const found = new Map(all.map((role) => [role.name, role]));
    assertEquals([...found.keys()], ["explore", "review", "work", "deep", "docs", "none", "odd"]);
    const { model, thinking, steps } = found.get("deep")!;
    assertEquals([model, thinking, steps], ["mock/big", "high", 7]);
    assertThrows(() => roleOf(all, "odd"), Error, 'its thinking is "very"; there are off, low, medium, high');
    assertThrows(() => roleOf(all, "none"), Error, "a whole number from 1");
    assertEquals(found.get("docs"), {
      name: "docs",
      about: "writes docs",
      tools: ["read", "write"],
      text: "Write docs.",
    });
    assertEquals(found.get("review")?.text, "Only look.");
    assertEquals(found.get("review")?.tools, ["read", "ls", "glob", "grep"]);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
