/**
 * The protocol "openai-codex-responses": Responses at the address that serves
 * ChatGPT subscriptions. The key is the access token of a login; the account
 * it belongs to is read from it.
 */
import { isRecord } from "../../../lib/json.ts";
import type { Endpoint, Provider, ProviderKind } from "../../provider.ts";
import { createExchange, type Protocol } from "../shared/exchange.ts";
import { responsesCodec, type ResponsesForm, type ResponsesState } from "../shared/responses/mod.ts";

const FORM: ResponsesForm = {
  system: "instructions",
  maxOutput: false,
  summaries: true,
  effort: true,
  cacheKey: true,
  documents: true,
};

const protocol: Protocol<ResponsesState> = {
  ...responsesCodec,
  begin: () => ({ form: FORM, structured: true }),
  url: ({ baseUrl }) => {
    const base = baseUrl.trim().replace(/\/+$/, "");
    if (base.endsWith("/responses")) return base;
    return base.endsWith("/codex") ? `${base}/responses` : `${base}/codex/responses`;
  },
  headers(key, request): Record<string, string> {
    const account = key === undefined ? undefined : accountOf(key);
    return {
      "openai-beta": "responses=experimental",
      originator: "myelin",
      ...(request.cacheKey === undefined ? {} : { session_id: request.cacheKey }),
      ...(account === undefined ? {} : { "chatgpt-account-id": account }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
  },
};

/** The account in an access token; undefined where it holds none. */
function accountOf(token: string): string | undefined {
  try {
    const [, payload] = token.split(".");
    const text = new TextDecoder().decode(
      Uint8Array.fromBase64(payload, { alphabet: "base64url", lastChunkHandling: "loose" }),
    );
    const claims: unknown = JSON.parse(text);
    const auth = isRecord(claims) ? claims["https://api.openai.com/auth"] : undefined;
    return isRecord(auth) && typeof auth.chatgpt_account_id === "string"
      ? auth.chatgpt_account_id
      : undefined;
  } catch {
    // Not the form that this server's tokens have: it will say so itself.
    return undefined;
  }
}

/** The key is an access token; the account in it, where it holds one, goes along as a header. */
export const openaiCodexResponses: ProviderKind = {
  api: "openai-codex-responses",
  create: (endpoint: Endpoint): Provider => createExchange(protocol, endpoint),
};
