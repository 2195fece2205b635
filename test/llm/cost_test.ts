import { assertEquals } from "@std/assert";
import { addUsage, costOf } from "../../src/llm/cost.ts";
import { lookupModel } from "../../src/llm/catalog/lookup.ts";

const usage = { input: 1000, output: 2000, cacheRead: 500, cacheWrite: 0, reasoning: 100 };
const cost = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };

Deno.test("costOf() multiplies by the prices, and is unknown without them", () => {
  assertEquals(costOf(usage, lookupModel("p", "m", { cost })), (2000 + 20000 + 100) / 1e6);
  assertEquals(costOf(usage, lookupModel("p", "m")), undefined);
  assertEquals(costOf(undefined, lookupModel("p", "m", { cost })), undefined);
});

Deno.test("costOf() believes a server that says its own cost", () => {
  assertEquals(costOf({ ...usage, costUsd: 0.5 }, lookupModel("p", "m", { cost })), 0.5);
});

Deno.test("addUsage() adds by kind and leaves unknown out", () => {
  assertEquals(addUsage(usage, undefined), usage);
  assertEquals(addUsage(undefined, undefined), undefined);
  assertEquals(addUsage(usage, { ...usage, costUsd: 1 }), {
    input: 2000,
    output: 4000,
    cacheRead: 1000,
    cacheWrite: 0,
    reasoning: 200,
  });
});

Deno.test("lookupModel() knows nothing of a model but what the settings say", () => {
  assertEquals(lookupModel("p", "m"), {
    provider: "p",
    id: "m",
    reasoning: false,
    images: false,
    options: {},
  });
  assertEquals(lookupModel("p", "m", { contextWindow: 9, images: true }).contextWindow, 9);
});
