/** What every tool of the list has to keep, whichever it is. A new one is covered by being in the list. */
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import fc from "fast-check";
import { toJSONSchema, type ZodMiniType } from "zod/mini";
import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import type { ToolBody } from "../../src/agent/tool.ts";
import { fits } from "../../src/lib/plain_json.ts";
import { parseArgs, toJsonSchema } from "../../src/lib/schema.ts";
import { withTools } from "../../scripts/tool_docs.ts";
import { allTools, coreTools, type Tool } from "../../src/tools/mod.ts";
import { withSheath } from "../sheath/sheath_fixture.ts";
import { Bench, call } from "../support/host_fs.ts";

async function bodyOf(tool: Tool, bench: Bench): Promise<ToolBody> {
  return tool.runsIn === "sheath"
    ? (await tool.body()).create(bench.deps)
    : (await tool.body()).create(bench.main);
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
    if (tool.effects === "read" && !tool.delegates) {
      assertEquals(tool.replay, "safe", `${tool.name} changes nothing, so it may be repeated`);
    }
  }
});

/** The schemas of all folders, by folder and the name of the export. */
async function allTypes(): Promise<[folder: string, name: string, type: ZodMiniType][]> {
  const root = new URL("../../src/tools/", import.meta.url);
  const out: [string, string, ZodMiniType][] = [];
  for (const { name: folder } of Deno.readDirSync(root)) {
    if (folder === "shared" || folder.endsWith(".ts")) continue;
    const types: Record<string, ZodMiniType> = await import(new URL(`${folder}/args.ts`, root).href);
    for (const [name, type] of Object.entries(types)) out.push([folder, name, type]);
  }
  return out;
}

async function plainOf(folder: string, name: string): Promise<Record<string, unknown>> {
  const url = new URL(`../../src/tools/${folder}/args.json`, import.meta.url);
  const { default: all } = await import(url.href, { with: { type: "json" } });
  return all[name];
}

Deno.test("every schema is what its args.ts says (else: deno run -A scripts/schemas.ts)", async () => {
  const types = await allTypes();
  const made = types.map(([, , type]) => JSON.stringify(toJsonSchema(type)));
  for (const tool of allTools) assert(made.includes(JSON.stringify(tool.schema)), tool.name);
  for (const [folder, name, type] of types) {
    const { $schema: _, ...whole } = toJSONSchema(type, { io: "input" });
    assertEquals(await plainOf(folder, name), whole, `${folder}/args.json, ${name}`);
  }
});

/** Values near what a schema asks for: mostly right, some wrong in one way or another. */
function near(schema: Record<string, unknown>): fc.Arbitrary<unknown> {
  const odd = fc.oneof(
    { arbitrary: fc.constantFrom<unknown>(null, "", "0", 0, -1, 1.5, true, [], {}, 2 ** 53), weight: 2 },
    { arbitrary: fc.jsonValue({ maxDepth: 1 }), weight: 1 },
  );
  return fc.oneof({ arbitrary: right(schema), weight: 12 }, { arbitrary: odd, weight: 1 });
}

function right(schema: Record<string, unknown>): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "string":
      return fc.string({ maxLength: 3 });
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({ min: -2, max: 60 });
    case "number":
      return fc.double({ noNaN: true });
    case "array":
      return fc.array(near(schema.items as Record<string, unknown>), { maxLength: 3 });
  }
  const fields = Object.entries(schema.properties as Record<string, Record<string, unknown>>);
  const shape = Object.fromEntries(fields.map(([name, inner]) => [name, near(inner)]));
  const whole = fc.record(shape, { requiredKeys: (schema.required ?? []) as string[] });
  const more = fc.tuple(whole, fc.constantFrom("__proto__", "file_path"), fc.string())
    .map(([value, key, extra]) => JSON.parse(`{"${key}": ${JSON.stringify(extra)}, ${inside(value)}`));
  return fc.oneof({ arbitrary: whole, weight: 9 }, { arbitrary: more, weight: 1 });
}

/** The text of an object without its first brace; with a field where it has none. */
function inside(value: unknown): string {
  const text = JSON.stringify(value);
  return text === "{}" ? `"_": 1}` : text.slice(1);
}

Deno.test("the quick look takes no arguments that the schema refuses or changes, and takes plain ones", async () => {
  for (const [folder, name, type] of await allTypes()) {
    const plain = await plainOf(folder, name);
    let taken = 0;
    fc.assert(
      fc.property(near(plain), (value) => {
        const given = JSON.stringify(value);
        if (!fits(plain, value)) return;
        taken++;
        const parsed = parseArgs(type, value);
        assert(parsed.ok, `${folder} ${name}: ${given}`);
        assertEquals(JSON.stringify(parsed.value), given);
      }),
      { numRuns: 1000 },
    );
    assert(taken > 20, `${folder} ${name}: ${taken} of 1000 taken`);
  }
});

