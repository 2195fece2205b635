import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { loginInBrowser, type LoginScreen, loginWithCode } from "../../../src/config/auth/login.ts";
import { type AuthDeps, REAL } from "../../../src/config/auth/token.ts";
import { ConfigError } from "../../../src/config/errors.ts";
import { type OauthServer, startOauth } from "../../support/oauth_server.ts";

const never = new AbortController().signal;

/** A clock that moves when somebody waits. */
function quick(): AuthDeps & { readonly waits: number[] } {
  let now = 1_000;
  const waits: number[] = [];
  return {
    fetch: REAL.fetch,
    waits,
    now: () => now,
    wait: (ms) => {
      waits.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}

async function withServer(body: (server: OauthServer) => Promise<void>): Promise<void> {
  const server = startOauth();
  try {
    await body(server);
  } finally {
    await server.close();
  }
}

Deno.test("loginInBrowser() logs in with a code that comes back to this machine, by PKCE", () =>
  withServer(async (oauth) => {
    const pages: Promise<string>[] = [];
    const screen: LoginScreen = {
      open: (url) => pages.push(oauth.browse(url).then((response) => response.text())),
      showCode: () => {},
    };
    const login = await loginInBrowser(oauth.server, screen, quick(), never);
    assertEquals(login, {
      type: "login",
      accessToken: "access-1",
      refreshToken: "refresh-1",
      expires: 3_601_000,
      clientId: "client-1",
      tokenUrl: `${oauth.origin}/token`,
      account: "ada@example.com",
    });
    assertStringIncludes(await pages[0], "You are logged in");
  }));

Deno.test("loginInBrowser() takes no code with another state, and hears of a refusal", () =>
  withServer(async (oauth) => {
    const answers: number[] = [];
    const screen: LoginScreen = {
      async open(url) {
        const back = new URL(url).searchParams.get("redirect_uri") ?? "";
        for (
          const query of [
            "code=evil&state=other",
            `error=access_denied&state=${new URL(url).searchParams.get("state")}`,
          ]
        ) {
          const response = await fetch(`${back}?${query}`);
          await response.body?.cancel();
          answers.push(response.status);
        }
      },
      showCode: () => {},
    };
    await assertRejects(
      () => loginInBrowser(oauth.server, screen, quick(), never),
      ConfigError,
      "access_denied",
    );
    assertEquals(answers[0], 400);
    assertEquals(oauth.asked, [], "no token was asked for");
  }));

Deno.test("loginInBrowser() ends when it is cancelled, and gives the port back", () =>
  withServer(async (oauth) => {
    const abort = new AbortController();
    const screen: LoginScreen = { open: () => abort.abort(new Error("enough")), showCode: () => {} };
    await assertRejects(() => loginInBrowser(oauth.server, screen, quick(), abort.signal), Error, "enough");
  }));

for (const form of ["server", "standard"] as const) {
  Deno.test(`loginWithCode() shows a code and waits until it is typed in (${form})`, () =>
    withServer(async (oauth) => {
      oauth.pending = 2;
      const shown: string[] = [];
      const deps = quick();
      const login = await loginWithCode(
        oauth[form],
        {
          open: () => {},
          showCode: (code, url) => shown.push(code, url),
        },
        deps,
        never,
      );
      assertEquals([login.accessToken, login.refreshToken], ["access-1", "refresh-1"]);
      assertEquals(shown, [form === "server" ? "EF-GH" : "AB-CD", `${oauth.origin}/verify`]);
      assertEquals(deps.waits.length, 3);
    }));
}

Deno.test("loginWithCode() ends when the server refuses, without its words", () =>
  withServer(async (oauth) => {
    oauth.refuse = "access_denied";
    const error = await assertRejects(
      () => loginWithCode(oauth.standard, { open: () => {}, showCode: () => {} }, quick(), never),
      ConfigError,
      "access_denied",
    );
    assert(!error.message.includes("secret words"));
  }));

Deno.test("loginWithCode() ends when nobody types the code in", () =>
  withServer(async (oauth) => {
    oauth.pending = 1_000;
    await assertRejects(
      () => loginWithCode(oauth.standard, { open: () => {}, showCode: () => {} }, quick(), never),
      ConfigError,
      "expired",
    );
  }));
