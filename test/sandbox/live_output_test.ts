import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createLiveOutput } from "../../src/sandbox/worker/live_output.ts";
import { OUTPUT_WINDOW } from "../../src/sandbox/worker/messages.ts";

Deno.test("live output sends at once while the receiver keeps up", () => {
  const sent: string[] = [];
  const live = createLiveOutput((text) => sent.push(text));
  live.write("a");
  live.write("b");
  assertEquals(sent, ["a", "b"]);
});

Deno.test("live output is bounded where the receiver does not keep up, and says what it left out", () => {
  const sent: string[] = [];
  const live = createLiveOutput((text) => sent.push(text));
  for (let i = 0; i < 1000; i++) live.write(`${i} `.padEnd(1000, "x"));
  const underWay = sent.join("").length;
  assert(underWay <= OUTPUT_WINDOW + 1000, String(underWay));
  for (const text of [...sent]) live.taken(text.length);
  const rest = sent.join("").slice(underWay);
  assertStringIncludes(rest, "characters not shown");
  assertStringIncludes(rest, "999 x");
  assert(rest.length <= OUTPUT_WINDOW + 100);
});