Deno.test("schemas and descriptions: at most 1,300 tokens for the core set, 2,600 for the full one", () => {
  const tokens = (tools: readonly Tool[]) =>
    encode(JSON.stringify(tools.map(({ name, description, schema }) => ({
      type: "function",
      function: { name, description, parameters: schema },
    })))).length;
  assert(tokens(coreTools) <= 1300, String(tokens(coreTools)));
  assert(tokens(allTools) <= 2600, String(tokens(allTools)));
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
    const field = required?.[0] ?? Object.keys(tool.schema.properties ?? {})[0];
    for (const wrong of [{}, { [field ?? "none"]: { not: "right" } }, 7, "text", null, []]) {
      if (required === undefined && JSON.stringify(wrong) === "{}") continue;
      if (field === undefined && JSON.stringify(wrong).startsWith('{"none"')) continue;
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

const EVIL = "\x1b[2J\x1b[31mred\x1b[0m\x9b31m\u202eevil\u202c\x07\r\x1b]52;c;cHduZWQ=\x07\n";
const SHOUT = `\x1b[31m${"🙂".repeat(900)}\u202e`;

/** A call of each tool on hostile input. */
const HOSTILE: Readonly<Record<string, unknown>> = {
  read: { path: "hostile" },
  write: { path: "new\x1b[2J\x07", content: "\x1b]0;owned\x07\ud83d" },
  edit: { path: "hostile", edits: [{ oldText: "\x1b[31mred", newText: "\x1b[2J\u202eblue" }] },
  ls: { path: "." },
  glob: { pattern: "*" },
  grep: { pattern: "red", context: 2 },
  bash: { command: "cat hostile n*" },
  bash_output: { id: "sh1" },
  kill_shell: { id: "sh1\x1b[2J" },
  todo: { items: Array.from({ length: 90 }, (_, i) => ({ text: `${SHOUT}${i}`, state: "open" })) },
  task: { prompt: "look" },
  task_output: { id: "task1" },
  ask: { question: SHOUT },
  multi_edit: {
    files: [{ path: "hostile", edits: [{ oldText: "\x1b[31mred", newText: "\x1b[2J\u202eblue" }] }],
  },
  picker: { query: "n" },
  fetch: { url: "https://example.org/\x1b[2J" },
  git_status: {},
  git_diff: { from: "HEAD" },
  git_log: {},
  git_commit: { message: SHOUT, files: ["hostile"] },
  memory: {},
  checkpoint: {},
  verify: {},
};

/** Those that need the session's shell run in the real sheath. */
const IN_SHELL = ["bash", "bash_output", "kill_shell", "verify"];
const hasGit = await installed("git");

async function installed(program: string): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args: ["--version"], stdout: "null" }).output()).success;
  } catch {
    return false;
  }
}

function fillHostile(put: (name: string, content: string) => void): void {
  put("hostile", EVIL);
  for (let i = 0; i < 300; i++) {
    put(`n\x1b[3${i % 8}m${"🙂".repeat(20)}${i}`, "red ".repeat(500) + "🙂".repeat(500));
  }
}

function assertClean(name: string, text: string): void {
  assert(text.length > 0, name);
  assert(new TextEncoder().encode(text).length <= 4096 + 512, `${name}: ${text.length}`);
  assert(text.isWellFormed(), name);
  // deno-lint-ignore no-control-regex -- what must not be there
  assert(!/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/.test(text), `${name}: ${JSON.stringify(text)}`);
}

async function hostileBench(name: string): Promise<Bench> {
  const bench = new Bench({ outputBytes: 4096 });
  fillHostile((name, content) => bench.put(name, content));
  bench.reply = { chosen: [], text: SHOUT.repeat(20) };
  bench.report = { ended: "error", text: SHOUT.repeat(20), problem: SHOUT, steps: 1, toolCalls: 1 };
  for (let i = 0; i < 90; i++) {
    bench.points.push(`${SHOUT}${i}`);
    bench.main.notes.save(`${i}${SHOUT}`, SHOUT);
  }
  Object.assign(bench.deps, {
    fetch: (url: string) =>
      Promise.resolve({
        ok: true,
        fetched: {
          url,
          status: 200,
          type: `text/plain${SHOUT}`,
          body: new TextEncoder().encode(EVIL.repeat(500)),
          cut: true,
        },
      }),
  });
  if (name.startsWith("git_")) {
    const git = async (...args: string[]) =>
      assert(
        (await new Deno.Command("git", { args, cwd: bench.dir, env: { HOME: bench.dir } }).output()).success,
      );
    bench.put(".gitconfig", `[user]\n\tname = A\x1b[31mnn\u202e\n\temail = a@example.org\n`);
    await git("init", "-q", ".");
    for (let i = 0; i < 20; i++) await git("commit", "-q", "--allow-empty", "-m", `${i}${SHOUT}`);
    await git("add", "-N", ".");
  }
  await call(await bodyOf(allTools.find((tool) => tool.name === "read")!, bench), { path: "hostile" });
  return bench;
}

Deno.test("every tool's text is bounded, well formed, and free of control sequences", async () => {
  assertEquals(Object.keys(HOSTILE).sort(), allTools.map((tool) => tool.name).sort());
  for (const tool of allTools) {
    if (IN_SHELL.includes(tool.name) || (tool.name.startsWith("git_") && !hasGit)) continue;
    using bench = await hostileBench(tool.name);
    assertClean(tool.name, (await call(await bodyOf(tool, bench), HOSTILE[tool.name])).text);
  }
});

