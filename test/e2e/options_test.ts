/** Options of `run` and the commands around it, as a user meets them. */
import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { startChatServer } from "../support/chat_script.ts";
import { createProject } from "../support/program.ts";

// A PNG of one pixel.
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

Deno.test("demo/tour needs no key, says that it is scripted, and really mends the sample project", async () => {
  await using project = await createProject();
  const ended = await project.run(["run", "-m", "demo/tour"]);
  assertEquals(ended.code, 0, ended.stderr);
  assertStringIncludes(ended.stdout, "scripted");
  const dir = /The sample project is in (\S+)/.exec(ended.stderr)?.[1] ?? "";
  assertMatch(ended.stderr, /edit/);
  const check = await project.run(["sh", "-c", `cd ${dir} && . ./test.sh`]);
  assertEquals(check.code, 0, check.stdout + check.stderr);
  await Deno.remove(dir.replace(/\/cart$/, ""), { recursive: true });
});

Deno.test("--attach hands over images and texts, and refuses the rest with status 2", async () => {
  const server = startChatServer({ turns: [{ text: "seen" }] });
  await using project = await createProject({ url: server.url });
  await Deno.writeFile(`${project.dir}/dot.png`, Uint8Array.fromBase64(PNG));
  await project.write("notes.txt", "remember\n");
  await Deno.writeFile(`${project.dir}/blob.bin`, new Uint8Array([1, 0, 2]));
  await Deno.writeFile(`${project.dir}/broken.png`, Uint8Array.fromBase64(PNG).slice(0, 12));
  await Deno.writeFile(`${project.dir}/latin.txt`, new Uint8Array([0x47, 0x72, 0xfc]));
  const ended = await project.run(["run", "-a", "dot.png", "-a", "notes.txt", "what is it?"]);
  assertEquals(ended.code, 0, ended.stderr);
  const content = JSON.stringify(server.requests[0].body.messages.at(-1)?.content);
  assertStringIncludes(content, `data:image/png;base64,${PNG}`);
  assertStringIncludes(content, "remember");
  for (const path of ["blob.bin", "broken.png", "latin.txt", "gone.png", "."]) {
    const refused = await project.run(["run", "-a", path, "x"]);
    assertEquals(refused.code, 2);
    assertStringIncludes(refused.stderr, path);
  }
  await server.close();
});

Deno.test("--record writes what the model said, and replay/FILE plays it without a network", async () => {
  const server = startChatServer({
    turns: [{ calls: [{ name: "write", args: { path: "made.txt", content: "made\n" } }] }, {
      text: "Made it.",
    }],
  });
  await using project = await createProject({ url: server.url });
  const recorded = await project.run(["run", "--record", "run.jsonl", "make it"]);
  assertEquals(recorded.code, 0, recorded.stderr);
  await server.close();
  assertNotMatch(await project.read("run.jsonl"), /CANARY/);
  await Deno.remove(`${project.dir}/made.txt`);
  const played = await project.run(["run", "-m", "replay/run.jsonl", "make it"]);
  assertEquals([played.code, played.stdout], [0, "Made it.\n"], played.stderr);
  assertEquals(await project.read("made.txt"), "made\n");
});

Deno.test("--output-schema checks the answer and gives it as data; an impossible one fails with status 1", async () => {
  const server = startChatServer({
    turns: [{ text: "three" }, { text: '{"n": 3}' }, { text: "no" }],
    repeatLast: true,
  });
  await using project = await createProject({ url: server.url });
  await project.write(
    "schema.json",
    '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}',
  );
  const good = await project.run(["run", "-o", "json", "--output-schema", "schema.json", "count"]);
  assertEquals([good.code, good.lines[0].structured], [0, { n: 3 }], good.stderr);
  const bad = await project.run(["run", "-o", "json", "--output-schema", "schema.json", "count"]);
  assertEquals([bad.code, bad.lines[0].reason], [1, "error"]);
  assertEquals(server.requests.length, 5);
  for (const path of ["gone.json", "run.jsonl"]) {
    assertEquals((await project.run(["run", "--output-schema", path, "x"])).code, 2);
  }
  await server.close();
});

