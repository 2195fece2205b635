import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { API_NAMES } from "../../src/config/settings.ts";
import { completeModel, providers } from "../../src/llm/mod.ts";
import { VENDORS } from "../../src/llm/providers/openai_completions/quirks.ts";
import { ConfigError } from "../../src/config/errors.ts";
import { KNOWN, secretNames } from "../../src/config/providers.ts";
import { VENDOR_NAMES } from "../../src/config/vendors.ts";
import { namedModel, resolveModel } from "../../src/config/resolve.ts";
import { withHome } from "./home.ts";

const USER = "home/settings.jsonc";
const LOCAL = `{
  "providers": {
    "local": {
      "api": "openai-completions", "baseUrl": "http://127.0.0.1:8080/v1", "apiKey": "$LOCAL_KEY",
      "headers": { "X-Team": "$TEAM", "X-Plain": "plain" }, "idleTimeout": "5s",
      "models": {
        "qwen": { "contextWindow": 32768, "maxOutput": 8192, "reasoning": true, "options": { "temperature": 0 },
                  "cost": { "input": 2, "output": 4 } },
        "org/coder": {}
      }
    },
    "any": { "baseUrl": "http://127.0.0.1:9/v1" }
  }
}`;

Deno.test("resolveModel() gives the model of the settings and how to reach it", () =>
  withHome({ [USER]: LOCAL.replace("{", '{ "model": "local/qwen",') }, async ({ load, env }) => {
    Object.assign(env, { LOCAL_KEY: "k", TEAM: "blue" });
    const { model, provider, warnings } = resolveModel(await load());
    assertEquals(model, {
      provider: "local",
      id: "qwen",
      contextWindow: 32768,
      maxOutput: 8192,
      reasoning: true,
      images: false,
      options: { temperature: 0 },
      cost: { input: 2, output: 4, cacheRead: 2, cacheWrite: 2 },
    });
    assertEquals([provider.api, provider.baseUrl, provider.idleTimeoutMs], [
      "openai-completions",
      "http://127.0.0.1:8080/v1",
      5000,
    ]);
    assertEquals([await provider.apiKey(), provider.headers, warnings], ["k", {
      "X-Team": "blue",
      "X-Plain": "plain",
    }, []]);
  }));

for (
  const [wanted, provider, id] of [
    ["local/qwen", "local", "qwen"],
    ["local/org/coder", "local", "org/coder"],
    ["org/coder", "local", "org/coder"],
    ["qwen", "local", "qwen"],
    ["local", "local", "qwen"],
    ["any/x/y/z", "any", "x/y/z"],
    ["demo/tour", "demo", "tour"],
    ["replay/dir/file.jsonl", "replay", "dir/file.jsonl"],
  ] as const
) {
  Deno.test(`resolveModel() takes "${wanted}" for ${provider} and ${id}`, () =>
    withHome({ [USER]: LOCAL }, async ({ load }) => {
      const { model } = resolveModel(await load(), wanted);
      assertEquals([model.provider, model.id], [provider, id]);
    }));
}

for (
  const [wanted, code, hint] of [
    ["locl/qwen", "unknown_provider", 'Did you mean "local"?'],
    ["local/qwn", "unknown_model", 'Did you mean "local/qwen"?'],
    ["qwne", "unknown_model", 'Did you mean "local/qwen"?'],
    ["xai/grok", "unknown_provider", "Set XAI_API_KEY"],
    ["any", "no_model", "--model any/ID"],
    ["", "no_model", "demo/tour"],
  ] as const
) {
  Deno.test(`resolveModel() refuses "${wanted}" with a remedy`, () =>
    withHome({ [USER]: LOCAL }, async ({ load }) => {
      const config = await load();
      const error = assertThrows(() => resolveModel(config, wanted), ConfigError);
      assertEquals(error.code, code);
      assertStringIncludes(error.hint ?? "", hint);
    }));
}

Deno.test("resolveModel() without any set up says how, and names the tour", () =>
  withHome({}, async ({ load }) => {
    const config = await load();
    const error = assertThrows(() => resolveModel(config), ConfigError);
    assertEquals(error.code, "no_model");
    for (const part of ["OPENAI_API_KEY", "OPENROUTER_API_KEY", "OLLAMA_HOST", "--model demo/tour"]) {
      assertStringIncludes(error.hint ?? "", part);
    }
  }));

