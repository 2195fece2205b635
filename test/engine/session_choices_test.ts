/** A session that goes on in another process has the model and the thinking level that were chosen in it. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { loadConfig, resolveModel } from "../../src/config/mod.ts";
import { createEngine, type CreateOptions } from "../../src/engine/create.ts";
import { newId } from "../../src/lib/ids.ts";
import { type ChatServer, startChatServer } from "../support/chat_script.ts";
import { createProject, type Project } from "../support/program.ts";

async function settingsWith(project: Project, server: ChatServer, ...models: string[]): Promise<void> {
  const rows = models.map((id) => [id, { contextWindow: 200_000, maxOutput: 8192, reasoning: true }]);
  await project.settings({
    model: "mock/first",
    providers: {
      mock: { api: "openai-completions", baseUrl: server.url, models: Object.fromEntries(rows) },
    },
  });
}

/** An engine as a process of its own would have it. */
async function open(project: Project, options: Partial<CreateOptions> = {}) {
  const config = await loadConfig({
    cwd: project.dir,
    env: (name) => ({ HOME: project.home } as Record<string, string>)[name],
  });
  return await createEngine({
    config,
    model: resolveModel(config),
    cwd: project.dir,
    session: { kind: "newest" },
    limits: { maxSteps: 5 },
    approve: "never",
    sessionDecides: ["model", "thinking"],
    workerUrl: new URL("../../src/sheath/main.ts", import.meta.url),
    ...options,
  });
}

const say = (text: string) => ({
  type: "prompt" as const,
  requestId: newId(),
  parts: [{ type: "text" as const, text }],
});

Deno.test("createEngine() takes up the model and the thinking that were chosen in the session", async () => {
  const server = startChatServer({ turns: [{ text: "ok" }], repeatLast: true });
  await using project = await createProject();
  await settingsWith(project, server, "first", "other");
  try {
    const first = await open(project, { session: { kind: "new" } });
    await first.submit({ type: "model", model: "mock/other" });
    await first.submit({ type: "thinking", level: "high" });
    await first.submit(say("one"));
    await first.close();

    const again = await open(project);
    assertEquals(again.takeNotices(), []);
    await again.submit(say("two"));
    const { model, thinking } = await again.snapshot();
    assertEquals([model, thinking], ["mock/other", "high"]);
    await again.close();
    assertEquals(server.requests.map(({ body }) => [body.model, body.reasoning_effort]), [
      ["other", "high"],
      ["other", "high"],
    ]);

    // The command line says otherwise.
    const said = await open(project, { sessionDecides: [], thinking: "low" });
    await said.submit(say("three"));
    await said.close();
    const last = server.requests.at(-1)!.body;
    assertEquals([last.model, last.reasoning_effort], ["first", "low"]);
  } finally {
    await server.close();
  }
});

Deno.test("createEngine() with a fork from what the user said hands that back, and has the session's model", async () => {
  const server = startChatServer({ turns: [{ text: "ok" }], repeatLast: true });
  await using project = await createProject();
  await settingsWith(project, server, "first", "other");
  try {
    const first = await open(project, { session: { kind: "new" } });
    await first.submit({ type: "model", model: "mock/other" });
    await first.submit(say("one"));
    await first.submit(say("two"));
    const said = (await first.tree()).findLast(({ kind }) => kind === "user")!;
    await first.close();
    const fork = await open(project, { forkEntry: said.id });
    assertEquals(fork.editable, [{ type: "text", text: "two" }]);
    assertEquals([fork.unfinished, (await fork.snapshot()).model], [false, "mock/other"]);
    await fork.close();
  } finally {
    await server.close();
  }
});

Deno.test("createEngine() tells of a session's model that is not set up any more, and takes the default", async () => {
  const server = startChatServer({ turns: [{ text: "ok" }], repeatLast: true });
  await using project = await createProject();
  await settingsWith(project, server, "first", "other");
  try {
    const first = await open(project, { session: { kind: "new" } });
    await first.submit({ type: "model", model: "mock/other" });
    await first.submit(say("one"));
    await first.close();
    await settingsWith(project, server, "first");
    const again = await open(project);
    const [told] = again.takeNotices();
    await again.submit(say("two"));
    await again.close();
    assertStringIncludes(told, "mock/other");
    assertStringIncludes(told, "going on with mock/first");
    assertEquals(server.requests.at(-1)?.body.model, "first");
  } finally {
    await server.close();
  }
});