Deno.test("--tools and --no-tools offer exactly what they say; an unknown name exits 2", async () => {
  const server = startChatServer({ turns: [{ text: "a" }, { text: "b" }] });
  await using project = await createProject({ url: server.url });
  await project.run(["run", "--tools", "read,grep", "x"]);
  await project.run(["run", "--no-tools", "x"]);
  assertEquals(server.requests[0].body.tools?.map((tool) => tool.function.name), ["read", "grep"]);
  assertEquals(server.requests[1].body.tools, undefined);
  const wrong = await project.run(["run", "--tools", "reed", "x"]);
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, '"read"');
  await server.close();
});

Deno.test("--no-session keeps nothing on the disk", async () => {
  const server = startChatServer({ turns: [{ text: "gone" }] });
  await using project = await createProject({ url: server.url });
  const ended = await project.run(["run", "-o", "json", "--no-session", "x"]);
  assertEquals([ended.code, ended.lines[0].sessionFile], [0, null]);
  assertEquals(await exists(`${project.home}/.myelin/sessions`), false);
  await server.close();
});

Deno.test("--resume finds a session by part of its id or by its file; --fork starts a new one from an entry", async () => {
  const server = startChatServer({
    turns: [{ text: "one" }, { text: "two" }, { text: "three" }, { text: "four" }],
  });
  await using project = await createProject({ url: server.url });
  const [first] = (await project.run(["run", "-o", "json", "first"])).lines;
  await project.run(["run", "other session"]);
  const id = String(first.sessionId);
  const byId = await project.run(["run", "-o", "json", "-r", id.slice(-8), "again"]);
  assertEquals(byId.lines[0].sessionId, id, byId.stderr);
  const shown = await project.run(["sessions", "show", id]);
  const entry = /^(\w{8}) mock\/mock-1$/m.exec(shown.stdout)?.[1] ?? "";
  const forked = await project.run([
    "run",
    "-o",
    "json",
    "-r",
    String(first.sessionFile),
    "--fork",
    entry,
    "another way",
  ]);
  assertEquals(forked.code, 0, forked.stderr);
  assert(forked.lines[0].sessionId !== id);
  assertEquals(server.requests[3].body.messages.map((message) => message.content), [
    server.requests[0].body.messages[0].content,
    "first",
    "one",
    "another way",
  ]);
  // Its answer is there: a fork from it was not cut off.
  const nothing = await project.run(["run", "-r", id, "--fork", entry]);
  assertEquals(nothing.code, 2);
  assertStringIncludes(nothing.stderr, "There is nothing to go on with");
  assertEquals((await project.run(["run", "-r", "nosuchsession", "x"])).code, 2);
  assertEquals((await project.run(["run", "--fork", "nosuchentry", "x"])).code, 2);
  await server.close();
});

Deno.test("--continue without a session starts one and says so; --continue without work left says what to do", async () => {
  const server = startChatServer({ turns: [{ text: "fresh" }] });
  await using project = await createProject({ url: server.url });
  const ended = await project.run(["run", "--continue", "begin"]);
  assertEquals([ended.code, ended.stdout], [0, "fresh\n"]);
  assertStringIncludes(ended.stderr, "no session of this folder yet");
  const nothing = await project.run(["run", "--continue"]);
  assertEquals(nothing.code, 2);
  assertStringIncludes(nothing.stderr, "run -c");
  await server.close();
});

Deno.test("/model in a session holds for --continue in another process, and not where --model says otherwise", async () => {
  const server = startChatServer({ turns: [{ text: "ok" }], repeatLast: true });
  await using project = await createProject({
    url: server.url,
    provider: { models: { "mock-1": { contextWindow: 200000 }, "mock-2": { contextWindow: 200000 } } },
  });
  const models = () => server.requests.map(({ body }) => body.model);
  await project.run(["run", "one"]);
  assertEquals((await project.run(["run", "-c", "/model mock/mock-2"])).code, 0);
  const again = await project.run(["run", "-c", "-o", "json", "two"]);
  assertEquals([again.code, again.lines[0].model], [0, "mock/mock-2"], again.stderr);
  await project.run(["run", "-c", "-m", "mock/mock-1", "three"]);
  await project.run(["run", "a new session"]);
  assertEquals(models(), ["mock-1", "mock-2", "mock-1", "mock-1"]);
  await server.close();
});

