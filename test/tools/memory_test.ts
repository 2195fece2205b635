import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { create } from "../../src/tools/memory/body.ts";
import { Bench, call } from "../support/host_fs.ts";

Deno.test("memory saves, lists, reads and removes notes, and names what is near", async () => {
  using bench = new Bench();
  const memory = create(bench.main);
  assertStringIncludes((await call(memory, {})).text, "no notes");
  assertEquals((await call(memory, { title: "Release", text: "Run it.\n" })).text, 'Saved "Release".');
  assertEquals((await call(memory, {})).text, "Release (19 bytes)");
  assertEquals((await call(memory, { title: "release" })).text, "Run it.\n");
  const wrong = await call(memory, { title: "Relaese" });
  assert(wrong.isError);
  assertStringIncludes(wrong.text, 'Did you mean "Release"?');
  assert((await call(memory, { title: "Release", text: " " })).isError);
  const big = await call(memory, { title: "Big", text: "x".repeat(20_000) });
  assert(big.isError);
  assertStringIncludes(big.text, "Split it");
  assertEquals((await call(memory, { title: "Release", remove: true })).text, 'Removed "Release".');
  assert((await call(memory, { title: "Release", remove: true })).isError);
});
