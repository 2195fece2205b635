import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type CommandContext, commands, hintOf, parseCommand, schemaOf } from "../../src/commands/mod.ts";
import { commandNames } from "../../src/commands/names.ts";
import type { Op } from "../../src/engine/op.ts";
import type { Snapshot } from "../../src/engine/snapshot.ts";

const SNAPSHOT: Snapshot = {
  session: { id: "s1", file: "/h/s1.jsonl", cwd: "/ws", title: null, messages: 3 },
  model: "test/model",
  thinking: null,
  running: false,
  queue: [],
  context: {
    tokens: 5_000,
    exact: false,
    contextWindow: 100_000,
    trigger: 80_000,
    parts: {
      tools: 1_000,
      prompt: 1_000,
      instructions: 500,
      user: 1_000,
      answers: 1_000,
      results: 1_000,
      other: 0,
    },
  },
  instructions: [{ path: "/ws/AGENTS.md", tokens: 500 }],
  usage: { input: 1_200, output: 30, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  costUsd: 0.01,
  tools: [{ name: "read", about: "Reads.", effects: "read" }],
  skills: [{ name: "count", about: "Counts.", argumentHint: "[file]" }],
  customCommands: [],
  permissions: { approve: "ask", sandbox: "workspace", allow: [], ask: [], deny: ["run(git push *)"] },
};

async function type(text: string, host: CommandContext["host"] = {}) {
  const parsed = parseCommand(text, commands);
  const ops: Op[] = [];
  const said: string[] = [];
  if (parsed?.type === "command") {
    await parsed.command.run(parsed.args, {
      submit: (op) => Promise.resolve(void ops.push(op)),
      snapshot: () => Promise.resolve(SNAPSHOT),
      tree: () => Promise.resolve([]),
      say: (text) => void said.push(text),
      host,
      commands,
    });
  }
  return { parsed, ops, said: said.join("\n") };
}

Deno.test("parseCommand() takes commands and leaves every other text alone", () => {
  for (const text of ["hello", "/etc/passwd is a file", "/nonsense", "// comment", "/", "see /help"]) {
    assertEquals(parseCommand(text, commands), undefined, text);
  }
  assertEquals(parseCommand("  /help  ", commands)?.type, "command");
});

Deno.test("parseCommand() says what is wrong with the words and how it is used", () => {
  const wrong = (text: string) => {
    const parsed = parseCommand(text, commands);
    return parsed?.type === "wrong" ? parsed.problem : "";
  };
  assertStringIncludes(wrong("/shake"), '"mode" is missing. Usage: /shake <elide|images|thinking>');
  assertStringIncludes(wrong("/shake all"), '"all" is none of');
  assertStringIncludes(wrong("/redo now"), "it takes no words");
});

Deno.test("commands submit ops with what was typed", async () => {
  assertEquals((await type("/compact keep the port number")).ops, [
    { type: "compact", focus: "keep the port number" },
  ]);
  assertEquals((await type("/navigate abc summarize")).ops, [{
    type: "navigate",
    to: "abc",
    summarize: true,
  }]);
  assertEquals((await type("/thinking high")).ops, [{ type: "thinking", level: "high" }]);
  assertEquals((await type("/undo")).ops, [{ type: "undo" }]);
});

Deno.test("commands say what the session is like", async () => {
  assertStringIncludes((await type("/context")).said, "~5,000 of 100,000 tokens (5 %)");
  assertStringIncludes((await type("/permissions")).said, "deny   run(git push *)");
  assertStringIncludes((await type("/cost")).said, "$0.0100");
  const help = (await type("/help")).said;
  for (const { name } of commands) assertStringIncludes(help, `/${name}`);
  assertStringIncludes(help, "/count [file]");
});

Deno.test("what an interface cannot do is said, not failed", async () => {
  assertStringIncludes((await type("/resume abc")).said, "--resume ID");
  let opened = "";
  await type("/resume abc", { open: (choice) => Promise.resolve(void (opened = JSON.stringify(choice))) });
  assertEquals(opened, '{"kind":"named","wanted":"abc"}');
});

Deno.test("commandNames are the names of the commands", () => {
  assertEquals(commandNames, commands.map(({ name }) => name));
});

Deno.test("every command has a name of its own, a summary, and a schema that says the same as its hint", () => {
  assertEquals(new Set(commands.map(({ name }) => name)).size, commands.length);
  for (const command of commands) {
    assert(command.summary.length > 10 && !command.summary.endsWith("."));
    const schema = schemaOf(command) as { properties: Record<string, unknown>; required: string[] };
    assertEquals(Object.keys(schema.properties), command.args.map(({ name }) => name));
    assertEquals(schema.required.length, (hintOf(command).match(/</g) ?? []).length);
  }
});

Deno.test("/context tells what fills the window, and each file of instructions with its cost", async () => {
  const { said } = await type("/context");
  assertStringIncludes(said, "/ws/AGENTS.md  ~500");
  assertStringIncludes(said, "instructions");
});
