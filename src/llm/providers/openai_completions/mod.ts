/** The protocol "openai-completions": what OpenAI began and nearly every server speaks. */
import type { Endpoint, Provider, ProviderKind } from "../../provider.ts";
import { createExchange, type Protocol } from "../shared/exchange.ts";
import { thinkingNotices } from "../shared/thinking.ts";
import { encode } from "./encode.ts";
import { BY_MISTAKE, chatUrl, learned, type Quirks, quirksOf } from "./quirks.ts";

interface State {
  quirks: Quirks;
}

const protocol: Protocol<State> = {
  begin: (endpoint) => ({ quirks: quirksOf(endpoint.baseUrl, endpoint.vendor) }),
  url: (endpoint) => chatUrl(endpoint.baseUrl),
  headers: (key): Record<string, string> => key === undefined ? {} : { authorization: `Bearer ${key}` },
  encode: (request, { quirks }) => encode(request, quirks),
  async decoder(options, _request, { quirks }) {
    const { Decoder } = await import("./decode.ts");
    return new Decoder({ ...options, quirks });
  },
  native: ({ model }, { quirks }) => model.structured ?? quirks.structured,
  notices: thinkingNotices,
  learn(error, _request, state) {
    const mistaken = error.status === 500 && BY_MISTAKE.test(error.message);
    if (error.code !== "bad_request" && !mistaken) return undefined;
    const lesson = learned(error.message, state.quirks);
    if (lesson === undefined) return undefined;
    state.quirks = lesson.quirks;
    return lesson.notice ?? "";
  },
};

/** Begins with the quirks of the server's host or port and learns more from refusals. */
export const openaiCompletions: ProviderKind = {
  api: "openai-completions",
  create: (endpoint: Endpoint): Provider => createExchange(protocol, endpoint),
};
