/**
 * One request and its answer, for every protocol: joins a protocol's two pure
 * halves with the transport, the key and its renewal. What only the answer
 * needs is loaded while the request is under way.
 */
import { AppError, describe } from "../../../lib/errors.ts";
import type { Asked } from "../../asked.ts";
import { LlmError } from "../../errors.ts";
import type { StreamEvent } from "../../event.ts";
import { modelName } from "../../model.ts";
import type { Endpoint, LlmRequest, Provider } from "../../provider.ts";
import { post } from "../../transport.ts";
import type { AnswerDecoder, AnswerOptions } from "./answer.ts";
import { answerAsText, withAnswerTool } from "./answer_tool.ts";

/** What a protocol is, beside its name. `State` is what a provider remembers between requests. */
export interface Protocol<State> {
  readonly begin: (endpoint: Endpoint) => State;
  readonly url: (endpoint: Endpoint) => string;
  /** The headers beside content type and those of the settings; with the key where there is one. */
  readonly headers: (key: string | undefined, request: LlmRequest, state: State) => Record<string, string>;
  readonly encode: (request: LlmRequest, state: State) => string;
  /** Loads the other half. */
  readonly decoder: (
    options: AnswerOptions,
    request: LlmRequest,
    state: State,
  ) => Promise<AnswerDecoder>;
  /** A schema for the answer has a form of the protocol's own here. Absent: it has. */
  readonly native?: (request: LlmRequest, state: State) => boolean;
  /** What the user should know of this request. Told once each. */
  readonly notices?: (request: LlmRequest, state: State) => readonly string[];
  /** After a refusal: changes the state so that the same request may pass, and says so; undefined: nothing to do. */
  readonly learn?: (error: LlmError, request: LlmRequest, state: State) => string | undefined;
}

/** How often one request is sent in another form, after refusals. */
const MAX_LESSONS = 3;

/** The provider of a protocol at an endpoint. */
export function createExchange<State>(protocol: Protocol<State>, endpoint: Endpoint): Provider {
  const state = protocol.begin(endpoint);
  const told = new Set<string>();
  const callsAsText = { told: false };
  const left: Left = {};
  return {
    async *stream(request, signal) {
      const one = { protocol, endpoint, request, signal, state, callsAsText, left };
      let renewed = false;
      for (let lessons = 0;;) {
        let refused: LlmError | undefined;
        for await (const event of structured(one)) {
          if (event.type === "notice") {
            // One that the model gets as well is not withheld: it answers to it.
            if (event.toModel === undefined && told.has(event.text)) continue;
            told.add(event.text);
          }
          if (event.type === "error" && event.partial === undefined) {
            refused = event.error;
            break;
          }
          yield event;
        }
        if (refused === undefined || signal.aborted) return;
        if (refused.code === "auth" && !renewed && endpoint.renewKey !== undefined) {
          renewed = true;
          if (await renew(endpoint)) continue;
        }
        const lesson = lessons < MAX_LESSONS ? learn(one, refused) : undefined;
        if (lesson === undefined) {
          yield { type: "error", error: refused };
          return;
        }
        lessons++;
        if (lesson !== "" && !told.has(lesson)) {
          told.add(lesson);
          yield { type: "notice", text: lesson };
        }
      }
    },
  };
}

/** The answer before, of which the end may still be on its way: a request that waits for that gets its connection. */
interface Left {
  end?: Promise<void>;
}

interface Attempt<State> {
  readonly protocol: Protocol<State>;
  readonly endpoint: Endpoint;
  readonly request: LlmRequest;
  readonly signal: AbortSignal;
  readonly state: State;
  /** The model has been told that its calls came as text. */
  readonly callsAsText: { told: boolean };
  readonly left: Left;
}

/** An attempt in the protocol's own form for a schema, or with a tool in its place. */
function structured<State>(one: Attempt<State>): AsyncIterable<StreamEvent> {
  const { protocol, request, state } = one;
  const { outputSchema } = request;
  if (outputSchema === undefined || (protocol.native?.(request, state) ?? true)) return attempt(one);
  return answerAsText(attempt({ ...one, request: withAnswerTool(request) }), outputSchema);
}

/** Learns until the request would be sent in another form; undefined where nothing is left that would change it. */
function learn<State>({ protocol, request, state }: Attempt<State>, refused: LlmError): string | undefined {
  if (protocol.learn === undefined) return undefined;
  const form = () => `${protocol.native?.(request, state) ?? true} ${protocol.encode(request, state)}`;
  const before = form();
  for (let lesson = protocol.learn(refused, request, state); lesson !== undefined;) {
    if (form() !== before) return lesson;
    lesson = protocol.learn(refused, request, state);
  }
  return undefined;
}

async function renew(endpoint: Endpoint): Promise<boolean> {
  try {
    return await endpoint.renewKey?.() !== undefined;
  } catch {
    // The refusal itself is the error that is told.
    return false;
  }
}

