/** The protocol "anthropic-messages": Anthropic's own, which many gateways and vendors speak too. */
import type { LlmError } from "../../errors.ts";
import type { Endpoint, LlmRequest, Provider, ProviderKind } from "../../provider.ts";
import { methodUrl } from "../../address.ts";
import { createExchange, type Protocol } from "../shared/exchange.ts";
import { imagesRefused } from "../shared/image_limit.ts";
import { thinkingNotices } from "../shared/thinking.ts";
import { encode, thinkingOf } from "./encode.ts";

const VERSION = "2023-06-01";
/** Lets thoughts stand between calls, where a level is a number of tokens. */
const INTERLEAVED = "interleaved-thinking-2025-05-14";

/** How a server says that it takes no schema for the answer. */
const SCHEMA = /output_config\.format|output_format|json_schema|structured output/i;

interface State {
  /** The server refused a level as a number, or as a word: the other form is used. */
  form?: "adaptive" | "budget";
  /** The server takes a schema for the answer. */
  structured: boolean;
  /** How many images it said that it takes. */
  maxImages?: number;
}

const protocol: Protocol<State> = {
  begin: () => ({ structured: true }),
  url: (endpoint) => methodUrl(endpoint.baseUrl, "messages"),
  headers: (key, request, state) => {
    const budget =
      (thinkingOf(formed(request, state))?.thinking as { type?: string } | undefined)?.type === "enabled";
    return {
      "anthropic-version": VERSION,
      ...(budget && request.tools.length > 0 ? { "anthropic-beta": INTERLEAVED } : {}),
      ...(key === undefined ? {} : { "x-api-key": key }),
    };
  },
  encode: (request, state) => encode(formed(request, state), state.maxImages),
  decoder: async (options) => new (await import("./decode.ts")).Decoder(options),
  native: ({ model }, { structured }) => model.structured ?? structured,
  notices: thinkingNotices,
  learn(error: LlmError, request: LlmRequest, state: State): string | undefined {
    if (error.code !== "bad_request") return undefined;
    if (request.outputSchema !== undefined && state.structured && SCHEMA.test(error.message)) {
      state.structured = false;
      return "";
    }
    const most = imagesRefused(error.message);
    if (most !== undefined && most > 0 && most !== state.maxImages) {
      state.maxImages = most;
      return `The server takes no more than ${most} images: the oldest are left out`;
    }
    if (state.form !== undefined || thinkingOf(request) === undefined) return undefined;
    if (!/thinking|effort|output_config/i.test(error.message)) return undefined;
    state.form = request.model.thinkingForm === "adaptive" ? "budget" : "adaptive";
    return "";
  },
};

/** What a model is when its thinking is said in another form, made once so that its messages stay known. */
const otherForms = new WeakMap<object, LlmRequest["model"]>();

function formed(request: LlmRequest, { form }: State): LlmRequest {
  if (form === undefined || request.model.thinkingForm === form) return request;
  let model = otherForms.get(request.model);
  if (model === undefined) otherForms.set(request.model, model = { ...request.model, thinkingForm: form });
  return { ...request, model };
}

/** Sends the key as `x-api-key`. */
export const anthropicMessages: ProviderKind = {
  api: "anthropic-messages",
  create: (endpoint: Endpoint): Provider => createExchange(protocol, endpoint),
};
