import { assert, assertEquals } from "@std/assert";
import { completeModel, listCatalog } from "../../../src/llm/catalog/lookup.ts";

Deno.test("completeModel() knows windows, limits, prices and abilities of the vendors' models", async () => {
  const { model, listed } = await completeModel({ provider: "anthropic", id: "claude-sonnet-4-6" });
  assert(listed && model.reasoning && model.images && model.documents);
  assertEquals([model.contextWindow, model.maxOutput, model.thinkingForm], [1_000_000, 128_000, "adaptive"]);
  assertEquals(model.cost, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 });
});

Deno.test("completeModel() knows prices of larger requests, and dated names", async () => {
  const { model } = await completeModel({ provider: "xai", id: "grok-4.3" });
  assertEquals(model.costTiers?.[0].above, 200_000);
  assert((await completeModel({ provider: "anthropic", id: "claude-opus-4-8-20991231" })).listed);
});

Deno.test("completeModel() tells the vendor by the address, whatever the entry is called", async () => {
  const own = { provider: "work", id: "claude-sonnet-4-6", baseUrl: "https://api.anthropic.com" };
  assertEquals((await completeModel(own)).model.contextWindow, 1_000_000);
  const elsewhere = { ...own, provider: "anthropic", baseUrl: "http://127.0.0.1:9/v1" };
  assertEquals((await completeModel(elsewhere)).model.contextWindow, undefined);
});

Deno.test("completeModel() lets the settings win member by member, and own prices for every size", async () => {
  const cost = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
  const { model } = await completeModel({
    provider: "xai",
    id: "grok-4.3",
    settings: { contextWindow: 9, cost, reasoning: undefined },
  });
  assertEquals([model.contextWindow, model.cost, model.costTiers, model.reasoning], [
    9,
    cost,
    undefined,
    true,
  ]);
});

Deno.test("completeModel() knows nothing of other models but what is assumed, and the nearest name", async () => {
  const { model, listed, near } = await completeModel({ provider: "openai", id: "gpt-5.5x" });
  assertEquals([listed, near, model.contextWindow, model.cost], [false, "gpt-5.5", undefined, undefined]);
  const assumed = { reasoning: true, images: true };
  const other = await completeModel({ provider: "local", id: "q", baseUrl: "http://127.0.0.1:1", assumed });
  assertEquals(other.model, { provider: "local", id: "q", options: {}, ...assumed });
});

Deno.test("listCatalog() has every provider that needs no settings, and says of when it is", async () => {
  const { date, models } = await listCatalog();
  assert(/^\d{4}-\d\d-\d\d$/.test(date));
  const providers = new Set(models.map(({ provider }) => provider));
  for (const name of ["openai", "anthropic", "openrouter", "xai", "meta", "gemini"]) {
    assert(providers.has(name), name);
  }
  for (const { id, cost, contextWindow } of models) {
    assert(id !== "" && (contextWindow === undefined || contextWindow > 0));
    assert(cost === undefined || Object.values(cost).every((price) => price >= 0 && price < 1000), id);
  }
});
