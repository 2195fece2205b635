/**
 * Asks a server for the models that it offers: one cheap request, which also
 * tells whether a key is good. Never part of a run.
 */
import { methodUrl } from "./address.ts";
import type { Asked } from "./asked.ts";
import { httpError } from "./classify.ts";
import { networkError } from "./unreachable.ts";
import { LlmError } from "./errors.ts";
import type { Endpoint } from "./provider.ts";

/** How long a server may take. */
const ANSWER_MS = 15_000;

/** Ids of the models, as the server lists them. Rejects with an LlmError. */
export async function listModels(provider: string, api: string, endpoint: Endpoint): Promise<string[]> {
  const key = (await endpoint.apiKey())?.trim();
  const url = methodUrl(endpoint.baseUrl, "models");
  const asked: Asked = {
    provider,
    url,
    secrets: [...(key ? [key] : []), ...Object.values(endpoint.headers)],
    ...(endpoint.keySource === undefined ? {} : { keySource: endpoint.keySource }),
  };
  const anthropic: Record<string, string> = {
    "anthropic-version": "2023-06-01",
    ...(key ? { "x-api-key": key } : {}),
  };
  const headers: Record<string, string> = {
    accept: "application/json",
    "user-agent": "myelin",
    ...(api === "anthropic-messages" ? anthropic : key ? { authorization: `Bearer ${key}` } : {}),
    ...endpoint.headers,
  };
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(ANSWER_MS) });
    text = await response.text();
  } catch (error) {
    throw networkError(asked, error);
  }
  if (!response.ok) throw httpError(asked, response.status, response.headers, text);
  try {
    const { data, models } = JSON.parse(text) as { data?: unknown; models?: unknown };
    const list = Array.isArray(data) ? data : Array.isArray(models) ? models : [];
    return list.flatMap((one) => {
      const id = (one as { id?: unknown; name?: unknown } | null)?.id ??
        (one as { name?: unknown } | null)?.name;
      return typeof id === "string" ? [id] : [];
    });
  } catch (cause) {
    throw new LlmError("protocol", `Provider "${provider}" answered with no list of models`, {
      cause,
      hint: `Check baseUrl in the settings: ${endpoint.baseUrl.replace(/[?#].*$/, "")}`,
    });
  }
}
