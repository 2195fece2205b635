import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Resolved } from "../../src/config/mod.ts";
import { withKnownModel } from "../../src/engine/known_model.ts";

function resolved(id: string, own: Resolved["own"] = {}): Resolved {
  const assumed = { reasoning: true, images: true };
  return {
    model: { provider: "anthropic", id, options: {}, ...assumed, ...own },
    own,
    warnings: ["earlier"],
    provider: {
      name: "anthropic",
      api: "anthropic-messages",
      baseUrl: "https://api.anthropic.com",
      apiKey: () => Promise.resolve("k"),
      headers: {},
      idleTimeoutMs: 1,
      models: {},
      described: {},
      defaultModel: undefined,
      usable: true,
      open: true,
      assumed,
      missing: [],
    },
  };
}

Deno.test("withKnownModel() fills in what the catalog knows, under what the settings say", async () => {
  const { model } = await withKnownModel({
    model: resolved("claude-sonnet-4-6", { maxOutput: 9 }),
    limits: {},
  });
  assertEquals([model.model.contextWindow, model.model.maxOutput, model.warnings], [1_000_000, 9, [
    "earlier",
  ]]);
});

Deno.test("withKnownModel() warns of a name that nobody knows, and of a budget without prices", async () => {
  const { model } = await withKnownModel({ model: resolved("claude-sonet-4-6"), limits: { budgetUsd: 1 } });
  assertEquals(model.warnings.length, 3);
  assertStringIncludes(model.warnings[1], "anthropic/claude-sonnet-4-6");
  assertStringIncludes(model.warnings[2], "--budget");
});
