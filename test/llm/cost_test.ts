import { assertAlmostEquals, assertEquals } from "@std/assert";
import { addUsage, costOf, leastCostOfNext } from "../../src/llm/cost.ts";
import type { Model } from "../../src/llm/model.ts";
import { testModel } from "../support/llm_run.ts";

const cost = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };
const priced: Model = { ...testModel, cost };
const usage = { input: 1000, output: 2000, cacheRead: 500, cacheWrite: 0, reasoning: 100 };

Deno.test("costOf() counts each kind by its price; what nobody knows is unknown, not free", () => {
  assertEquals(costOf(usage, priced), (2000 + 20000 + 100) / 1e6);
  assertEquals(costOf(usage, testModel), undefined);
  assertEquals(costOf(undefined, priced), undefined);
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  assertEquals(costOf(usage, { ...testModel, cost: free }), 0);
});

Deno.test("costOf() takes the server's word over the prices", () => {
  assertEquals(costOf({ ...usage, costUsd: 0.5 }, priced), 0.5);
});

Deno.test("costOf() takes the prices of the tier for all tokens of a request that is larger", () => {
  const tier = { input: 4, output: 20, cacheRead: 0.4, cacheWrite: 5 };
  const model: Model = {
    ...priced,
    costTiers: [{ above: 1400, ...tier }, {
      above: 100_000,
      input: 9,
      output: 9,
      cacheRead: 9,
      cacheWrite: 9,
    }],
  };
  assertAlmostEquals(costOf(usage, model) ?? 0, (4000 + 40000 + 200) / 1e6);
  assertEquals(costOf({ ...usage, cacheRead: 400 }, model), costOf({ ...usage, cacheRead: 400 }, priced));
});

Deno.test("leastCostOfNext() is what the latest request and its answer cost as cached input", () => {
  assertAlmostEquals(leastCostOfNext(usage, priced) ?? 0, 3500 * 0.2 / 1e6);
  assertEquals(leastCostOfNext(usage, testModel), undefined);
  assertEquals(leastCostOfNext(undefined, priced), undefined);
});

Deno.test("addUsage() adds what is known, and keeps servers' costs only where both say one", () => {
  assertEquals(addUsage(usage, undefined), usage);
  assertEquals(addUsage(undefined, undefined), undefined);
  assertEquals(addUsage(usage, usage), {
    input: 2000,
    output: 4000,
    cacheRead: 1000,
    cacheWrite: 0,
    reasoning: 200,
  });
  assertEquals(addUsage({ ...usage, costUsd: 1 }, { ...usage, costUsd: 2 })?.costUsd, 3);
  assertEquals(addUsage({ ...usage, costUsd: 1 }, usage)?.costUsd, undefined);
});
