import { assert, assertEquals } from "@std/assert";
import { create } from "../../src/tools/picker/body.ts";
import { fuzzyScore } from "../../src/lib/text/fuzzy.ts";
import { Bench, call } from "../support/host_fs.ts";

Deno.test("picker puts the likeliest path first and leaves ignored ones out", async () => {
  using bench = new Bench();
  for (
    const name of [
      "src/user/controller.ts",
      "src/usage/contract.ts",
      "docs/user_control.md",
      "dist/user/controller.ts",
    ]
  ) {
    bench.put(name, "");
  }
  bench.put(".gitignore", "dist\n");
  const picker = create(bench.deps);
  const first = async (query: string) => (await call(picker, { query })).text.split("\n")[0];
  assertEquals(await first("s/u/ctrl"), "src/user/controller.ts");
  assertEquals(await first("contract"), "src/usage/contract.ts");
  assertEquals(await first("user control"), "docs/user_control.md");
  assertEquals((await call(picker, { query: "zzz" })).text, "No path is like it");
});

Deno.test("picker prefers what was changed last among equals", async () => {
  using bench = new Bench();
  Deno.utimeSync(bench.put("a/mod.ts", ""), 1000, 1000);
  Deno.utimeSync(bench.put("b/mod.ts", ""), 2000, 2000);
  assertEquals((await call(create(bench.deps), { query: "mod.ts" })).text, "b/mod.ts\na/mod.ts");
});

Deno.test("fuzzyScore() wants all letters in order, and capitals only where given", () => {
  assertEquals(fuzzyScore("abc", "acb"), undefined);
  assert(fuzzyScore("readme", "README.md") !== undefined);
  assertEquals(fuzzyScore("Readme", "readme.md"), undefined);
  assert(fuzzyScore("mod", "src/mod.ts")! > fuzzyScore("mod", "src/model_door.ts")! - 5);
  assert(fuzzyScore("fb", "foo_bar.ts")! > fuzzyScore("fb", "fribble.ts")!);
});