async function* attempt<State>(one: Attempt<State>): AsyncGenerator<StreamEvent> {
  const { protocol, endpoint, request, signal, state, callsAsText, left } = one;
  const { model } = request;
  let decoder: AnswerDecoder | undefined;
  let leave: (() => Promise<void>) | undefined;
  let toolsRun = false;
  try {
    await left.end;
    left.end = undefined;
    const key = usableKey(await keyOf(endpoint, model.provider), model.provider);
    const url = protocol.url(endpoint);
    const asked: Asked = {
      provider: model.provider,
      url,
      secrets: secretsOf(endpoint, key),
      ...(endpoint.keySource === undefined ? {} : { keySource: endpoint.keySource }),
    };
    const headers = headersOf(endpoint, protocol.headers(key, request, state), model.provider);
    const body = protocol.encode(request, state);
    await beReady(endpoint);
    const sending = post({
      asked,
      url,
      headers,
      body,
      idleTimeoutMs: endpoint.idleTimeoutMs,
      signal,
      answered: endpoint.answered,
    });
    endpoint.sent?.();
    const options: AnswerOptions = {
      asked,
      model: modelName(model),
      idPrefix: `call_${request.messages.length}_`,
      tools: request.tools,
      textCalls: model.textToolCalls ?? false,
      told: callsAsText.told,
      onTold: () => callsAsText.told = true,
    };
    const [answer, made] = await Promise.all([sending, protocol.decoder(options, request, state)]);
    if (answer.kind === "events") leave = answer.leave;
    yield { type: "start" };
    for (const text of protocol.notices?.(request, state) ?? []) yield { type: "notice", text };
    decoder = made;
    // Not `yield*`: of a list that costs several promises for each item.
    if (answer.kind === "json") {
      for (const event of decoder.pushWhole(answer.text)) yield event;
    } else {
      for await (const batch of answer.batches) {
        for (const event of batch) for (const made of decoder.push(event)) yield made;
        if (decoder.complete) break;
        if (decoder.finished) answer.settle();
      }
    }
    const last = await decoder.end();
    toolsRun = last.some(callsTools);
    for (const event of last) yield event;
  } catch (error) {
    if (signal.aborted) return;
    const failure = error instanceof LlmError ? error : unexpected(model.provider, error);
    if (decoder === undefined) yield { type: "error", error: failure };
    else for (const event of await decoder.end(failure)) yield event;
  } finally {
    // Tools run meanwhile. An answer without calls may be the last: nothing of it is left behind.
    const end = leave?.();
    if (toolsRun) left.end = end;
    else await end;
  }
}

async function beReady(endpoint: Endpoint): Promise<void> {
  try {
    await endpoint.ready?.();
  } catch (cause) {
    throw new LlmError("bad_request", `Not sent: ${describe(cause)}`, { cause, retryable: false });
  }
}

function callsTools(event: StreamEvent): boolean {
  return event.type === "done" && event.message.parts.some((part) => part.type === "tool_call");
}

/** Throws where a header of the settings is none that can be sent. */
function headersOf(
  endpoint: Endpoint,
  own: Record<string, string>,
  provider: string,
): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "accept": "text/event-stream",
    "user-agent": "myelin",
    ...own,
  };
  for (const [name, value] of Object.entries(endpoint.headers)) {
    const trimmed = value.trim();
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(trimmed)) {
      // Not the value: it may be a key.
      const message = `The header ${JSON.stringify(name)} of provider "${provider}" cannot be sent`;
      throw new LlmError("bad_request", message, {
        hint: `Correct it in "providers.${provider}.headers" in the settings: ` +
          "a name has no spaces, and a value is one line without special characters.",
      });
    }
    headers[name.toLowerCase()] = trimmed;
  }
  return headers;
}

/** The key, however it is got: a command may fail, and so may the renewal of a login. */
async function keyOf(endpoint: Endpoint, provider: string): Promise<string | undefined> {
  try {
    return await endpoint.apiKey();
  } catch (cause) {
    const hint = cause instanceof AppError ? cause.hint : undefined;
    throw new LlmError("auth", `There is no key for provider "${provider}": ${describe(cause)}`, {
      cause,
      ...(hint === undefined ? {} : { hint }),
    });
  }
}

/** What keys are not. They are told, not mended: what is sent is what is hidden wherever it is echoed. */
const KEY_FAULTS = [
  {
    form: /^bearer\s/i,
    what: 'begins with the word "Bearer"',
    hint: "Leave that word out: it is added by itself.",
  },
  { form: /^(["'`]).*\1$/s, what: "stands in quotation marks", hint: "Leave the quotation marks out." },
  {
    form: /[^\x21-\x7e]/,
    what: "has characters that no key has",
    hint: "Look for a space, a line end or an invisible character in it.",
  },
] as const;

/** A key without the white space that copying leaves around it. Throws where it cannot be one. */
function usableKey(key: string | undefined, provider: string): string | undefined {
  const trimmed = key?.trim();
  if (!trimmed) return undefined;
  const fault = KEY_FAULTS.find(({ form }) => form.test(trimmed));
  if (fault !== undefined) {
    throw new LlmError("auth", `The API key of provider "${provider}" ${fault.what}`, { hint: fault.hint });
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
