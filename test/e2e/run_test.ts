/** The main job as a user sees it: the program, a server that speaks chat completions, files on disk. */
import { assert, assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import { startChatServer } from "../support/chat_script.ts";
import { createProject } from "../support/program.ts";

Deno.test("run prints the answer on stdout and nothing else", async () => {
  const server = startChatServer({ turns: [{ text: "Four." }] });
  await using project = await createProject({ url: server.url });
  const ended = await project.run(["run", "what is 2+2?"]);
  assertEquals([ended.code, ended.stdout], [0, "Four.\n"], ended.stderr);
  const { body } = server.requests[0];
  assertEquals(body.messages.map((message) => message.role), ["system", "user"]);
  assertEquals(server.requests[0].headers.authorization, "Bearer sk-mock-CANARY");
  await server.close();
});

Deno.test("run reads, edits and runs a command, then answers", async () => {
  const server = startChatServer({
    turns: [
      { text: "I look.", calls: [{ name: "read", args: { path: "sum.sh" } }] },
      {
        calls: [{
          name: "edit",
          args: { path: "sum.sh", edits: [{ oldText: "$1 - $2", newText: "$1 + $2" }] },
        }],
      },
      { calls: [{ name: "bash", args: { command: "bash sum.sh 2 3" } }] },
      ({ body }) => ({ text: `It says ${JSON.stringify(body.messages.at(-1)?.content)}` }),
    ],
  });
  await using project = await createProject({ url: server.url });
  await project.write("sum.sh", "echo $(( $1 - $2 ))\n");
  const ended = await project.run(["run", "mend sum.sh"]);
  assertEquals(ended.code, 0, ended.stderr);
  assertEquals(await project.read("sum.sh"), "echo $(( $1 + $2 ))\n");
  assertStringIncludes(ended.stdout, "5");
  assertStringIncludes(ended.stderr, "sum.sh");
  await server.close();
});

Deno.test("run tells a script by stopReason that an answer was cut or withheld, and the status stays 0", async () => {
  const finishes = ["stop", "length", "content_filter"];
  const server = startChatServer({
    turns: finishes.flatMap((finish) => [{ text: "Half of", finish }, { text: "Half of", finish }]),
  });
  await using project = await createProject({ url: server.url });
  for (const expected of ["stop", "length", "filter"]) {
    for (const format of ["json", "stream-json"]) {
      const ended = await project.run(["run", "-o", format, "tell"]);
      const end = ended.lines.at(-1) ?? {};
      assertEquals([ended.code, end.reason, end.stopReason, end.text], [0, "stop", expected, "Half of"]);
    }
  }
  // Nobody ended an answer that never came.
  const failed = await project.run(["run", "-o", "json", "tell"]);
  assertEquals([failed.code, failed.lines.at(-1)?.stopReason], [1, null]);
  await server.close();
});

Deno.test("run --output stream-json: 20 calls, every line parses, run_end is last, each request starts with the one before", async () => {
  const turns = Array.from({ length: 20 }, (_, i) => ({
    calls: [
      i % 2 === 0
        ? { name: "read", args: { path: `f${i}.txt` } }
        : { name: "bash", args: { command: "echo hi" } },
    ],
  }));
  const server = startChatServer({ turns: [...turns, { text: "Done." }] });
  await using project = await createProject({ url: server.url });
  for (let i = 0; i < 20; i += 2) await project.write(`f${i}.txt`, `file ${i}\n`);
  const ended = await project.run(["run", "--output", "stream-json", "go"]);
  assertEquals(ended.code, 0, ended.stderr);
  const types = ended.lines.map((line) => line.type);
  assertEquals(types[0], "run_start");
  assertEquals(types.at(-1), "run_end");
  assertEquals(types.filter((type) => type === "tool_end").length, 20);
  assertEquals(ended.lines.map((line) => line.seq), ended.lines.map((_, i) => i));
  assert(
    ended.lines.filter((line) => line.type === "tool_end").every((line) => line.isError === false),
    ended.stdout,
  );
  const end = ended.lines.at(-1) ?? {};
  assertEquals([end.reason, end.text, end.steps, end.toolCalls], ["stop", "Done.", 21, 20]);

  assertEquals(server.requests.length, 21);
  for (let i = 1; i < server.requests.length; i++) {
    const [before, after] = [server.requests[i - 1].text, server.requests[i].text];
    const messages = (text: string) => text.slice(text.indexOf('"messages":[') + 12);
    const own = JSON.stringify(server.requests[i - 1].body.messages).slice(1, -1);
    assert(messages(before).startsWith(own), "messages are sent as they parse");
    assertEquals(messages(after).slice(0, own.length), own);
    assertEquals(
      JSON.stringify(server.requests[i].body.tools),
      JSON.stringify(server.requests[0].body.tools),
    );
  }
  await server.close();
});

Deno.test("run --output json prints one object with the contract's fields", async () => {
  const server = startChatServer({ turns: [{ text: "Yes." }] });
  await using project = await createProject({ url: server.url });
  const ended = await project.run(["run", "-o", "json", "ok?"]);
  assertEquals(ended.lines.length, 1);
  const [result] = ended.lines;
  for (
    const field of [
      "sessionId",
      "sessionFile",
      "model",
      "reason",
      "text",
      "structured",
      "usage",
      "costUsd",
      "steps",
      "toolCalls",
      "durationMs",
      "error",
    ]
  ) assert(field in result, field);
  assertEquals([result.model, result.reason, result.text, result.error], [
    "mock/mock-1",
    "stop",
    "Yes.",
    null,
  ]);
  await server.close();
});

Deno.test("run keeps the key out of the session, the output and the requests' bodies", async () => {
  const server = startChatServer({
    turns: [{ calls: [{ name: "bash", args: { command: "env; cat /proc/self/environ; echo $MOCK_KEY" } }] }, {
      text: "ok",
    }],
  });
  await using project = await createProject({ url: server.url });
  const ended = await project.run(["run", "-o", "stream-json", "-v", "show me"]);
  const [start] = ended.lines;
  const session = await Deno.readTextFile(String(start.sessionFile));
  for (
    const text of [
      ended.stdout,
      ended.stderr,
      session,
      ...server.requests.map((request) => request.text),
    ]
  ) {
    assertNotMatch(text, /CANARY/);
  }
  await server.close();
});

Deno.test("run appends a piped stdin to the prompt, and does not wait for a pipe that stays open", async () => {
  const server = startChatServer({ turns: [{ text: "a" }, { text: "b" }, { text: "c" }] });
  await using project = await createProject({ url: server.url });
  const piped = project.start(["run", "explain"], { stdin: "open" });
  await piped.write("from the pipe\n");
  await piped.closeStdin();
  assertEquals((await piped.ended).code, 0);
  const only = project.start(["run", "-"], { stdin: "open" });
  await only.write("only the pipe");
  await only.closeStdin();
  assertEquals((await only.ended).code, 0);
  const open = project.start(["run", "go on"], { stdin: "open" });
  assertEquals((await open.ended).code, 0);
  await open.closeStdin().catch(() => {});
  const said = server.requests.map((request) => JSON.stringify(request.body.messages.at(-1)?.content));
  assertStringIncludes(said[0], "explain");
  assertStringIncludes(said[0], "from the pipe");
  assertStringIncludes(said[1], "only the pipe");
  assertStringIncludes(said[2], "go on");
  await server.close();
});

Deno.test("run without a prompt, with a wrong option, a wrong value or no model exits 2 and says what to do", async () => {
  await using project = await createProject();
  const rows: [string[], string][] = [
    [["run"], "prompt"],
    [["run", "--modle", "x/y", "hi"], "--model"],
    [["run", "--max-steps", "none", "hi"], "--max-steps"],
    [["run", "-o", "xml", "hi"], "stream-json"],
    [["run", "hi"], "demo/tour"],
    [["run", "-m", "nowhere/x", "hi"], "nowhere"],
    [["run", "-C", "/does/not/exist", "hi"], "/does/not/exist"],
    [["rnu", "hi"], "myelin run"],
    [[], "run"],
  ];
  for (const [args, says] of rows) {
    const ended = await project.run(args);
    assertEquals(ended.code, 2, `${args.join(" ")}: ${ended.stderr}`);
    assertEquals(ended.stdout, "");
    assertStringIncludes(ended.stderr, says);
    assertNotMatch(ended.stderr, /^\s+at /m);
  }
});

Deno.test("run --output stream-json ends with run_end also when the command line is wrong", async () => {
  await using project = await createProject();
  const ended = await project.run(["run", "--output", "stream-json", "--nope", "hi"]);
  assertEquals(ended.code, 2);
  const end = ended.lines.at(-1) ?? {};
  assertEquals([end.type, end.reason], ["run_end", "error"]);
  assertStringIncludes(String(end.error), "--nope");
});

Deno.test("run ends at its limits with their statuses, and the session goes on from there", async () => {
  const forever = { calls: [{ name: "bash", args: { command: "echo again" } }] };
  const server = startChatServer({ turns: [forever, forever, forever, { text: "finished" }] });
  await using project = await createProject({ url: server.url });
  const limited = await project.run(["run", "-o", "json", "--max-steps", "2", "go"]);
  assertEquals([limited.code, limited.lines[0].reason], [4, "max_steps"]);
  const budget = await project.run(["run", "-o", "json", "--continue", "--budget", "0.0000001", "go on"]);
  assertEquals([budget.code, budget.lines[0].reason], [4, "budget"]);
  const rest = await project.run(["run", "-o", "json", "-c", "and on"]);
  assertEquals([rest.code, rest.lines[0].text], [0, "finished"]);
  assertEquals(rest.lines[0].sessionId, limited.lines[0].sessionId);
  await server.close();
});

Deno.test("run --timeout ends with 124 and leaves nothing running", async () => {
  const server = startChatServer({ turns: [{ calls: [{ name: "bash", args: { command: "sleep 600" } }] }] });
  await using project = await createProject({ url: server.url });
  const ended = await project.run(["run", "-o", "json", "--timeout", "1500ms", "wait"]);
  assertEquals([ended.code, ended.lines[0].reason], [124, "timeout"], ended.stderr);
  await server.close();
});

Deno.test("--version and --help print to stdout and exit 0", async () => {
  await using project = await createProject();
  for (
    const args of [["--version"], ["--help"], ["run", "--help"], ["sh", "--help"], ["sessions", "--help"], [
      "config",
      "--help",
    ]]
  ) {
    const ended = await project.run(args);
    assertEquals([ended.code, ended.stderr], [0, ""], args.join(" "));
    assert(ended.stdout.length > 0);
  }
});

Deno.test("the first request costs at most 2,000 tokens beside the user's text, and names the tools of the core set", async () => {
  const server = startChatServer({ turns: [{ text: "ok" }] });
  await using project = await createProject({ url: server.url });
  await project.run(["run", "x"]);
  const [{ text, body }] = server.requests;
  assert(new TextEncoder().encode(text).length / 4 <= 2000, `${text.length / 4} tokens`);
  assertEquals(body.tools?.map((tool) => tool.function.name), [
    "read",
    "write",
    "edit",
    "ls",
    "glob",
    "grep",
    "bash",
    "bash_output",
    "kill_shell",
    "todo",
    "task",
    "task_output",
  ]);
  await server.close();
});
