/**
 * Logins to subscriptions: in a browser with a code that comes back to a port
 * of this machine (PKCE), or with a code to type in on another device. The
 * table says who allows it to programs such as this one, and how.
 */
import { ConfigError } from "../errors.ts";
import type { LoginCredential } from "./store.ts";
import { type AuthDeps, credentialOf, exchangeCode, originOf, postFields } from "./token.ts";

/** One server of logins. */
export interface LoginServer {
  /** The provider it logs in to. */
  readonly provider: string;
  /** What people call it. */
  readonly title: string;
  readonly clientId: string;
  readonly scope: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** Where the browser goes in the end: ports to try, the path, and the name of this machine. */
  readonly loopback: { readonly host: string; readonly ports: readonly number[]; readonly path: string };
  /** Asked for beside the standard. */
  readonly extra: Readonly<Record<string, string>>;
  /** The challenge is wanted once more with the code. */
  readonly challengeAgain?: true;
  readonly device: DeviceForm;
}

/** The codes for other devices: as RFC 8628 says, or in two steps as OpenAI does it. */
export type DeviceForm =
  | { readonly kind: "standard"; readonly url: string }
  | {
    readonly kind: "two_steps";
    readonly codeUrl: string;
    readonly pollUrl: string;
    readonly verifyUrl: string;
    readonly redirectUri: string;
  };

export const LOGIN_SERVERS: readonly LoginServer[] = [
  {
    provider: "openai-codex",
    title: "ChatGPT (Codex)",
    clientId: "app_EMoamEEZ73f0CkXaXp7hrann",
    scope: "openid profile email offline_access",
    authorizeUrl: "https://auth.openai.com/oauth/authorize",
    tokenUrl: "https://auth.openai.com/oauth/token",
    loopback: { host: "localhost", ports: [1455, 1457], path: "/auth/callback" },
    extra: { id_token_add_organizations: "true", codex_cli_simplified_flow: "true", originator: "myelin" },
    device: {
      kind: "two_steps",
      codeUrl: "https://auth.openai.com/api/accounts/deviceauth/usercode",
      pollUrl: "https://auth.openai.com/api/accounts/deviceauth/token",
      verifyUrl: "https://auth.openai.com/codex/device",
      redirectUri: "https://auth.openai.com/deviceauth/callback",
    },
  },
  {
    provider: "xai",
    title: "xAI (Grok)",
    clientId: "b1a00492-073a-47ea-816f-4c329264a828",
    scope: "openid profile email offline_access grok-cli:access api:access",
    authorizeUrl: "https://auth.x.ai/oauth2/authorize",
    tokenUrl: "https://auth.x.ai/oauth2/token",
    loopback: { host: "127.0.0.1", ports: [56121, 0], path: "/callback" },
    extra: {},
    challengeAgain: true,
    device: { kind: "standard", url: "https://auth.x.ai/oauth2/device/code" },
  },
];

/** What a login needs of the person at it. */
export interface LoginScreen {
  /** Opens it in a browser, or shows it. */
  readonly open: (url: string) => void;
  readonly showCode: (code: string, url: string) => void;
}

const base64url = (bytes: Uint8Array) => bytes.toBase64({ alphabet: "base64url", omitPadding: true });
const random = (size: number) => base64url(crypto.getRandomValues(new Uint8Array(size)));

