/**
 * A small OAuth server for the tests of logins: codes with PKCE, codes for
 * other devices (both forms), refresh tokens that are good once. It says what
 * it was asked, and can be told to refuse.
 */
import type { LoginServer } from "../../src/config/auth/login.ts";
import { challengeOf } from "../../src/config/auth/login.ts";

export interface OauthServer {
  readonly origin: string;
  readonly server: LoginServer;
  readonly standard: LoginServer;
  /** Every request: path and fields. */
  readonly asked: { readonly path: string; readonly fields: Readonly<Record<string, string>> }[];
  /** How often a device is told to wait before it is let in. */
  pending: number;
  /** Instead of a token, this error word. */
  refuse: string | undefined;
  /** The browser: follows the authorize URL to the loopback. */
  readonly browse: (url: string) => Promise<Response>;
  close(): Promise<void>;
}

/** The tokens that it has given out so far are numbered: access-1, refresh-1, … */
export function startOauth(): OauthServer {
  const asked: OauthServer["asked"] = [];
  const codes = new Map<string, { challenge: string; redirectUri: string }>();
  let tokens = 0;
  let good = "";
  const json = (value: unknown, status = 200) => Response.json(value, { status });

  async function token(fields: Record<string, string>): Promise<Response> {
    if (self.refuse !== undefined) {
      return json({ error: self.refuse, error_description: "secret words" }, 400);
    }
    const grant = fields.grant_type;
    if (grant === "refresh_token") {
      if (fields.refresh_token !== good) return json({ error: "refresh_token_reused" }, 400);
    } else if (grant === "authorization_code") {
      const code = codes.get(fields.code);
      codes.delete(fields.code);
      if (code === undefined || code.redirectUri !== fields.redirect_uri) {
        return json({ error: "invalid_grant" }, 400);
      }
      if (await challengeOf(fields.code_verifier) !== code.challenge) {
        return json({ error: "invalid_grant" }, 400);
      }
    } else if (self.pending-- > 0) return json({ error: "authorization_pending" }, 400);
    tokens++;
    good = `refresh-${tokens}`;
    const id = `h.${btoa(JSON.stringify({ email: "ada@example.com" })).replace(/=+$/, "")}.s`;
    return json({ access_token: `access-${tokens}`, refresh_token: good, expires_in: 3600, id_token: id });
  }

  let origin = "";
  const answer = async (request: Request): Promise<Response> => {
    const path = new URL(request.url).pathname;
    const text = await request.text();
    const fields: Record<string, string> = text.startsWith("{")
      ? JSON.parse(text)
      : Object.fromEntries(new URLSearchParams(text));
    asked.push({ path, fields });
    switch (path) {
      case "/token":
        return await token(fields);
      case "/device":
        return json({
          device_code: "dc",
          user_code: "AB-CD",
          verification_uri: `${origin}/verify`,
          interval: 1,
          expires_in: 60,
        });
      case "/usercode":
        return json({ device_auth_id: "da", user_code: "EF-GH", interval: "2" });
      case "/poll":
        if (self.pending-- > 0) return json({}, 403);
        codes.set("device-code", { challenge: await challengeOf("v"), redirectUri: `${origin}/callback` });
        return json({ authorization_code: "device-code", code_verifier: "v" });
      default:
        return new Response("", { status: 404 });
    }
  };
  const http = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  origin = `http://127.0.0.1:${http.addr.port}`;
  const server: LoginServer = {
    provider: "openai-codex",
    title: "Test",
    clientId: "client-1",
    scope: "openid",
    authorizeUrl: `${origin}/authorize`,
    tokenUrl: `${origin}/token`,
    loopback: { host: "127.0.0.1", ports: [0], path: "/back" },
    extra: { originator: "myelin" },
    device: {
      kind: "two_steps",
      codeUrl: `${origin}/usercode`,
      pollUrl: `${origin}/poll`,
      verifyUrl: `${origin}/verify`,
      redirectUri: `${origin}/callback`,
    },
  };
  const self: OauthServer = {
    origin,
    server,
    standard: { ...server, provider: "xai", device: { kind: "standard", url: `${origin}/device` } },
    asked,
    pending: 0,
    refuse: undefined,
    browse: async (url) => {
      const query = new URL(url).searchParams;
      const redirectUri = query.get("redirect_uri") ?? "";
      codes.set("code-1", { challenge: query.get("code_challenge") ?? "", redirectUri });
      return await fetch(`${redirectUri}?code=code-1&state=${encodeURIComponent(query.get("state") ?? "")}`);
    },
    close: () => http.shutdown(),
  };
  return self;
}
