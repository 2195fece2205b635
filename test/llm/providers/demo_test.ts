/** demo/tour, run by a small stand-in for the agent loop over an in-memory project and a real shell, where there is one. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Message, textOf, toolCalls } from "../../../src/llm/message.ts";
import { openProvider } from "../../../src/llm/stream.ts";
import { loadSample } from "../../../src/llm/providers/mod.ts";
import { LABEL } from "../../../src/llm/providers/demo/script.ts";
import { collect, errorOf, messageOf, testEndpoint, testModel, testRequest } from "../../support/llm_run.ts";

const model = { ...testModel, provider: "demo", id: "tour" };
const tools = ["ls", "bash", "read", "edit"].map((name) => ({
  name,
  description: "",
  schema: { type: "object" },
}));

type Run = (name: string, args: Record<string, unknown>) => { text: string; isError?: boolean };

/** Runs the tour to its end; what was said, what was called. */
async function tour(run: Run, offered = tools): Promise<{ texts: string[]; calls: string[] }> {
  const provider = openProvider({ api: "demo", endpoint: testEndpoint("demo:") });
  const messages: Message[] = [{ role: "user", parts: [{ type: "text", text: "Mend it." }] }];
  const texts: string[] = [];
  const calls: string[] = [];
  for (let step = 0; step < 10; step++) {
    const message = messageOf(await collect(provider, testRequest({ model, messages, tools: offered })));
    messages.push(message);
    texts.push(textOf(message.parts));
    if (message.stopReason === "stop") return { texts, calls };
    for (const call of toolCalls(message)) {
      calls.push(call.name);
      const { text, isError = false } = run(call.name, JSON.parse(call.arguments));
      const parts = [{ type: "text", text }] as const;
      messages.push({ role: "tool_result", callId: call.id, name: call.name, parts, isError });
    }
  }
  throw new Error("the tour does not end");
}

/** The tools over real files in a temporary folder. */
function realTools(folder: string): Run {
  return (name, args) => {
    const path = `${folder}/${args.path}`;
    if (name === "ls") return { text: [...Deno.readDirSync(path)].map((entry) => entry.name).join("\n") };
    if (name === "read") return { text: Deno.readTextFileSync(path) };
    if (name === "edit") {
      const [{ oldText, newText }] = args.edits as { oldText: string; newText: string }[];
      const text = Deno.readTextFileSync(path);
      assertEquals(text.split(oldText).length, 2, "the text to be replaced is not there exactly once");
      Deno.writeTextFileSync(path, text.replace(oldText, newText));
      return { text: "1 change" };
    }
    const { stdout, code } = new Deno.Command("sh", { args: ["-c", String(args.command)], cwd: folder })
      .outputSync();
    return { text: `${new TextDecoder().decode(stdout)}exit code ${code}`, isError: code !== 0 };
  };
}

async function inSample(check: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const { path, content, mode } of (await loadSample()).files) {
      await Deno.writeTextFile(`${folder}/${path}`, content, mode === undefined ? {} : { mode });
    }
    await check(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const noShell = Deno.build.os === "windows";

Deno.test({
  name: "demo/tour finds the fault, mends it, and the tests pass",
  ignore: noShell,
  fn: () =>
    inSample(async (folder) => {
      const { texts, calls } = await tour(realTools(folder));
      assertEquals(calls, ["ls", "bash", "read", "read", "edit", "bash"]);
      assertStringIncludes(texts[0], LABEL);
      assertStringIncludes(texts[1], 'one test fails: "an order at the limit ships free: got 495, wanted 0"');
      assertStringIncludes(texts.at(-1)!, "All tests pass.");
      assertStringIncludes(texts.at(-1)!, LABEL);
      const again = await tour(realTools(folder));
      assertStringIncludes(again.texts.at(-1)!, "The tests pass as they are");
      assertEquals(again.calls, ["ls", "bash"]);
    }),
});

Deno.test({
  name: "demo/tour does not claim success when the tests still fail after the change",
  ignore: noShell,
  fn: () =>
    inSample(async (folder) => {
      const real = realTools(folder);
      // A tool that says it changed the file and did not.
      const { texts } = await tour((name, args) => name === "edit" ? { text: "1 change" } : real(name, args));
      assertStringIncludes(texts.at(-1)!, "The line was changed, but afterwards one test fails");
      assert(!texts.at(-1)!.includes("All tests pass"));
    }),
});

const SAID: [string, Run, string][] = [
  ["a folder that is not its own", () => ({ text: "main.c" }), "There is no test.sh in this folder"],
  [
    "a shell that is denied",
    (name) => name === "bash" ? { text: "Denied by a rule", isError: true } : { text: "test.sh" },
    "The tests could not be run: Denied by a rule",
  ],
  [
    "another fault than its own",
    (name) => ({ text: name === "bash" ? "FAIL  x: got 1, wanted 2\n1 failed" : "test.sh" }),
    "does not have the fault",
  ],
];
for (const [name, run, words] of SAID) {
  Deno.test(`demo/tour says what happened with ${name}`, async () => {
    const { texts } = await tour(run);
    assertStringIncludes(texts.at(-1)!, words);
    assertStringIncludes(texts.at(-1)!, LABEL);
  });
}

Deno.test("demo/tour explains what it lacks when tools are missing", async () => {
  const { texts } = await tour(() => ({ text: "" }), tools.slice(0, 2));
  assertStringIncludes(texts[0], "needs the tools read, edit");
  assertStringIncludes(texts[0], LABEL);
});

Deno.test("demo has one model", async () => {
  const provider = openProvider({ api: "demo", endpoint: testEndpoint("demo:") });
  const error = errorOf(await collect(provider, testRequest({ model: { ...model, id: "other" } })));
  assertStringIncludes(error.message, 'There is no model "demo/other"');
});