Deno.test("AGENTS.md reaches the model, from the root down, and warnings name what is unusable", async () => {
  const server = startChatServer({ turns: [{ text: "ok" }] });
  await using project = await createProject({ url: server.url });
  await Deno.mkdir(`${project.dir}/.git`);
  await project.write("AGENTS.md", "RULE-ROOT\n");
  await project.write("a/AGENTS.md", "RULE-DEEP\n");
  await Deno.writeFile(`${project.dir}/a/CLAUDE.md`, new Uint8Array([0xff, 0xfe, 0x00]));
  const ended = await project.run(["run", "-C", "a", "x"]);
  const system = String(server.requests[0].body.messages[0].content);
  assert(system.indexOf("RULE-ROOT") > 0 && system.indexOf("RULE-ROOT") < system.indexOf("RULE-DEEP"));
  assertStringIncludes(ended.stderr, "CLAUDE.md");
  await server.close();
});

Deno.test("sessions list, show, export and rm", async () => {
  const server = startChatServer({
    turns: [{ text: "I look.", calls: [{ name: "ls", args: {} }] }, { text: "Nothing here." }],
  });
  await using project = await createProject({ url: server.url });
  assertEquals((await project.run(["sessions", "list"])).code, 0);
  const [run] = (await project.run(["run", "-o", "json", "what is here?"])).lines;
  const id = String(run.sessionId);
  const list = await project.run(["sessions", "list"]);
  assertStringIncludes(list.stdout, "what is here?");
  assertStringIncludes(list.stdout, id.slice(-8));
  const [row] = JSON.parse((await project.run(["sessions", "list", "--json"])).stdout);
  assertEquals([row.id, row.cwd], [id, project.dir]);
  const shown = (await project.run(["sessions", "show", id])).stdout;
  for (const part of ["what is here?", "I look.", "-> ls", "Nothing here."]) {
    assertStringIncludes(shown, part);
  }
  const markdown = (await project.run(["sessions", "export", id])).stdout;
  assertStringIncludes(markdown, "## User\n\nwhat is here?");
  const raw = (await project.run(["sessions", "export", id, "--format", "jsonl"])).stdout;
  assertEquals(raw, await Deno.readTextFile(String(run.sessionFile)));
  assertEquals((await project.run(["sessions", "rm", id])).code, 0);
  assertEquals(JSON.parse((await project.run(["sessions", "list", "--json"])).stdout), []);
  assertEquals((await project.run(["sessions", "show", id])).code, 2);
  await server.close();
});

Deno.test("config show masks keys, names sources; check finds line and column; schema is JSON", async () => {
  await using project = await createProject({
    url: "http://127.0.0.1:9/v1",
    provider: { apiKey: "sk-literal-CANARY" },
  });
  const shown = await project.run(["config", "show"]);
  assertEquals(shown.code, 0);
  assertNotMatch(shown.stdout, /CANARY/);
  assertMatch(shown.stdout, /model\s+"mock\/mock-1"\s+\(.*settings\.json\)/);
  assertEquals((await project.run(["config", "check"])).code, 0);
  assertEquals(JSON.parse((await project.run(["config", "schema"])).stdout).type, "object");
  await Deno.writeTextFile(
    `${project.home}/.myelin/settings.json`,
    '{\n  "limits": { "maxSteps": "many" },\n  "modle": "x/y"\n}\n',
  );
  const checked = await project.run(["config", "check"]);
  assertEquals(checked.code, 2);
  assertMatch(checked.stdout, /settings\.json:2:\d+/);
  assertMatch(checked.stdout, /"model"/);
  const run = await project.run(["run", "x"]);
  assertEquals(run.code, 2);
  assertMatch(run.stderr, /settings\.json:2:\d+/);
});

Deno.test("config check tells of a key's variable that is not set, with its place and the remedy", async () => {
  await using project = await createProject({ url: "http://127.0.0.1:1/v1", provider: { apiKey: "$NOPE" } });
  const told = await project.run(["config", "check"]);
  assertEquals(told.code, 0);
  assertMatch(
    told.stdout,
    /^warning: \S+settings\.json:\d+:\d+: Provider "mock" wants NOPE, which is not set/,
  );
  assertStringIncludes(told.stdout, "Set NOPE in the environment");
  assertNotMatch(told.stdout, /in order/);
  const set = await project.run(["config", "check"], { env: { NOPE: "x" } });
  assertEquals([set.code, set.stdout], [0, "The settings are in order.\n"]);
});