Deno.test("resolveModel() warns of a variable that is named for a key and not set", () =>
  withHome({ [USER]: LOCAL }, async ({ load }) => {
    const { provider, warnings } = resolveModel(await load());
    assertEquals(await provider.apiKey(), undefined);
    assertEquals(warnings.map((text) => text.includes("LOCAL_KEY") || text.includes("TEAM")), [true, true]);
  }));

interface Shortcut {
  readonly env: Readonly<Record<string, string>>;
  readonly name: string;
  readonly api?: string;
  readonly baseUrl: string;
  readonly key: string | undefined;
}

const SHORTCUTS: readonly Shortcut[] = [
  {
    env: { OPENAI_API_KEY: "k" },
    name: "openai",
    api: "openai-responses",
    baseUrl: "https://api.openai.com/v1",
    key: "k",
  },
  {
    env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://h:1/v1" },
    name: "openai",
    baseUrl: "http://h:1/v1",
    key: "k",
  },
  { env: { OPENAI_BASE_URL: "http://h:1" }, name: "openai", baseUrl: "http://h:1", key: undefined },
  { env: { OPENROUTER_API_KEY: "k" }, name: "openrouter", baseUrl: "https://openrouter.ai/api/v1", key: "k" },
  {
    env: { XAI_API_KEY: "k" },
    name: "xai",
    api: "openai-responses",
    baseUrl: "https://api.x.ai/v1",
    key: "k",
  },
  {
    env: { META_API_KEY: "k" },
    name: "meta",
    api: "openai-responses",
    baseUrl: "https://api.meta.ai/v1",
    key: "k",
  },
  {
    env: { GEMINI_API_KEY: "k" },
    name: "gemini",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    key: "k",
  },
];

for (const { env: set, name, api, baseUrl, key } of SHORTCUTS) {
  Deno.test(`resolveModel() needs no settings with ${Object.keys(set).join(" and ")}`, () =>
    withHome({}, async ({ load, env }) => {
      Object.assign(env, set);
      const { provider, model } = resolveModel(await load());
      assertEquals([provider.name, provider.api, provider.baseUrl], [
        name,
        api ?? "openai-completions",
        baseUrl,
      ]);
      assertEquals([await provider.apiKey(), model.provider], [key, name]);
      assertEquals(resolveModel(await load(), `${name}/some/model`).model.id, "some/model");
    }));
}

for (
  const [host, baseUrl] of [
    ["127.0.0.1", "http://127.0.0.1:11434/v1"],
    ["0.0.0.0:8000", "http://127.0.0.1:8000/v1"],
    ["http://box:80", "http://box/v1"],
    ["https://box/v1/", "https://box/v1"],
  ] as const
) {
  Deno.test(`resolveModel() understands OLLAMA_HOST=${host}`, () =>
    withHome({}, async ({ load, env }) => {
      env.OLLAMA_HOST = host;
      assertEquals(resolveModel(await load(), "ollama/qwen").provider.baseUrl, baseUrl);
      const config = await load();
      assertStringIncludes(
        assertThrows(() => resolveModel(config), ConfigError).hint ?? "",
        "--model ollama/ID",
      );
    }));
}

Deno.test("resolveModel() prefers the settings' providers, and the first with a key", () =>
  withHome({ "home/.env": "XAI_API_KEY=x" }, async ({ load, env, write }) => {
    assertEquals(resolveModel(await load()).model.provider, "xai");
    env.OPENAI_API_KEY = "k";
    assertEquals(resolveModel(await load()).model.provider, "openai");
    await write(USER, LOCAL);
    env.LOCAL_KEY = "k";
    assertEquals(resolveModel(await load()).model.provider, "local");
  }));

Deno.test("resolveModel() fills a known provider of the settings from what is known and the environment", () =>
  withHome(
    { [USER]: '{ "providers": { "openai": { "models": { "m": { "images": false } } } } }' },
    async ({ load, env }) => {
      env.OPENAI_API_KEY = "k";
      const { provider, model } = resolveModel(await load());
      assertEquals([provider.baseUrl, await provider.apiKey(), model.id, model.images], [
        "https://api.openai.com/v1",
        "k",
        "m",
        false,
      ]);
      assertEquals(resolveModel(await load(), "openai/other").model.id, "other");
    },
  ));

