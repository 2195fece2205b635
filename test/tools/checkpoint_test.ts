import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { create } from "../../src/tools/checkpoint/body.ts";
import { Bench, call } from "../support/host_fs.ts";

Deno.test("checkpoint names a point, lists them, and puts files back", async () => {
  using bench = new Bench();
  const checkpoint = create(bench.main);
  assertStringIncludes((await call(checkpoint, {})).text, "No point has a name");
  await call(checkpoint, { name: " before  the move " });
  assertEquals(bench.points, ["before the move"]);
  assertStringIncludes((await call(checkpoint, {})).text, "before the move");
  assertEquals((await call(checkpoint, { name: "before the move", restore: true })).text, "Put back: a.txt");
  const unknown = await call(checkpoint, { name: "after", restore: true });
  assert(unknown.isError);
  assertStringIncludes(unknown.text, "before the move");
});