/** The challenge of a verifier, by SHA-256. */
export async function challengeOf(verifier: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

/** Logs in with a browser on this machine. */
export async function loginInBrowser(
  server: LoginServer,
  screen: LoginScreen,
  deps: AuthDeps,
  signal: AbortSignal,
): Promise<LoginCredential> {
  const { listenForCode } = await import("./loopback.ts");
  const verifier = random(48);
  const state = random(24);
  await using listener = listenForCode(server.loopback, state);
  const { host, path } = server.loopback;
  const challenge = await challengeOf(verifier);
  const redirectUri = `http://${host}:${listener.port}${path}`;
  const url = new URL(server.authorizeUrl);
  const query: Record<string, string> = {
    response_type: "code",
    client_id: server.clientId,
    redirect_uri: redirectUri,
    scope: server.scope,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...server.extra,
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  screen.open(url.href);
  const code = await listener.code(signal);
  return await exchangeCode(
    server,
    { code, verifier, redirectUri, ...(server.challengeAgain ? { challenge } : {}) },
    deps,
  );
}

/** How long a code for another device is good where the server does not say. */
const CODE_MS = 15 * 60_000;
const POLL_MS = 5_000;

/** Logs in with a code that is typed in on any device. */
export function loginWithCode(
  server: LoginServer,
  screen: LoginScreen,
  deps: AuthDeps,
  signal: AbortSignal,
): Promise<LoginCredential> {
  const { device } = server;
  return device.kind === "standard"
    ? standardCode(server, device.url, screen, deps, signal)
    : twoSteps(server, device, screen, deps, signal);
}

async function standardCode(
  server: LoginServer,
  deviceUrl: string,
  screen: LoginScreen,
  deps: AuthDeps,
  signal: AbortSignal,
): Promise<LoginCredential> {
  const begun = await postFields(deviceUrl, { client_id: server.clientId, scope: server.scope }, deps);
  const { device_code: code, user_code: shown, verification_uri: at, verification_uri_complete: whole } =
    begun.fields;
  if (!begun.ok || typeof code !== "string" || typeof shown !== "string" || typeof at !== "string") {
    throw noCode(deviceUrl, begun.error || `status ${begun.status}`);
  }
  const page = safeUrl(typeof whole === "string" ? whole : at, deviceUrl);
  screen.showCode(shown, page);
  let pause = seconds(begun.fields.interval) ?? POLL_MS;
  const ends = deps.now() + (seconds(begun.fields.expires_in) ?? CODE_MS);
  while (deps.now() < ends) {
    await deps.wait(pause, signal);
    const answer = await postFields(server.tokenUrl, {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      client_id: server.clientId,
      device_code: code,
    }, deps);
    if (answer.ok) return credentialOf(answer, server, undefined, deps.now());
    if (answer.error === "slow_down") pause += POLL_MS;
    else if (answer.error !== "authorization_pending" && answer.status < 500) {
      throw noCode(deviceUrl, answer.error || `status ${answer.status}`);
    }
  }
  throw noCode(deviceUrl, "the code has expired");
}

async function twoSteps(
  server: LoginServer,
  form: DeviceForm & { kind: "two_steps" },
  screen: LoginScreen,
  deps: AuthDeps,
  signal: AbortSignal,
): Promise<LoginCredential> {
  const begun = await postFields(form.codeUrl, { client_id: server.clientId }, deps, "json");
  const { device_auth_id: id, user_code: shown } = begun.fields;
  if (!begun.ok || typeof id !== "string" || typeof shown !== "string") {
    throw noCode(form.codeUrl, begun.error || `status ${begun.status}`);
  }
  screen.showCode(shown, form.verifyUrl);
  const pause = seconds(begun.fields.interval) ?? POLL_MS;
  const ends = deps.now() + CODE_MS;
  while (deps.now() < ends) {
    await deps.wait(pause, signal);
    const answer = await postFields(form.pollUrl, { device_auth_id: id, user_code: shown }, deps, "json");
    const { authorization_code: code, code_verifier: verifier } = answer.fields;
    if (answer.ok && typeof code === "string" && typeof verifier === "string") {
      return await exchangeCode(server, { code, verifier, redirectUri: form.redirectUri }, deps);
    }
    // Refused or not found until somebody has typed it in.
    if (answer.status !== 403 && answer.status !== 404 && answer.status < 500) {
      throw noCode(form.pollUrl, answer.error || `status ${answer.status}`);
    }
  }
  throw noCode(form.codeUrl, "the code has expired");
}

function seconds(value: unknown): number | undefined {
  const number = Number(value);
  return value !== undefined && Number.isFinite(number) && number > 0 ? number * 1000 : undefined;
}

/** A page to show to a person: a web address and nothing else. */
function safeUrl(text: string, from: string): string {
  if (URL.canParse(text)) {
    const url = new URL(text);
    const local = url.hostname === "127.0.0.1" || url.hostname === "localhost";
    if ((url.protocol === "https:" || (url.protocol === "http:" && local)) && url.username === "") {
      return url.href;
    }
  }
  throw noCode(from, "it names no page to go to");
}

function noCode(url: string, why: string): ConfigError {
  return new ConfigError("secret", `The login at ${originOf(url)} did not succeed (${why})`, {
    hint: "Try again: myelin auth login",
  });
}
