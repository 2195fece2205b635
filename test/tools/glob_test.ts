import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { create } from "../../src/tools/glob/body.ts";
import { Bench, call } from "../support/host_fs.ts";

function grown(): Bench {
  const bench = new Bench();
  ["src/a.ts", "src/b.js", "src/deep/c.ts", "README.md", ".github/ci.yml", "dist/a.ts", "src/.hidden.ts"]
    .forEach((name, i) => {
      const path = bench.put(name, "x");
      Deno.utimeSync(path, 1000 + i, 1000 + i);
    });
  bench.put(".gitignore", "dist/\n");
  return bench;
}

Deno.test("glob finds by name at any depth, by path from the folder, newest first", async () => {
  using bench = grown();
  const glob = create(bench.deps);
  const find = async (pattern: string, path?: string) => (await call(glob, { pattern, path })).text;
  assertEquals(await find("*.ts"), "src/deep/c.ts\nsrc/a.ts");
  assertEquals(await find("src/*.ts"), "src/a.ts");
  assertEquals(await find("**/*.{ts,js}"), "src/deep/c.ts\nsrc/b.js\nsrc/a.ts");
  assertEquals(await find("deep/**", "src"), "src/deep/c.ts");
  assertEquals(await find("src/"), "src/deep/c.ts\nsrc/b.js\nsrc/a.ts");
  assertEquals(await find(`${bench.dir}/src/[ab].*`), "src/b.js\nsrc/a.ts");
  assertEquals(await find("../src/*.js", "src"), "src/b.js");
  assertEquals(await find(".github/*"), ".github/ci.yml");
  assertEquals(await find("**/.hidden*"), "src/.hidden.ts");
  assertEquals(await find("*.rs"), "No files match");
  assertEquals(await find("lib/*.ts"), "No files match; there is no lib");
});

Deno.test("glob counts what it does not show", async () => {
  using bench = new Bench();
  for (let i = 0; i < 1100; i++) bench.put(`f${i}`, "");
  const { text } = await call(create(bench.deps), { pattern: "*" });
  assertStringIncludes(text, "[1,000 of 1,100 files, newest first; narrow the pattern]");
});

Deno.test("glob follows no links and ends in a loop of them", async () => {
  using bench = grown();
  Deno.symlinkSync("/", `${bench.dir}/root-link`);
  Deno.symlinkSync("..", `${bench.dir}/src/up`);
  const { text } = await call(create(bench.deps), { pattern: "**/a.ts" });
  assertEquals(text, "src/a.ts");
});

Deno.test("glob stops when the run is cancelled", async () => {
  using bench = grown();
  bench.cancelled = true;
  let thrown: unknown;
  try {
    await call(create(bench.deps), { pattern: "*" });
  } catch (error) {
    thrown = error;
  }
  assert(thrown instanceof DOMException);
});
