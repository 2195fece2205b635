/**
 * The token endpoint of OAuth: a code into tokens, and tokens into fresh ones.
 * Nothing of a token, a code or a server's answer beyond its error word shows
 * in a message.
 */
import { isRecord } from "../../lib/json.ts";
import { ConfigError } from "../errors.ts";
import type { LoginCredential } from "./store.ts";

/** Where time and the network come from; tests bring their own. */
export interface AuthDeps {
  readonly fetch: typeof fetch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export const REAL: AuthDeps = {
  fetch: (input, init) => fetch(input, init),
  now: Date.now,
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason);
      }, { once: true });
    }),
};

/** How long a server may take to answer. */
const ANSWER_MS = 30_000;

/** What a POST of a form came to: the answer's fields, and the error word that it may hold. */
export interface FormAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Such as "authorization_pending"; "" where there is none. */
  readonly error: string;
}

/** Posts fields, as a form or as JSON. Throws ConfigError where the server cannot be reached. */
export async function postFields(
  url: string,
  fields: Readonly<Record<string, string>>,
  deps: AuthDeps,
  form: "form" | "json" = "form",
): Promise<FormAnswer> {
  let response: Response;
  let text: string;
  try {
    response = await deps.fetch(url, {
      method: "POST",
      headers: {
        "content-type": form === "form" ? "application/x-www-form-urlencoded" : "application/json",
        accept: "application/json",
        "user-agent": "myelin",
      },
      body: form === "form" ? new URLSearchParams(fields).toString() : JSON.stringify(fields),
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    text = await response.text();
  } catch {
    // Without the cause: it may hold the whole request.
    throw new ConfigError("secret", `Cannot reach ${originOf(url)} to log in`, { hint: "Check the network" });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A page of a proxy: there is nothing in it for us.
  }
  const answer = isRecord(value) ? value : {};
  const inner = isRecord(answer.error) ? answer.error.code ?? answer.error.type : answer.error;
  const error = typeof inner === "string" && /^[\w.-]{1,60}$/.test(inner) ? inner : "";
  return { ok: response.ok, status: response.status, fields: answer, error };
}

/** A code, by its verifier, into a login. */
export async function exchangeCode(
  server: { readonly tokenUrl: string; readonly clientId: string },
  code: {
    readonly code: string;
    readonly verifier: string;
    readonly redirectUri: string;
    readonly challenge?: string;
  },
  deps: AuthDeps,
): Promise<LoginCredential> {
  const answer = await postFields(server.tokenUrl, {
    grant_type: "authorization_code",
    client_id: server.clientId,
    code: code.code,
    code_verifier: code.verifier,
    redirect_uri: code.redirectUri,
    ...(code.challenge === undefined
      ? {}
      : { code_challenge: code.challenge, code_challenge_method: "S256" }),
  }, deps);
  return credentialOf(answer, server, undefined, deps.now());
}

/** A login with fresh tokens. Throws ConfigError "secret" where the server gives none. */
export async function refreshLogin(login: LoginCredential, deps: AuthDeps): Promise<LoginCredential> {
  if (login.refreshToken === undefined) throw expired(login.tokenUrl, "it cannot be renewed");
  const answer = await postFields(login.tokenUrl, {
    grant_type: "refresh_token",
    refresh_token: login.refreshToken,
    client_id: login.clientId,
  }, deps);
  return credentialOf(answer, login, login, deps.now());
}

/** The login in a token endpoint's answer; what it leaves out stays as it was. */
export function credentialOf(
  answer: FormAnswer,
  server: { readonly tokenUrl: string; readonly clientId: string },
  before: LoginCredential | undefined,
  now: number,
): LoginCredential {
  const { access_token: accessToken, refresh_token: fresh, expires_in: seconds, id_token: id } =
    answer.fields;
  if (!answer.ok || typeof accessToken !== "string" || accessToken === "") {
    throw expired(server.tokenUrl, answer.error === "" ? `status ${answer.status}` : answer.error);
  }
  const refreshToken = typeof fresh === "string" && fresh !== "" ? fresh : before?.refreshToken;
  const account = accountOf(id) ?? before?.account;
  return {
    type: "login",
    accessToken,
    clientId: server.clientId,
    tokenUrl: server.tokenUrl,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(typeof seconds === "number" && seconds > 0 ? { expires: now + seconds * 1000 } : {}),
    ...(account === undefined ? {} : { account }),
  };
}

/** The address of a person in an identity token, for showing only: nothing is decided by it. */
function accountOf(token: unknown): string | undefined {
  if (typeof token !== "string") return undefined;
  try {
    const payload = token.split(".")[1];
    const bytes = Uint8Array.fromBase64(payload, { alphabet: "base64url", lastChunkHandling: "loose" });
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isRecord(claims) && typeof claims.email === "string" ? claims.email.slice(0, 200) : undefined;
  } catch {
    // No such token: nobody is named.
    return undefined;
  }
}

function expired(url: string, why: string): ConfigError {
  return new ConfigError("secret", `${originOf(url)} gave no token (${why})`, {
    hint: "Log in again: myelin auth login",
  });
}

export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "the server";
}
