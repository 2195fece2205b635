import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { KEYS } from "../../src/config/settings.ts";
import { settingsSchema, showSettings } from "../../src/config/show.ts";
import { withTables } from "../../scripts/config_docs.ts";
import { withHome } from "./home.ts";

const SECRETS = `{
  "model": "p/m",
  "limits": { "bashTimeout": "300s", "outputBytes": "65536B" },
  "providers": {
    "p": { "baseUrl": "https://u:sk-secret@h/v1?key=sk-secret", "apiKey": "sk-secret", "idleTimeout": "90s",
           "headers": { "Authorization": "Bearer sk-secret", "X": "$NAME" } },
    "q": { "baseUrl": "http://h/v1", "apiKey": "!pass sk-secret" },
    "r": { "baseUrl": "http://h/v1", "apiKey": "$R_KEY" }
  },
  "mcpServers": { "s": { "command": "c", "env": { "TOKEN": "sk-secret" } } }
}`;

Deno.test("showSettings() tells each value and where it came from", () =>
  withHome({ "home/settings.jsonc": SECRETS }, async ({ load, home }) => {
    const shown = showSettings(await load({ "sandbox.mode": "off" }));
    const of = (key: string) => shown.find((one) => one.key === key);
    assertEquals(of("model"), { key: "model", value: "p/m", source: `${home}/settings.jsonc` });
    assertEquals(of("sandbox.mode"), { key: "sandbox.mode", value: "off", source: "command line" });
    assertEquals(of("limits.maxSteps"), { key: "limits.maxSteps", value: 50, source: "default" });
    assertEquals([of("limits.bashTimeout")?.value, of("limits.outputBytes")?.value], ["5m", "64KiB"]);
    assertEquals(of("providers.r")?.value, { baseUrl: "http://h/v1", apiKey: "$R_KEY" });
    assertEquals((of("providers.p")?.value as { idleTimeout: string }).idleTimeout, "90s");
  }));

Deno.test("showSettings() shows no key, wherever one stands", () =>
  withHome({ "home/settings.jsonc": SECRETS }, async ({ load }) => {
    const text = JSON.stringify(showSettings(await load()));
    assert(!text.includes("sk-secret"), text);
    assertStringIncludes(text, "$NAME");
  }));

Deno.test("settingsSchema() has every setting with its words, and allows no other", () => {
  const schema = settingsSchema() as { properties: Record<string, { properties?: Record<string, unknown> }> };
  for (const key of KEYS) {
    const [head, inner] = key.split(".");
    const own = inner === undefined ? schema.properties[head] : schema.properties[head].properties?.[inner];
    assert((own as { description?: string })?.description, key);
  }
  assertEquals((schema as Record<string, unknown>).additionalProperties, false);
});

Deno.test("docs/configuration.md has the tables that the settings have (else: deno run -A scripts/config_docs.ts)", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/configuration.md", import.meta.url));
  assertEquals(page, withTables(page));
});
