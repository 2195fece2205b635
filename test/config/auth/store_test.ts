import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { keptKey } from "../../../src/config/auth/kept.ts";
import { changeCredential, type LoginCredential, readCredentials } from "../../../src/config/auth/store.ts";
import { type AuthDeps, REAL } from "../../../src/config/auth/token.ts";
import { ConfigError } from "../../../src/config/errors.ts";
import { resolveModel } from "../../../src/config/resolve.ts";
import { startOauth } from "../../support/oauth_server.ts";
import { withHome } from "../home.ts";

async function withFile(body: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "auth_test_" });
  try {
    await body(`${folder}/home/auth.json`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const at = (now: number): AuthDeps => ({ ...REAL, now: () => now });

Deno.test("changeCredential() keeps credentials in a file that only the user can read", () =>
  withFile(async (path) => {
    assertEquals(readCredentials(path), {});
    await changeCredential(path, "a", () => ({ type: "key", key: "k1" }));
    await changeCredential(path, "b", () => ({ type: "key", key: "k2" }));
    if (Deno.build.os !== "windows") assertEquals((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
    await changeCredential(path, "a", () => undefined);
    assertEquals(readCredentials(path), { b: { type: "key", key: "k2" } });
    assertEquals(
      [...Deno.readDirSync(path.slice(0, path.lastIndexOf("/")))].length,
      2,
      "the file and its lock",
    );
  }));

Deno.test("changeCredential() lets one change wait for the other, also across openings of the file", () =>
  withFile(async (path) => {
    const order: string[] = [];
    const slow = (name: string) =>
      changeCredential(path, name, async () => {
        order.push(`${name} begins`);
        for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve));
        order.push(`${name} ends`);
        return { type: "key", key: name };
      });
    await Promise.all([slow("a"), slow("b")]);
    assertEquals(order[1], order[0].replace("begins", "ends"));
    assertEquals(Object.keys(readCredentials(path)).sort(), ["a", "b"]);
  }));

Deno.test("readCredentials() says of a damaged file that it is, without a word of it", () =>
  withFile(async (path) => {
    await changeCredential(path, "a", () => ({ type: "key", key: "k1" }));
    await Deno.writeTextFile(path, '{"providers": sk-secret');
    const error = assertThrows(() => readCredentials(path), ConfigError);
    assert(!`${error.message}${error.hint}${error.cause}`.includes("sk-secret"));
    await assertRejects(() => changeCredential(path, "b", () => ({ type: "key", key: "k" })), ConfigError);
  }));

Deno.test("keptKey() renews a login before it ends, once for all who ask at the same time", () =>
  withFile(async (path) => {
    const oauth = startOauth();
    try {
      const login: LoginCredential = {
        type: "login",
        accessToken: "access-0",
        refreshToken: "refresh-0",
        expires: 500_000,
        clientId: "client-1",
        tokenUrl: `${oauth.origin}/token`,
      };
      // Its first refresh token is one that it gave out.
      const first = await (await REAL.fetch(`${oauth.origin}/token`, {
        method: "POST",
        body: new URLSearchParams({ grant_type: "urn:device" }),
      })).json();
      await changeCredential(
        path,
        "x",
        () => ({ ...login, accessToken: first.access_token, refreshToken: first.refresh_token }),
      );
      assertEquals(await keptKey(path, "x", at(100_000)).get(), "access-1", "still good for long");
      const asked = oauth.asked.length;
      // Each as a program of its own would: nothing is shared but the file.
      const keys = await Promise.all([1, 2, 3, 4].map(() => keptKey(path, "x", at(450_000)).get()));
      assertEquals(new Set(keys), new Set(["access-2"]));
      assertEquals(oauth.asked.length - asked, 1);
      const now = readCredentials(path).x;
      assert(now.type === "login" && now.refreshToken === "refresh-2" && now.expires === 4_050_000);
    } finally {
      await oauth.close();
    }
  }));

Deno.test("keptKey() renews after a refusal, and takes what another program has brought meanwhile", () =>
  withFile(async (path) => {
    const oauth = startOauth();
    try {
      const token = async () =>
        await (await REAL.fetch(`${oauth.origin}/token`, {
          method: "POST",
          body: new URLSearchParams({ grant_type: "urn:device" }),
        })).json();
      const first = await token();
      const login: LoginCredential = {
        type: "login",
        accessToken: first.access_token,
        refreshToken: first.refresh_token,
        clientId: "client-1",
        tokenUrl: `${oauth.origin}/token`,
      };
      await changeCredential(path, "x", () => login);
      const [a, b] = [keptKey(path, "x"), keptKey(path, "x")];
      assertEquals([await a.get(), await b.get()], ["access-1", "access-1"]);
      assertEquals(await a.renew(), "access-2");
      assertEquals(await b.renew(), "access-2", "the other's, without asking again");
      oauth.refuse = "invalid_grant";
      const error = await assertRejects(() => b.renew(), ConfigError, "invalid_grant");
      assert(error.hint?.includes("myelin auth login"));
      assert(!error.message.includes("secret words") && !error.message.includes("refresh-2"));
    } finally {
      await oauth.close();
    }
  }));

Deno.test("keptKey() knows of keys that nothing renews them", () =>
  withFile(async (path) => {
    assertEquals(await keptKey(path, "x").get(), undefined);
    await changeCredential(path, "x", () => ({ type: "key", key: "k1" }));
    const key = keptKey(path, "x");
    assertEquals([await key.get(), await key.renew()], ["k1", undefined]);
  }));

Deno.test("resolveModel() takes a kept key where neither settings nor environment name one that is set", () =>
  withHome({}, async ({ load, env, home }) => {
    await changeCredential(`${home}/auth.json`, "anthropic", () => ({ type: "key", key: "kept" }));
    const first = resolveModel(await load());
    assertEquals([first.provider.name, await first.provider.apiKey()], ["anthropic", "kept"]);
    env.ANTHROPIC_API_KEY = "of the environment";
    assertEquals(await resolveModel(await load()).provider.apiKey(), "of the environment");
  }));

Deno.test("keptKey() renews once where several programs need the same login at the same time", () =>
  withFile(async (path) => {
    const oauth = startOauth();
    try {
      const response = await REAL.fetch(`${oauth.origin}/token`, {
        method: "POST",
        body: new URLSearchParams({ grant_type: "urn:device" }),
      });
      const first = await response.json();
      await changeCredential(path, "x", () => ({
        type: "login",
        accessToken: first.access_token,
        refreshToken: first.refresh_token,
        expires: 500_000,
        clientId: "client-1",
        tokenUrl: `${oauth.origin}/token`,
      }));
      const asked = oauth.asked.length;
      const program = new URL("./renew_once.ts", import.meta.url).pathname;
      const config = new URL("../../../deno.json", import.meta.url).pathname;
      const run = () =>
        new Deno.Command(Deno.execPath(), {
          args: ["run", "-A", "--no-check", "--quiet", `--config=${config}`, program, path, "450000"],
        }).output();
      const ended = await Promise.all([run(), run(), run()]);
      const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
      assertEquals(ended.map(({ stdout }) => text(stdout)), ["access-2", "access-2", "access-2"]);
      assertEquals(oauth.asked.length - asked, 1);
    } finally {
      await oauth.close();
    }
  }));
