/** Sub-agents through the whole program: side by side, with requests of their own, paid by the run. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { startChatServer } from "../support/chat_script.ts";
import { createProject } from "../support/program.ts";

Deno.test("run hands work to agents with a context of their own, and gets their answers in call order", async () => {
  const seen: string[][] = [];
  // Requests of the run and of two agents come as they come: each is answered by what it asks.
  const answer = (
    request: {
      body: {
        messages: readonly { role: string; content?: unknown }[];
        tools?: readonly { function: { name: string } }[];
      };
    },
  ) => {
    const { messages, tools = [] } = request.body;
    const asked = JSON.stringify(messages.find((message) => message.role === "user")?.content);
    seen.push(tools.map((tool) => tool.function.name));
    const answered = messages.some((message) => message.role === "tool");
    if (asked.includes("look at")) {
      const name = /look at (\w+\.txt)/.exec(asked)![1];
      if (!answered) return { calls: [{ name: "read", args: { path: name } }] };
      return { text: `${name} holds ${/\\t(\w+)/.exec(JSON.stringify(messages.at(-1)))?.[1]}` };
    }
    if (answered) return { text: "Both looked." };
    return {
      calls: [
        { name: "task", args: { prompt: "look at one.txt" } },
        { name: "task", args: { prompt: "look at two.txt", role: "review" } },
      ],
    };
  };
  const server = startChatServer({ turns: [answer], repeatLast: true });
  await using project = await createProject({ url: server.url });
  await project.write("one.txt", "apples\n");
  await project.write("two.txt", "pears\n");
  const ended = await project.run(["run", "-o", "json", "find out"]);
  assertEquals(ended.code, 0, ended.stderr);
  const result = JSON.parse(ended.stdout);
  assertEquals([result.text, result.steps, result.toolCalls], ["Both looked.", 2, 2]);
  const answers = server.requests.at(-1)!.body.messages.filter((message) => message.role === "tool");
  assertStringIncludes(String(answers[0].content), "one.txt holds apples");
  assertStringIncludes(String(answers[1].content), "two.txt holds pears");
  // Six requests, of which the run's own account holds all.
  assertEquals(server.requests.length, 6);
  assertEquals([result.usage.input, result.usage.output], [600, 60]);
  const own = seen.filter((tools) => !tools.includes("write"));
  assertEquals(own.length, 4);
  for (const tools of own) assert(!tools.includes("task") && !tools.includes("bash"), tools.join());
  await server.close();
});

Deno.test("run sends the requests of a role's agents to the role's model, with its thinking", async () => {
  const seen: { model: string; effort: unknown; agent: boolean }[] = [];
  const server = startChatServer({
    turns: [(request) => {
      const { messages, model, reasoning_effort } = request.body as unknown as {
        messages: readonly { role: string; content?: unknown }[];
        model: string;
        reasoning_effort?: string;
      };
      const agent = JSON.stringify(messages[0]).includes("Look deep.");
      seen.push({ model, effort: reasoning_effort, agent });
      if (agent) return { text: "seen" };
      if (messages.some((message) => message.role === "tool")) return { text: "Done." };
      return { calls: [{ name: "task", args: { prompt: "look", role: "deep" } }] };
    }],
    repeatLast: true,
  });
  const model = { contextWindow: 200000, maxOutput: 8192, reasoning: true };
  await using project = await createProject({
    url: server.url,
    provider: { models: { "mock-1": model, "mock-2": model } },
  });
  await project.write(
    ".myelin/prompts/roles/deep.md",
    "---\nmodel: mock/mock-2\nthinking: high\n---\nLook deep.\n",
  );
  const ended = await project.run(["run", "-o", "json", "find out"]);
  assertEquals(ended.code, 0, ended.stderr);
  assertEquals(seen.map(({ model, agent }) => [model, agent]), [
    ["mock-1", false],
    ["mock-2", true],
    ["mock-1", false],
  ]);
  assertEquals([seen[1].effort, seen[0].effort], ["high", undefined]);
  await server.close();
});

Deno.test("what an agent has said and done outlives a kill -9, and the model is told where it is", async () => {
  const { promise: working, resolve: works } = Promise.withResolvers<void>();
  const server = startChatServer({
    turns: [(request) => {
      const { messages } = request.body;
      const agent = JSON.stringify(messages[0]).includes("<role>");
      const tools = messages.filter((message) => message.role === "tool").length;
      if (agent && tools > 0) {
        works();
        return { hold: true };
      }
      if (agent) {
        return { text: "I look at one.txt first.", calls: [{ name: "read", args: { path: "one.txt" } }] };
      }
      if (tools > 0) return { text: "Done." };
      return { calls: [{ name: "task", args: { prompt: "look" } }] };
    }],
    repeatLast: true,
  });
  await using project = await createProject({ url: server.url });
  await project.write("one.txt", "apples\n");
  const running = project.start(["run", "find out"]);
  await working;
  running.kill("SIGKILL");
  await running.ended;
  const ended = await project.run(["run", "--continue"]);
  assertEquals(ended.code, 0, ended.stderr);
  const told = String(
    server.requests.at(-1)!.body.messages.find((message) => message.role === "tool")?.content,
  );
  assertStringIncludes(told, "outcome not known");
  assertStringIncludes(told, "artifact://1");
  const path = /the file (\S+\.txt)/.exec(told)![1];
  assertEquals(
    await Deno.readTextFile(path),
    'I look at one.txt first.\n● read {"path":"one.txt"}\n',
  );
  await server.close();
});
