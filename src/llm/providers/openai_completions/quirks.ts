/**
 * How servers of this protocol differ, as data: one row a vendor, chosen by
 * the host in the base URL. Code reads the properties and never a name. A
 * model's `options` in the settings override all of it.
 */

export interface Quirks {
  /** The field that limits the answer's length. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  /** How a thinking level is said: `reasoning_effort: "low"`, or `reasoning: {effort: "low"}`. */
  readonly thinkingForm: "reasoning_effort" | "reasoning";
  /** The server understands `stream_options: {include_usage: true}`. */
  readonly usageOption: boolean;
  /** Thoughts arrive between <think> tags at the start of the content. */
  readonly thinkTags: boolean;
  /** The server ends with [DONE] and no finish_reason; elsewhere that is a broken stream. */
  readonly doneIsFinish: boolean;
}

const PLAIN: Quirks = {
  maxTokensField: "max_tokens",
  thinkingForm: "reasoning_effort",
  usageOption: true,
  thinkTags: true,
  doneIsFinish: false,
};

const VENDORS: readonly { readonly host: RegExp; readonly quirks: Partial<Quirks> }[] = [
  {
    host: /^api\.openai\.com$|\.openai\.azure\.com$/,
    quirks: { maxTokensField: "max_completion_tokens", thinkTags: false },
  },
  { host: /(^|\.)openrouter\.ai$/, quirks: { thinkingForm: "reasoning" } },
  // Refuses stream_options; sends usage by itself.
  { host: /^api\.mistral\.ai$/, quirks: { usageOption: false } },
];

/** The quirks of the server behind a base URL. */
export function quirksOf(baseUrl: string): Quirks {
  const host = /^[a-z]+:\/\/(?:[^/@]*@)?([^/:?#]+)/i.exec(baseUrl)?.[1]?.toLowerCase() ?? "";
  const row = VENDORS.find((vendor) => vendor.host.test(host));
  return row === undefined ? PLAIN : { ...PLAIN, ...row.quirks };
}

/**
 * Where chat completions are posted to. A base URL may end with a version
 * ("/v1", "/v1beta/openai"), or lack it, or be the whole address already.
 */
export function chatUrl(baseUrl: string): string {
  const [, address, query] = /^([^?#]*)(\?[^#]*)?/.exec(baseUrl.trim()) ?? [];
  const base = (address ?? "").replace(/\/+$/, "");
  if (base.endsWith("/chat/completions")) return base + (query ?? "");
  const path = base.replace(/^[a-z]+:\/\/[^/]*/i, "");
  const versioned = path.split("/").some((segment) => /^v\d+\w*$/.test(segment));
  return `${base}${versioned ? "" : "/v1"}/chat/completions${query ?? ""}`;
}
