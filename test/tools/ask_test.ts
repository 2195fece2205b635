import { assert, assertEquals } from "@std/assert";
import { create } from "../../src/tools/ask/body.ts";
import { Bench, call } from "../support/host_fs.ts";

Deno.test("ask gives the model what was chosen and what was written", async () => {
  using bench = new Bench();
  const ask = create(bench.main);
  bench.reply = { chosen: [], text: " the second one \n" };
  assertEquals((await call(ask, { question: "Which?" })).text, "the second one");
  bench.reply = { chosen: ["a", "b"], text: "but slowly" };
  assertEquals(
    (await call(ask, { question: "Which?", options: ["a", "b", "c"], multiple: true })).text,
    "Chosen: a\nChosen: b\nIn own words: but slowly",
  );
  bench.reply = { chosen: [] };
  assertEquals((await call(ask, { question: "Which?", options: "a" })).text, "The user chose nothing.");
  bench.reply = undefined;
  assert((await call(ask, { question: "Which?" })).isError);
});
