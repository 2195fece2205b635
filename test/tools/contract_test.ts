/** What every tool of the list has to keep, whichever it is. A new one is covered by being in the list. */
import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import type { ToolBody } from "../../src/agent/tool.ts";
import { toJsonSchema } from "../../src/lib/schema.ts";
import { withTools } from "../../scripts/tool_docs.ts";
import { allTools, coreTools, type Tool } from "../../src/tools/mod.ts";
import { Bench, call } from "../support/host_fs.ts";

async function bodyOf(tool: Tool, bench: Bench): Promise<ToolBody> {
  return tool.runsIn === "sheath"
    ? (await tool.body()).create(bench.deps)
    : (await tool.body()).create({ limits: bench.deps.limits });
}

Deno.test("every tool has a declaration that a model can use", () => {
  const names = allTools.map((tool) => tool.name);
  assertEquals(new Set(names).size, names.length);
  for (const tool of allTools) {
    assertMatch(tool.name, /^[a-z][a-z_]*$/);
    assert(tool.description.length > 20 && tool.description.length < 600, tool.name);
    assertEquals(tool.description, tool.description.trim());
    assertEquals(tool.schema.type, "object", tool.name);
    assert(tool.replay === "safe" || tool.replay === "never");
    if (tool.effects === "read") {
      assertEquals(tool.replay, "safe", `${tool.name} changes nothing, so it may be repeated`);
    }
  }
});

Deno.test("every schema.json is what its args.ts says", async () => {
  const root = new URL("../../src/tools/", import.meta.url);
  let compared = 0;
  for (const { name } of Deno.readDirSync(root)) {
    const tool = allTools.find((one) => one.name === name);
    if (tool === undefined) continue;
    const { args } = await import(new URL(`${name}/args.ts`, root).href);
    assertEquals(tool.schema, toJsonSchema(args), `${name}: run scripts/schemas.ts`);
    compared++;
  }
  assert(compared >= 8);
});

Deno.test("the declarations of the file tools and todo take at most 3,000 bytes of a request", () => {
  const own = ["read", "write", "edit", "ls", "glob", "grep", "todo"];
  const tools = coreTools.filter((tool) => own.includes(tool.name));
  assertEquals(tools.length, own.length);
  const wire = tools.map(({ name, description, schema }) => ({
    type: "function",
    function: { name, description, parameters: schema },
  }));
  assert(new TextEncoder().encode(JSON.stringify(wire)).length <= 3000);
});

Deno.test("declarations load no schema library and no body", async () => {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-lock", new URL("../../src/tools/mod.ts", import.meta.url).pathname],
    cwd: new URL("../..", import.meta.url).pathname,
  }).output();
  assertEquals(code, 0);
  const { modules } = JSON.parse(new TextDecoder().decode(stdout));
  const reached = reachable(modules);
  assert(reached.some((name) => name.endsWith("/read/mod.ts")));
  assertEquals(reached.filter((name) => /\/(args|body)\.ts$|zod/.test(name)), []);
});

Deno.test("every tool answers wrong arguments with an error that names the field and the right form", async () => {
  for (const tool of allTools) {
    using bench = new Bench();
    const body = await bodyOf(tool, bench);
    const required = tool.schema.required as string[] | undefined;
    for (const wrong of [{}, { [required?.[0] ?? "path"]: { not: "right" } }, 7, "text", null, []]) {
      if (required === undefined && (JSON.stringify(wrong) === "{}")) continue;
      const result = await call(body, wrong);
      assert(result.isError, `${tool.name} ${JSON.stringify(wrong)}: ${result.text}`);
      assertStringIncludes(result.text, "Right form: {");
      if (required !== undefined) assertStringIncludes(result.text, required[0]);
    }
  }
});

Deno.test("docs/tools.md says what the declarations say (else: deno run -A scripts/tool_docs.ts)", () => {
  const page = Deno.readTextFileSync(new URL("../../docs/tools.md", import.meta.url));
  assertEquals(page, withTools(page));
});