Deno.test("docs lists pages, prints one, and suggests the nearest", async () => {
  await using project = await createProject();
  assertStringIncludes((await project.run(["docs"])).stdout, "sandbox");
  assertStringIncludes((await project.run(["docs", "headless"])).stdout, "# Headless runs");
  const wrong = await project.run(["docs", "sandbx"]);
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, "sandbox");
});

Deno.test("a home that cannot be written is told, with its path, before anything is sent", async () => {
  const server = startChatServer({ turns: [{ text: "x" }] });
  await using project = await createProject({ url: server.url });
  await Deno.writeTextFile(`${project.home}/.myelin/sessions`, "a file where a folder should be");
  const ended = await project.run(["run", "x"]);
  assertEquals(ended.code, 1);
  assertStringIncludes(ended.stderr, ".myelin/sessions");
  assertNotMatch(ended.stderr, /^\s+at /m);
  assertEquals(server.requests.length, 0);
  await server.close();
});

Deno.test("what is misspelt in the settings is told where it leaves no model", async () => {
  await using project = await createProject();
  await Deno.writeTextFile(`${project.home}/.myelin/settings.json`, '{ "modle": "mock/mock-1" }\n');
  const ended = await project.run(["run", "x"]);
  assertEquals(ended.code, 2);
  assertStringIncludes(ended.stderr, 'Unknown setting "modle". Did you mean "model"?');
  assertStringIncludes(ended.stderr, "No model is set up");
});

Deno.test("stdin that is no text is refused; a long one beside a prompt is handed over", async () => {
  const server = startChatServer({ turns: [{ text: "seen" }] });
  await using project = await createProject({ url: server.url });
  const piped = async (text: string) => {
    const running = project.start(["run", "-q", "what is it?", "-"], { stdin: "open" });
    await running.write(text);
    await running.closeStdin();
    return await running.ended;
  };
  const refused = await piped("\x7fELF\0\0");
  assertEquals(refused.code, 2);
  assertStringIncludes(refused.stderr, "no text");
  const ended = await piped("a line of a log\n".repeat(20_000));
  assertEquals(ended.code, 0, ended.stderr);
  const content = JSON.stringify(server.requests[0].body.messages.at(-1)?.content);
  assertStringIncludes(content, "local://stdin.txt");
  assert(content.length < 10_000);
  await server.close();
});

Deno.test("models looks for a name in the whole catalog where no provider that is set up has it", async () => {
  await using project = await createProject({ url: "http://127.0.0.1:9/v1" });
  const found = await project.run(["models", "sonnet"]);
  assertEquals(found.code, 0, found.stderr);
  assertMatch(found.stdout, /anthropic\/claude-sonnet/);
  assertStringIncludes(found.stderr, "Of the providers that are set up, none");
});

Deno.test("a group of commands alone shows what there is, with status 2; show means the newest session", async () => {
  const server = startChatServer({ turns: [{ text: "the newest answer" }] });
  await using project = await createProject({ url: server.url });
  const alone = await project.run(["sessions"]);
  assertEquals([alone.code, alone.stdout], [2, ""]);
  assertStringIncludes(alone.stderr, "myelin sessions list");
  assertEquals((await project.run(["run", "x"])).code, 0);
  assertStringIncludes((await project.run(["sessions", "show"])).stdout, "the newest answer");
  assertStringIncludes((await project.run(["sessions", "undo"])).stdout, "newest session of this folder");
  await server.close();
});

Deno.test("a failure begins the same way, whichever command it ends", async () => {
  await using project = await createProject({ url: "http://127.0.0.1:9/v1" });
  for (const args of [["run", "--bogus"], ["models", "--bogus"], ["sessions", "show", "nothing-like-it"]]) {
    const ended = await project.run(args);
    assertEquals(ended.code, 2, args.join(" "));
    assertMatch(ended.stderr, /^Error: /, args.join(" "));
  }
});
