/** What users of servers with habits see: the program, and servers that insist. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type ChatRequest, startChatServer } from "../support/chat_script.ts";
import { chatEvents } from "../support/chat_script.ts";
import { serveHttp } from "../support/http_server.ts";
import { createProject, type Project } from "../support/program.ts";

const QWEN =
  "Let me look.\n<tool_call>\n<function=read>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>";
const last = ({ body }: ChatRequest) => String(body.messages.at(-1)?.content);

const withModel = (url: string, model: Record<string, unknown>): Promise<Project> =>
  createProject({ url, provider: { models: { "mock-1": { contextWindow: 200_000, ...model } } } });

Deno.test("a call that comes as text is run where the model's setting says so, and its markup is no answer", async () => {
  const server = startChatServer({
    turns: [{ text: QWEN }, (request) => ({ text: `Got ${last(request)}` })],
  });
  await using project = await withModel(server.url, { textToolCalls: true });
  await project.write("a.txt", "the milk\n");
  const ended = await project.run(["run", "-o", "stream-json", "look"]);
  assertEquals(ended.code, 0, ended.stderr);
  const end = ended.lines.at(-1) ?? {};
  assertEquals(end.toolCalls, 1);
  assertStringIncludes(String(end.text), "the milk");
  const shown = ended.lines.filter((line) => line.type === "text_delta").map((line) => line.text).join("");
  assert(!shown.includes("<tool_call>"), shown);
  await server.close();
});

Deno.test("a call that comes as text without the setting is told to the user and, once, to the model", async () => {
  const server = startChatServer({ turns: [{ text: QWEN }, { text: QWEN }, { text: "never asked" }] });
  await using project = await withModel(server.url, {});
  await project.write("a.txt", "the milk\n");
  const ended = await project.run(["run", "look"]);
  assertEquals(ended.code, 0, ended.stderr);
  assertStringIncludes(ended.stderr, '"textToolCalls": true');
  assertEquals(server.requests.length, 2);
  assertStringIncludes(last(server.requests[1]), "no result exists");
  await server.close();
});

Deno.test("a call as text that is not whole is never run; the model may try again, and not for ever", async () => {
  const half = { text: '<tool_call>{"name":"bash","arguments":{"command":"touch made"' };
  const server = startChatServer({ turns: [half], repeatLast: true });
  await using project = await withModel(server.url, { textToolCalls: true });
  const ended = await project.run(["run", "look"]);
  assertEquals([ended.code, server.requests.length], [0, 3], ended.stderr);
  assertStringIncludes(ended.stderr, "did not finish it");
  assertEquals([...Deno.readDirSync(project.dir)].map(({ name }) => name), []);
  await server.close();
});

Deno.test("a server that refuses calls without their thoughts gets them, also where there were none, after a model switch and a resume", async () => {
  const refused: string[] = [];
  let calls = 0;
  const turns = [
    { calls: [{ name: "read", args: { path: "a.txt" } }] },
    { thinking: "Now I know.", calls: [{ name: "ls" }] },
    { text: "Done." },
    { text: "Went on." },
  ];
  const server = serveHttp(async (request, reply) => {
    if (request.method !== "POST") return await reply.send(404, {}, "");
    const { messages } = JSON.parse(request.text) as ChatRequest["body"];
    const bad = messages.find((one) => one.tool_calls !== undefined && one.reasoning_content === undefined);
    if (bad !== undefined) {
      refused.push(request.text);
      const message = "reasoning_content missing on an assistant turn that called tools";
      return await reply.send(
        400,
        { "content-type": "application/json" },
        JSON.stringify({ error: { message } }),
      );
    }
    await reply.head(200, { "content-type": "text/event-stream" });
    await reply.write(chatEvents(turns.shift() ?? { text: "?" }, () => `call_${++calls}`).join(""));
    await reply.end();
  });
  await using project = await withModel(`${server.origin}/v1`, { reasoning: true });
  await project.write("a.txt", "the milk\n");
  const first = await project.run(["run", "look"]);
  assertEquals([first.code, first.stdout], [0, "Done.\n"], first.stderr);
  assertEquals(refused.length, 1, "it was learned once");
  const second = await project.run(["run", "--continue", "and now"]);
  assertEquals([second.code, second.stdout], [0, "Went on.\n"], second.stderr);
  await server.close();
});

Deno.test("an answer by schema from a server without a form for it is asked for as a tool call, and checked", async () => {
  const server = startChatServer({
    turns: [{ calls: [{ name: "final_answer", args: { n: 7 } }] }],
  });
  await using project = await withModel(server.url, { structured: false });
  await project.write(
    "schema.json",
    '{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}',
  );
  const ended = await project.run(["run", "-o", "json", "--output-schema", "schema.json", "seven"]);
  assertEquals(ended.code, 0, ended.stderr);
  const result = JSON.parse(ended.stdout);
  assertEquals([result.structured, result.text, result.toolCalls], [{ n: 7 }, '{"n":7}', 0]);
  const { tools = [], response_format } = server.requests[0].body;
  assertEquals([tools.at(-1)?.function.name, response_format], ["final_answer", undefined]);
  await server.close();
});

Deno.test("run --budget stops before a request that would pass it", async () => {
  const usage = { prompt_tokens: 100_000, completion_tokens: 1000, total_tokens: 101_000 };
  const server = startChatServer({ turns: [{ calls: [{ name: "ls" }], usage }], repeatLast: true });
  const cost = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
  await using project = await withModel(server.url, { cost });
  // The first costs 0.101 dollars, and the next one could not cost less.
  const ended = await project.run(["run", "-o", "json", "--budget", "0.2", "look"]);
  const result = JSON.parse(ended.stdout);
  assertEquals([ended.code, result.reason, server.requests.length], [4, "budget", 1], ended.stderr);
  await server.close();
});

Deno.test("run --thinking on a model without it is a notice, and a price that nobody knows is null", async () => {
  const server = startChatServer({ turns: [{ text: "Yes." }] });
  await using project = await withModel(server.url, {});
  const ended = await project.run(["run", "-o", "json", "--thinking", "high", "--budget", "1", "well?"]);
  assertEquals([ended.code, JSON.parse(ended.stdout).costUsd], [0, null], ended.stderr);
  assertStringIncludes(ended.stderr, "is not known to think");
  assertStringIncludes(ended.stderr, "price of mock/mock-1 is not known");
  await server.close();
});

Deno.test("run says of a server that cuts the prompt that it does, and what helps", async () => {
  const server = startChatServer({
    turns: [{ text: "What?", usage: { prompt_tokens: 600, completion_tokens: 2 } }],
  });
  await using project = await createProject({
    url: server.url,
    provider: { vendor: "ollama", models: { "mock-1": { contextWindow: 32_768 } } },
  });
  const ended = await project.run(["run", "many ".repeat(4000)]);
  assertEquals(ended.code, 0, ended.stderr);
  assertStringIncludes(ended.stderr, "the server cuts the prompt");
  assertStringIncludes(ended.stderr, "OLLAMA_CONTEXT_LENGTH");
  await server.close();
});

Deno.test("without any key every command says what to do next", async () => {
  await using project = await createProject();
  for (
    const [args, hint] of [
      [["run", "hi"], "myelin auth login"],
      [["models"], "myelin auth login"],
      [["auth", "status"], "myelin auth login"],
      [["auth", "login"], "myelin auth login anthropic"],
      [["run", "-m", "anthropic/claude-sonnet-4-6", "hi"], "ANTHROPIC_API_KEY"],
      [["run", "-m", "openai-codex/gpt-6.1-sol", "hi"], "myelin auth login openai-codex"],
      [["debug", "prefix"], "myelin sessions list"],
    ] as const
  ) {
    const ended = await project.run(args);
    assertStringIncludes(ended.stdout + ended.stderr, hint, args.join(" "));
  }
});

Deno.test("auth login keeps a piped key, run uses it, auth status shows where it is and never the key", async () => {
  const key = "sk-test-CANARY-1234567890";
  const server = startChatServer({ turns: [{ text: "Hello." }] });
  await using project = await createProject({
    settings: {
      model: "own/mock-1",
      providers: { own: { baseUrl: server.url, models: { "mock-1": { contextWindow: 200_000 } } } },
    },
  });
  const login = project.start(["auth", "login", "own", "--check"], { stdin: "open" });
  await login.write(`${key}\n`);
  await login.closeStdin();
  const kept = await login.ended;
  assertEquals(kept.code, 0, kept.stderr);
  assertStringIncludes(kept.stdout, "own takes the key");
  const run = await project.run(["run", "hi"]);
  assertEquals([run.code, run.stdout], [0, "Hello.\n"], run.stderr);
  assertEquals(server.requests.at(-1)?.headers.authorization, `Bearer ${key}`);
  const status = await project.run(["auth", "status"]);
  assertStringIncludes(status.stdout, "auth.json");
  for (const ended of [kept, run, status]) assert(!(ended.stdout + ended.stderr).includes(key));
  await project.run(["auth", "logout", "own"]);
  assertMatch((await project.run(["auth", "status"])).stdout, /^own +none needed +http:\/\/127/);
  await server.close();
});

Deno.test("a provider that only a login opens says so where nobody has logged in yet", async () => {
  const server = serveHttp((_, reply) => reply.send(401, {}, '{"detail":"Unauthorized"}'));
  await using project = await createProject({
    settings: {
      model: "openai-codex/gpt-6.1-sol",
      providers: { "openai-codex": { baseUrl: `${server.origin}/backend-api` } },
    },
  });
  const run = await project.run(["run", "hi"]);
  assertEquals(run.code, 1);
  assertStringIncludes(run.stderr, "Log in: myelin auth login openai-codex");
  assertStringIncludes((await project.run(["auth", "status"])).stdout, "no login yet");
  await server.close();
});

const sse = (events: readonly Record<string, unknown>[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

Deno.test("run speaks Anthropic's protocol: the key in its header, cache marks, thinking sent back with its signature, a PDF", async () => {
  const bodies: Record<string, unknown>[] = [];
  const headers: Readonly<Record<string, string>>[] = [];
  const answers = [
    [
      { type: "message_start", message: { usage: { input_tokens: 9, cache_creation_input_tokens: 4000 } } },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm." } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2ln" } },
      { type: "content_block_stop", index: 0 },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "tool_use", id: "toolu_1", name: "ls", input: {} },
      },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ],
    [
      { type: "message_start", message: { usage: { input_tokens: 9, cache_read_input_tokens: 4000 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Read." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ],
  ];
  const server = serveHttp(async (request, reply) => {
    if (request.method !== "POST") return await reply.send(404, {}, "");
    bodies.push(JSON.parse(request.text));
    headers.push({ ...request.headers, path: request.path });
    await reply.send(200, { "content-type": "text/event-stream" }, sse(answers[bodies.length - 1] ?? []));
  });
  const model = {
    contextWindow: 200_000,
    reasoning: true,
    documents: true,
    cost: { input: 1, output: 1, cacheRead: 0.1, cacheWrite: 2 },
  };
  await using project = await createProject({
    url: server.origin,
    provider: { api: "anthropic-messages", models: { "mock-1": model } },
  });
  await project.write("a.pdf", "%PDF-1.4 not really");
  const ended = await project.run([
    "run",
    "-o",
    "json",
    "--thinking",
    "low",
    "--attach",
    "a.pdf",
    "what is in it?",
  ]);
  assertEquals(ended.code, 0, ended.stderr);
  const result = JSON.parse(ended.stdout);
  assertEquals([result.text, result.usage.cacheRead, result.usage.cacheWrite], ["Read.", 4000, 4000]);
  assertEquals(result.costUsd, (18 + 10 + 400 + 8000) / 1e6);
  assertEquals([headers[0].path, headers[0]["x-api-key"], headers[0].authorization], [
    "/v1/messages",
    "sk-mock-CANARY",
    undefined,
  ]);
  const text = JSON.stringify(bodies);
  assertStringIncludes(text, '"media_type":"application/pdf"');
  assertStringIncludes(JSON.stringify(bodies[1]), '{"type":"thinking","thinking":"Hm.","signature":"c2ln"}');
  assertEquals((bodies[0].system as { cache_control: unknown }[])[0].cache_control, { type: "ephemeral" });
  await server.close();
});

Deno.test("usage adds up tokens and money by day and model, and knows what it does not know", async () => {
  const server = startChatServer({ turns: [{ text: "One." }, { text: "Two.", usage: null }] });
  await using project = await withModel(server.url, { cost: { input: 10, output: 100 } });
  assertStringIncludes((await project.run(["usage"])).stderr, "Nothing was used");
  await project.run(["run", "a"]);
  await project.run(["run", "--continue", "b"]);
  const [row, ...more] = JSON.parse((await project.run(["usage", "--json"])).stdout);
  assertEquals([row.model, row.answers, row.usage.input, row.unknown, more], ["mock/mock-1", 2, 100, 1, []]);
  assertEquals(row.costUsd, (100 * 10 + 10 * 100) / 1e6);
  assertStringIncludes((await project.run(["usage"])).stdout, "$0.0020+");
  await server.close();
});

Deno.test("models searches the catalog and the settings, asks servers with --live, and names the nearest", async () => {
  const server = startChatServer({ turns: [] });
  await using project = await createProject({
    settings: {
      providers: {
        own: {
          baseUrl: server.url,
          models: { "big-one": { contextWindow: 12_000, cost: { input: 7, output: 9 } } },
        },
      },
    },
  });
  const own = await project.run(["models"]);
  assertStringIncludes(own.stdout, "own/big-one");
  assertStringIncludes(own.stdout, "7 / 9 / - / -");
  assert(!own.stdout.includes("anthropic/"), "only what is set up");
  assertStringIncludes((await project.run(["models", "--live", "own"])).stdout, "own/mock-1");
  const one = await project.run(["models", "--all", "anthropic/claude-sonnet-4-6"]);
  assertStringIncludes(one.stdout, "1,000,000 tokens");
  const near = await project.run(["models", "--all", "anthropic/claude-sonet-4-6"]);
  assertEquals(near.code, 2);
  assertStringIncludes(near.stderr, "anthropic/claude-sonnet-4-6");
  const json = JSON.parse((await project.run(["models", "--json", "big"])).stdout);
  assertEquals(json.models.map((model: { id: string }) => model.id), ["big-one"]);
  await server.close();
});
