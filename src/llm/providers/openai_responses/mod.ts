/** The protocol "openai-responses": OpenAI's newer one, and that of xAI, Meta and others, by one codec. */
import type { Endpoint, Provider, ProviderKind } from "../../provider.ts";
import { hostOf, methodUrl } from "../../address.ts";
import { createExchange, type Protocol } from "../shared/exchange.ts";
import { responsesCodec, type ResponsesForm, type ResponsesState } from "../shared/responses/mod.ts";

const PLAIN: ResponsesForm = {
  system: "item",
  maxOutput: true,
  summaries: false,
  effort: true,
  cacheKey: false,
  documents: true,
};

/** How servers of this protocol differ, as data. */
const VENDORS: readonly { readonly host: RegExp; readonly form: Partial<ResponsesForm> }[] = [
  {
    host: /^api\.openai\.com$|\.openai\.azure\.com$/,
    form: { system: "instructions", summaries: true, cacheKey: true },
  },
  { host: /^api\.x\.ai$/, form: { cacheKey: true } },
];

const protocol: Protocol<ResponsesState> = {
  ...responsesCodec,
  begin: (endpoint) => {
    const host = hostOf(endpoint.baseUrl);
    return { form: { ...PLAIN, ...VENDORS.find((row) => row.host.test(host))?.form }, structured: true };
  },
  url: (endpoint) => methodUrl(endpoint.baseUrl, "responses"),
  headers: (key): Record<string, string> => key === undefined ? {} : { authorization: `Bearer ${key}` },
};

/** Sends the key as a bearer token. */
export const openaiResponses: ProviderKind = {
  api: "openai-responses",
  create: (endpoint: Endpoint): Provider => createExchange(protocol, endpoint),
};
