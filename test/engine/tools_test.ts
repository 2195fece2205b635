import { assert, assertEquals, assertThrows } from "@std/assert";
import { textResult } from "../../src/agent/tool.ts";
import { chooseTools, joinTools, withHostTools } from "../../src/engine/tools.ts";
import { textOf } from "../../src/llm/message.ts";
import { allTools, type MainTool } from "../../src/tools/mod.ts";
import { Bench, context } from "../support/host_fs.ts";

const choice = { set: "core", enable: [], disable: [] } as const;

function hostTool(name: string): MainTool {
  return {
    name,
    description: "Looks something up in the host's own index.",
    schema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
    replay: "safe",
    effects: "read",
    runsIn: "main",
    set: "core",
    body: () =>
      Promise.resolve({
        create: () => ({ run: (args) => Promise.resolve(textResult(`host: ${JSON.stringify(args)}`)) }),
      }),
  };
}

Deno.test("tools can be left out, added, or named exactly; a wrong name is told with the nearest", () => {
  const names = (more: Partial<Parameters<typeof chooseTools>[1]>) =>
    chooseTools(allTools, { ...choice, ...more }).map((tool) => tool.name);
  assert(!names({}).includes("ask") && names({ people: true }).includes("ask"));
  assert(!names({ disable: ["bash"] }).includes("bash"));
  assert(!names({}).includes("fetch") && names({ enable: ["fetch"] }).includes("fetch"));
  assertEquals(names({ only: ["read", "verify"] }), ["read", "verify"]);
  assertEquals(names({ set: "full", people: true }), allTools.map((tool) => tool.name));
  const error = assertThrows(() => names({ disable: ["raed"] }));
  assert(error instanceof Error && "hint" in error && String(error.hint).includes('"read"'));
});

Deno.test("a host's own tools run by the same contract, and may take the place of built-in ones", async () => {
  using bench = new Bench();
  const tools = chooseTools(withHostTools(allTools, [hostTool("lookup"), hostTool("todo")]), choice);
  assertEquals(tools.filter((tool) => tool.name === "todo").length, 1);
  const joined = joinTools(
    tools,
    { run: () => Promise.reject(new Error("not of the sheath")) },
    () => Promise.resolve(bench.main),
  );
  for (const name of ["lookup", "todo"]) {
    assertEquals(textOf((await joined.run(name, { word: "x" }, context)).parts), 'host: {"word":"x"}');
  }
});
