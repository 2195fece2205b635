/**
 * The protocol "openai-completions": what OpenAI began and nearly every server
 * speaks. This file joins the two pure halves with the transport; what only
 * the answer needs is imported while the request is under way.
 */
import { describe } from "../../../lib/errors.ts";
import { LlmError } from "../../errors.ts";
import type { StreamEvent } from "../../event.ts";
import { modelName } from "../../model.ts";
import type { Endpoint, LlmRequest, Provider, ProviderKind } from "../../provider.ts";
import { post } from "../../transport.ts";
import { encode } from "./encode.ts";
import { chatUrl, quirksOf } from "./quirks.ts";

export const openaiCompletions: ProviderKind = {
  api: "openai-completions",
  create(endpoint: Endpoint): Provider {
    const state = { warned: false };
    return { stream: (request, signal) => stream(endpoint, request, signal, state) };
  },
};

async function* stream(
  endpoint: Endpoint,
  request: LlmRequest,
  signal: AbortSignal,
  state: { warned: boolean },
): AsyncGenerator<StreamEvent> {
  const { model } = request;
  const quirks = quirksOf(endpoint.baseUrl);
  const url = chatUrl(endpoint.baseUrl);
  let decoder: import("./decode.ts").Decoder | undefined;
  try {
    const key = usableKey(await endpoint.apiKey(), model.provider);
    const asked = {
      provider: model.provider,
      url,
      secrets: secretsOf(endpoint, key),
      ...(endpoint.keySource === undefined ? {} : { keySource: endpoint.keySource }),
    };
    const sending = post({
      asked,
      url,
      headers: headersOf(endpoint, key),
      body: encode(request, quirks),
      idleTimeoutMs: endpoint.idleTimeoutMs,
      signal,
    });
    const [answer, { Decoder }] = await Promise.all([sending, import("./decode.ts")]);
    yield { type: "start" };
    if (request.thinking !== undefined && !model.reasoning && !state.warned) {
      state.warned = true;
      yield {
        type: "notice",
        text: `${modelName(model)} is not known to think: the thinking level is not sent`,
      };
    }
    decoder = new Decoder({
      asked,
      model: modelName(model),
      idPrefix: `call_${request.messages.length}_`,
      quirks,
    });
    if (answer.kind === "json") yield* decoder.pushWhole(answer.text);
    else {
      for await (const batch of answer.batches) {
        for (const event of batch) yield* decoder.push(event);
        if (decoder.complete) break;
        if (decoder.finished) answer.settle();
      }
    }
    yield* await decoder.end();
  } catch (error) {
    if (signal.aborted) return;
    const failure = error instanceof LlmError ? error : unexpected(model.provider, error);
    if (decoder === undefined) yield { type: "error", error: failure };
    else yield* await decoder.end(failure);
  }
}

function headersOf(endpoint: Endpoint, key: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "accept": "text/event-stream",
    "user-agent": "myelin",
  };
  if (key) headers.authorization = `Bearer ${key}`;
  for (const [name, value] of Object.entries(endpoint.headers)) headers[name.toLowerCase()] = value;
  return headers;
}

/** A key without the white space that copying leaves around it. Throws where it cannot be one. */
function usableKey(key: string | undefined, provider: string): string | undefined {
  const trimmed = key?.trim();
  if (!trimmed) return undefined;
  if (/[^\x21-\x7e]/.test(trimmed)) {
    throw new LlmError("auth", `The API key of provider "${provider}" has characters that no key has`, {
      hint: "Look for a space, a line end or a quotation mark in it.",
    });
  }
  return trimmed;
}

function secretsOf(endpoint: Endpoint, key: string | undefined): string[] {
  const secrets = key === undefined ? [] : [key];
  for (const [name, value] of Object.entries(endpoint.headers)) {
    if (/auth|key|token|secret|cookie/i.test(name)) secrets.push(value.replace(/^\w+ /, ""));
  }
  return secrets;
}

function unexpected(provider: string, cause: unknown): LlmError {
  return new LlmError("protocol", `Cannot use provider "${provider}": ${describe(cause)}`, {
    cause,
    retryable: false,
  });
}