Deno.test("resolveModel() sends the environment's key to the environment's server, and the settings' key to the settings'", () =>
  withHome({
    [USER]: '{ "providers": { "openai": { "baseUrl": "http://gateway/v1", "apiKey": "gateway-key" } } }',
  }, async ({ load, env }) => {
    env.OPENAI_API_KEY = "env-key";
    const own = resolveModel(await load()).provider;
    assertEquals([own.baseUrl, await own.apiKey()], ["http://gateway/v1", "gateway-key"]);
    env.OPENAI_BASE_URL = "http://other/v1";
    const other = resolveModel(await load()).provider;
    assertEquals([other.baseUrl, await other.apiKey()], ["http://other/v1", "env-key"]);
  }));

Deno.test("resolveModel() prefers a provider with a key to one whose key is not set, and says whose wish an unknown model was", () =>
  withHome({
    [USER]: LOCAL.replace('"any"', '"second"').replace('9/v1" }', '9/v1", "models": { "m": {} } }'),
  }, async ({ load, write, home }) => {
    assertEquals(resolveModel(await load()).model.provider, "second");
    await write(USER, '{ "model": "evil/x" }');
    const config = await load();
    const error = assertThrows(() => resolveModel(config), ConfigError);
    assertStringIncludes(error.message, `"model" of ${home}/settings.jsonc`);
    assertEquals(
      assertThrows(() => resolveModel(config, "evil/x"), ConfigError).message,
      'Unknown provider "evil"',
    );
  }));

Deno.test("secretNames() are the variables that hold keys", () =>
  withHome({ [USER]: LOCAL }, async ({ load }) => {
    const names = secretNames(await load());
    for (const name of ["OPENAI_API_KEY", "GEMINI_API_KEY", "LOCAL_KEY", "TEAM"]) {
      assert(names.includes(name), name);
    }
  }));

Deno.test("API_NAMES are the protocols of the llm layer", () => {
  const real = providers.map(({ api }) => api).filter((api) => api !== "demo" && api !== "replay");
  assertEquals([...API_NAMES].sort(), real.sort());
});

Deno.test("VENDOR_NAMES are those that the protocols have a row for", () => {
  assertEquals([...VENDOR_NAMES].sort(), VENDORS.map(({ name }) => name).sort());
});

Deno.test("KNOWN names default models that the catalog has", async () => {
  for (const { name, model, baseUrl } of KNOWN) {
    if (model === undefined) continue;
    assert((await completeModel({ provider: name, id: model, baseUrl })).listed, `${name}/${model}`);
  }
});

Deno.test("resolveModel() lays the settings over models.jsonc", () =>
  withHome({
    [USER]: LOCAL,
    "home/models.jsonc":
      `{ /* mine */ "local": { "qwen": { "contextWindow": 5, "images": true } }, "openai": {
      "gpt-9": { "contextWindow": 7 } } }`,
  }, async ({ load, env }) => {
    env.OPENAI_API_KEY = "k";
    const config = await load();
    assertEquals(resolveModel(config, "openai/gpt-9").own, { contextWindow: 7 });
    const local = resolveModel(config, "local/qwen").model;
    assertEquals([local.images, local.contextWindow], [true, 32768]);
  }));

Deno.test("loadConfig() says what is wrong with models.jsonc", () =>
  withHome(
    { "home/models.jsonc": `{ "local": { "qwen": { "contextWindow": "big" } } }` },
    async ({ load }) => {
      await assertRejects(() => load(), ConfigError, "contextWindow");
    },
  ));

Deno.test("namedModel() runs the command that names the model, for the user and for trusted projects only", async () => {
  const command = JSON.stringify({ model: "!echo local/qwen; echo more" });
  await withHome(
    { [USER]: LOCAL.replace("{", '{ "model": "!echo local/qwen; echo more",') },
    async ({ load }) => {
      const config = await load();
      assertEquals(await namedModel(config), "local/qwen");
      assertEquals(await namedModel(config, "demo/tour"), "demo/tour");
    },
  );
  await withHome({ "project/.myelin/settings.json": command }, async ({ load }) => {
    const config = await load();
    await assertRejects(() => namedModel(config), ConfigError, "not trusted");
  });
  await withHome({ [USER]: `{ "model": "!echo 'two words'" }` }, async ({ load }) => {
    const config = await load();
    await assertRejects(() => namedModel(config), ConfigError, "no name of a model");
  });
});