Deno.test("the same holds for the tools of the shell, in the sheath", async () => {
  await withSheath({ sheath: { limits: { outputBytes: 4096 } } }, async ({ workspace, run }) => {
    fillHostile((name, content) => Deno.writeTextFileSync(`${workspace}/${name}`, content));
    Deno.mkdirSync(`${workspace}/.myelin`);
    const checks = Array.from(
      { length: 4 },
      (_, i) => ({ name: `${i}${SHOUT.slice(0, 60)}`, run: "cat hostile n*; false" }),
    );
    Deno.writeTextFileSync(`${workspace}/.myelin/verify.json`, JSON.stringify({ checks }));
    await run("bash", { command: "cat hostile n*; cat", background: true });
    for (const name of IN_SHELL) assertClean(name, (await run(name, HOSTILE[name])).text);
  });
});

Deno.test("every tool that changes or searches files stops when the run is cancelled, and changes nothing", async () => {
  const tried: string[] = [];
  for (const tool of allTools) {
    const searches = ["glob", "grep", "picker"].includes(tool.name);
    if (IN_SHELL.includes(tool.name) || tool.runsIn !== "sheath") continue;
    if (!(tool.effects === "write" || searches) || (tool.name === "git_commit" && !hasGit)) continue;
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
  assertEquals(tried.length, hasGit ? 7 : 6);
});

Deno.test("a cancel ends what would last: commands, checks, searches, pages that do not come", async () => {
  const { promise: never } = Promise.withResolvers<never>();
  const fetch = (_url: string, _permit: unknown, signal: AbortSignal) =>
    Promise.race([
      never,
      new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve({ ok: false, problem: "cancelled" }))
      ),
    ]);
  await withSheath({ sheath: { fetch } }, async ({ workspace, run }) => {
    Deno.mkdirSync(`${workspace}/.myelin`);
    Deno.writeTextFileSync(`${workspace}/.myelin/verify.json`, '{"checks": ["echo started; sleep 1000"]}');
    const lasting: [string, unknown][] = [
      ["bash", { command: "echo started; sleep 1000" }],
      ["bash", { command: "echo started; while :; do :; done" }],
      ["verify", {}],
      ["fetch", { url: "https://example.org/" }],
    ];
    for (const [name, args] of lasting) {
      const abort = new AbortController();
      const running = run(name, args, { signal: abort.signal, output: () => abort.abort() });
      // What says nothing while it runs is cancelled at once.
      if (name === "fetch") abort.abort();
      const { isError } = await running;
      assert(isError, name);
    }
    // The sheath works on.
    assertStringIncludes((await run("bash", { command: "echo fine" })).text, "fine");
  });
});

Deno.test("no tool shows a secret of the environment", async () => {
  const environment = {
    PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
    OPENAI_API_KEY: "CANARY-1",
    MY_TOKEN: "CANARY-2",
    LOCAL_KEY: "CANARY-3",
  };
  const sheath = { environment, env: ["PATH", "MY_*", "LOCAL_KEY"], secretNames: ["LOCAL_KEY"] };
  await withSheath({ sheath }, async ({ workspace, run }) => {
    Deno.mkdirSync(`${workspace}/.myelin`);
    Deno.writeTextFileSync(`${workspace}/.myelin/verify.json`, '{"checks": ["env; false"]}');
    for (
      const [name, args] of [
        ["bash", { command: "env; set; declare -p; cat /proc/self/environ" }],
        ["verify", {}],
        ["read", { path: "/proc/self/environ" }],
        ["grep", { pattern: "CANARY", path: "/proc/self" }],
      ] as const
    ) assert(!/CANARY/.test((await run(name, args)).text), name);
  });
});

Deno.test("what may be repeated after a crash gives the same and leaves the files as they are", async () => {
  const repeated: string[] = [];
  for (const tool of allTools) {
    if (tool.replay !== "safe" || IN_SHELL.includes(tool.name) || (tool.name.startsWith("git_") && !hasGit)) {
      continue;
    }
    using bench = await hostileBench(tool.name);
    const before = listing(bench.dir);
    const body = await bodyOf(tool, bench);
    const first = await call(body, HOSTILE[tool.name]);
    const second = await call(await bodyOf(tool, bench), HOSTILE[tool.name]);
    assertEquals(second.text, first.text, tool.name);
    assertEquals(listing(bench.dir), before, tool.name);
    repeated.push(tool.name);
  }
  assert(repeated.length >= (hasGit ? 12 : 9), repeated.join());
});

/** Every file with its size and time of change. */
function listing(dir: string): string[] {
  return Array.from(Deno.readDirSync(dir)).filter((entry) => entry.isFile).map(({ name }) => {
    const { size, mtime } = Deno.statSync(`${dir}/${name}`);
    return `${name} ${size} ${mtime?.getTime()}`;
  }).sort();
}

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
