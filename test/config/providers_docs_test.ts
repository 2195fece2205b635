/** The examples of docs/providers.md are settings that load, and name a model that resolves. */
import { assert, assertEquals } from "@std/assert";
import { VENDORS } from "../../src/llm/providers/openai_completions/quirks.ts";
import { resolveModel } from "../../src/config/resolve.ts";
import { withHome } from "./home.ts";

const page = Deno.readTextFileSync(new URL("../../docs/providers.md", import.meta.url));
const start = page.indexOf("## A settings example for each server");
const section = page.slice(start, page.indexOf("\n## ", start + 3));
const examples = [...section.matchAll(/\*\*(.+?)\*\*[\s\S]*?```jsonc\n([\s\S]*?)```/g)]
  .map(([, title, text]) => ({ title, text }));

for (const { title, text } of examples) {
  Deno.test(`docs/providers.md: the example for ${title} loads without a warning, and its model resolves`, () =>
    withHome({ "home/settings.jsonc": text }, async ({ load, env }) => {
      for (const [, name] of text.matchAll(/\$([A-Z_]+)/g)) env[name] = "k";
      const config = await load();
      assertEquals(config.issues, []);
      const { provider, model, warnings } = resolveModel(config);
      assertEquals(warnings, []);
      assert(provider.baseUrl.startsWith("http") && model.id !== "", title);
    }));
}

Deno.test("docs/providers.md has an example for every server that has a row of quirks, and for Anthropic, Meta and ChatGPT", () => {
  const names = examples.flatMap(({ text }) => /"providers": \{ "([\w-]+)"/.exec(text)?.[1] ?? []);
  const wanted = [...VENDORS.map(({ name }) => name), "anthropic", "meta", "openai-codex"];
  assertEquals([...names].sort(), wanted.sort());
});

Deno.test("docs/providers.md: the example of models.jsonc loads", () => {
  const text = /\/\/ ~\/\.myelin\/models\.jsonc\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  assert(text !== "");
  return withHome({ "home/models.jsonc": text }, async ({ load }) => {
    const config = await load();
    assertEquals([config.issues, Object.keys(config.models)], [[], ["openai"]]);
  });
});