/** A call of each tool on hostile input; names of tools not here are checked by their own tests. */
const HOSTILE: Readonly<Record<string, unknown>> = {
  read: { path: "hostile" },
  write: { path: "new\x1b[2J\x07", content: "\x1b]0;owned\x07\ud83d" },
  edit: { path: "hostile", edits: [{ oldText: "\x1b[31mred", newText: "\x1b[2J\u202eblue" }] },
  ls: { path: "." },
  glob: { pattern: "*" },
  grep: { pattern: "red", context: 2 },
  multi_edit: {
    files: [{ path: "hostile", edits: [{ oldText: "\x1b[31mred", newText: "\x1b[2J\u202eblue" }] }],
  },
  picker: { query: "n" },
  todo: {
    items: Array.from({ length: 90 }, (_, i) => ({ text: `\x1b[31m${"🙂".repeat(900)}${i}`, state: "open" })),
  },
};

Deno.test("every tool's text is bounded, well formed, and free of control sequences", async () => {
  const covered = allTools.filter((tool) => tool.name in HOSTILE);
  assertEquals(covered.length, Object.keys(HOSTILE).length);
  for (const tool of covered) {
    using bench = new Bench({ outputBytes: 4096 });
    bench.put(
      "hostile",
      "\x1b[2J\x1b[31mred\x1b[0m\x9b31m\u202eevil\u202c\x07\r\x1b]52;c;cHduZWQ=\x07\n".repeat(1),
    );
    for (let i = 0; i < 300; i++) {
      bench.put(`n\x1b[3${i % 8}m${"🙂".repeat(20)}${i}`, "red ".repeat(500) + "🙂".repeat(500));
    }
    await call(await bodyOf(allTools.find((other) => other.name === "read")!, bench), { path: "hostile" });
    const result = await call(await bodyOf(tool, bench), HOSTILE[tool.name]);
    assert(result.text.length > 0, tool.name);
    assert(new TextEncoder().encode(result.text).length <= 4096 + 512, `${tool.name}: ${result.text.length}`);
    assert(result.text.isWellFormed(), tool.name);
    // deno-lint-ignore no-control-regex -- what must not be there
    assert(
      !/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/.test(result.text),
      `${tool.name}: ${JSON.stringify(result.text)}`,
    );
  }
});

Deno.test("every tool of the sheath that changes or searches stops when the run is cancelled, and changes nothing", async () => {
  const tried: string[] = [];
  for (const tool of allTools) {
    const searches = ["glob", "grep", "picker"].includes(tool.name);
    if (!(tool.name in HOSTILE) || tool.runsIn !== "sheath" || !(tool.effects === "write" || searches)) {
      continue;
    }
    using bench = new Bench();
    bench.put("hostile", "\x1b[31mred\x1b[2J\n");
    await call(await bodyOf(allTools.find((other) => other.name === "read")!, bench), { path: "hostile" });
    const body = await bodyOf(tool, bench);
    bench.cancelled = true;
    const error = await assertRejects(() => call(body, HOSTILE[tool.name]));
    assert(error instanceof DOMException && error.name === "AbortError", `${tool.name}: ${error}`);
    assertEquals(Array.from(Deno.readDirSync(bench.dir), (entry) => entry.name), ["hostile"]);
    assertEquals(bench.text("hostile"), "\x1b[31mred\x1b[2J\n");
    tried.push(tool.name);
  }
  assertEquals(tried.length, 6);
});

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier: string };
    readonly isDynamic?: boolean;
  }[];
}

/** What the first module loads before anything runs. */
function reachable(modules: readonly Module[]): string[] {
  const bySpecifier = new Map(modules.map((module) => [module.specifier, module]));
  const start = modules.find((module) => module.specifier.endsWith("/src/tools/mod.ts"))!;
  const seen = new Set<string>();
  const open = [start.specifier];
  while (open.length > 0) {
    const specifier = open.pop()!;
    if (seen.has(specifier)) continue;
    seen.add(specifier);
    for (const dependency of bySpecifier.get(specifier)?.dependencies ?? []) {
      if (dependency.code !== undefined && !dependency.isDynamic) open.push(dependency.code.specifier);
    }
  }
  return [...seen];
}
