import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createLiveOutput } from "../../src/sandbox/worker/live_output.ts";
import { OUTPUT_WINDOW } from "../../src/sandbox/worker/messages.ts";

Deno.test("live output sends small pieces together, a moment later, and large ones at once", async () => {
  const sent: string[] = [];
  let arrived = Promise.withResolvers<void>();
  const live = createLiveOutput((text) => {
    sent.push(text);
    arrived.resolve();
  });
  live.write("a");
  live.write("b");
  assertEquals(sent, []);
  await arrived.promise;
  assertEquals(sent, ["ab"]);
  arrived = Promise.withResolvers();
  live.write("c");
  live.write("d".repeat(10_000));
  assertEquals(sent.slice(1), ["c" + "d".repeat(10_000)]);
  live.write("e");
  await arrived.promise;
  assertEquals(live.rest(), "e");
  assertEquals(live.rest(), "");
});

Deno.test("live output that found no room goes when there is some", async () => {
  const sent: string[] = [];
  const live = createLiveOutput((text) => sent.push(text));
  while (sent.join("").length < OUTPUT_WINDOW) live.write("x".repeat(5000));
  const count = sent.length;
  live.write("last");
  // The moment in which it is gathered passes meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 6));
  assertEquals(sent.length, count);
  live.taken(OUTPUT_WINDOW);
  assertEquals(sent.slice(count), ["last"]);
});

Deno.test("live output is bounded where the receiver does not keep up, and says what it left out", () => {
  const sent: string[] = [];
  const live = createLiveOutput((text) => sent.push(text));
  for (let i = 0; i < 1000; i++) live.write(`${i} `.padEnd(1000, "x"));
  const underWay = sent.join("").length;
  assert(underWay <= OUTPUT_WINDOW + 5000, String(underWay));
  for (const text of [...sent]) live.taken(text.length);
  const rest = sent.join("").slice(underWay);
  assertStringIncludes(rest, "characters not shown");
  assertStringIncludes(rest, "999 x");
  assert(rest.length <= OUTPUT_WINDOW + 100);
});
