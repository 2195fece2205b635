/**
 * How servers of this protocol differ, as data: one row a vendor, chosen by
 * the name in the settings, the host in the base URL, or the port that a local
 * server listens on by default. Code reads the properties and never a name. A
 * model's `options` in the settings override all of it, and what a server
 * refuses is learned for the rest of the run: one row a wording.
 */
import { type CallIdForm, USUAL_IDS } from "../../handoff.ts";
import { hostOf, methodUrl } from "../../address.ts";
import { imagesRefused } from "../shared/image_limit.ts";

/** In what servers of this protocol differ: data, so that nothing branches on a vendor's name. */
export interface Quirks {
  /** The field that limits the answer's length. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  /**
   * How a thinking level is said. "reasoning_effort": `reasoning_effort: "low"`;
   * "reasoning": `reasoning: {effort: "low"}`; "thinking": `thinking: {type:
   * "enabled"}` and the effort; "template": `chat_template_kwargs:
   * {enable_thinking: true}` and the effort; "none": not at all.
   */
  readonly thinkingForm: "reasoning_effort" | "reasoning" | "thinking" | "template" | "none";
  /** What the levels are called, where not by their own names ("off" is "none"). */
  readonly levels: Readonly<Record<string, string>>;
  /** The server understands `stream_options: {include_usage: true}`. */
  readonly usageOption: boolean;
  /** Thoughts arrive between <think> tags at the start of the content. */
  readonly thinkTags: boolean;
  /** The server ends with [DONE] and no finish_reason; elsewhere that is a broken stream. */
  readonly doneIsFinish: boolean;
  /** Ids of calls that the server takes from others. */
  readonly callIds: CallIdForm;
  /** The field that a message with calls must have even where nothing was thought: it is sent empty then. */
  readonly reasoningOnCalls?: string;
  /** Thoughts of <think> tags, which came in no field, go back in this one. */
  readonly tagsGoBackIn?: string;
  /** A message of the user may follow neither a tool's result nor another of the user: a short answer is put between. */
  readonly answerBetween: boolean;
  /** What a message with calls and no text has for content. */
  readonly noContent: null | "";
  /** How many images a request may hold; absent: as many as there are. */
  readonly maxImages?: number;
  /** Images are left out, whatever is known of the model. */
  readonly noImages: boolean;
  /** The server understands `tool_choice: "none"`. */
  readonly toolChoiceNone: boolean;
  /** A schema for the answer may be sent as `response_format`. */
  readonly structured: boolean;
  /** What stands beside a call that brought nothing of its own. */
  readonly callExtra?: unknown;
  /** Takes documents as `{type: "file"}`. */
  readonly documents: boolean;
  /** Sends the conversation's name as `prompt_cache_key`. */
  readonly cacheKey: boolean;
}

const PLAIN: Quirks = {
  maxTokensField: "max_tokens",
  thinkingForm: "reasoning_effort",
  levels: {},
  usageOption: true,
  thinkTags: true,
  doneIsFinish: false,
  callIds: USUAL_IDS,
  answerBetween: false,
  noContent: null,
  noImages: false,
  toolChoiceNone: true,
  structured: true,
  documents: false,
  cacheKey: false,
};

/** Known by the settings, by its host, or by its port, in this order. */
interface Vendor {
  /** What `vendor` in the settings says. */
  readonly name: string;
  readonly host?: RegExp;
  /** A local server's usual port. */
  readonly port?: number;
  readonly quirks: Partial<Quirks>;
}

/** The first row that fits counts; what a row does not name is as in the plain protocol. */
export const VENDORS: readonly Vendor[] = [
  {
    name: "openai",
    host: /^api\.openai\.com$|\.openai\.azure\.com$/,
    quirks: { maxTokensField: "max_completion_tokens", thinkTags: false, documents: true, cacheKey: true },
  },
  {
    name: "openrouter",
    host: /(^|\.)openrouter\.ai$/,
    quirks: { thinkingForm: "reasoning", documents: true },
  },
  {
    // Refuses a message with calls and without its thoughts; a schema is known as json_object only.
    name: "deepseek",
    host: /(^|\.)deepseek\.com$/,
    quirks: { thinkingForm: "thinking", reasoningOnCalls: "reasoning_content", structured: false },
  },
  {
    name: "groq",
    host: /^api\.groq\.com$/,
    quirks: { maxTokensField: "max_completion_tokens", maxImages: 5 },
  },
  {
    // Refuses stream_options and sends usage by itself; ids of nine characters; wants an answer after results.
    name: "mistral",
    host: /(^|\.)mistral\.ai$/,
    quirks: {
      usageOption: false,
      maxImages: 8,
      callIds: { pattern: /^[a-zA-Z0-9]{9}$/, length: 9 },
      answerBetween: true,
      levels: { low: "high", medium: "high" },
    },
  },
  { name: "together", host: /^api\.together\.(xyz|ai)$/, quirks: {} },
  {
    // A call without the signature of the thought that led to it is refused; this one is let through.
    name: "gemini",
    host: /^generativelanguage\.googleapis\.com$/,
    quirks: { callExtra: { google: { thought_signature: "skip_thought_signature_validator" } } },
  },
  {
    name: "xai",
    host: /^api\.x\.ai$/,
    quirks: { maxTokensField: "max_completion_tokens", thinkTags: false },
  },
  { name: "ollama", host: /(^|\.)ollama\.com$/, port: 11434, quirks: { toolChoiceNone: false } },
  { name: "lmstudio", port: 1234, quirks: {} },
  // With tools, a grammar of ours would stand in the way of theirs.
  { name: "llamacpp", quirks: { thinkingForm: "template", structured: false } },
  { name: "vllm", quirks: { thinkingForm: "template" } },
  { name: "sglang", port: 30000, quirks: { thinkingForm: "template" } },
];

/** The row of a server; undefined: nothing special is known of it. */
function vendorOf(baseUrl: string, name?: string): Vendor | undefined {
  if (name !== undefined) return VENDORS.find((vendor) => vendor.name === name);
  const host = hostOf(baseUrl);
  const byHost = VENDORS.find((vendor) => vendor.host?.test(host));
  if (byHost !== undefined) return byHost;
  const port = Number(/^[a-z]+:\/\/[^/]*:(\d+)(?:[/?#]|$)/i.exec(baseUrl)?.[1]);
  return VENDORS.find((vendor) => vendor.port === port);
}

/** The quirks of the server behind a base URL, or of the one that the settings name. */
export function quirksOf(baseUrl: string, vendor?: string): Quirks {
  return { ...PLAIN, ...vendorOf(baseUrl, vendor)?.quirks };
}

/** The base URL may end in a slash or name the method already; a version is put in where it has none. */
export const chatUrl = (baseUrl: string): string => methodUrl(baseUrl, "chat/completions");

/** A refusal whose words fit is answered by sending the request again with `patch`. */
interface Lesson {
  /** What a refusal says. */
  readonly wording: RegExp;
  readonly patch: Partial<Quirks>;
  /** For the user, where something that was asked for is left out. */
  readonly notice?: string;
}

/** What refusals teach. */
const LESSONS: readonly Lesson[] = [
  {
    wording: /reasoning_content|reasoning content/i,
    patch: { reasoningOnCalls: "reasoning_content", tagsGoBackIn: "reasoning_content" },
  },
  { wording: /max_completion_tokens/i, patch: { maxTokensField: "max_completion_tokens" } },
  { wording: /stream_options|include_usage/i, patch: { usageOption: false } },
  { wording: /prompt_cache_key/i, patch: { cacheKey: false } },
  {
    wording:
      /reasoning_effort|reasoningeffort|reasoning\.effort|chat_template_kwargs|enable_thinking|thinking/i,
    patch: { thinkingForm: "none" },
    notice: "The server refuses the thinking level: it is not sent",
  },
  {
    wording: /response_format|json_schema|grammar/i,
    patch: { structured: false },
    notice: "The server refuses a schema for the answer: the answer is asked for as a tool call",
  },
  { wording: /tool_choice/i, patch: { toolChoiceNone: false } },
  { wording: /thought_signature/i, patch: VENDORS.find((row) => row.name === "gemini")?.quirks ?? {} },
  {
    wording: /role .?user.? after role .?tool|after role tool|roles must alternate|alternate user/i,
    patch: { answerBetween: true },
  },
  {
    wording: /tool.?call.?id.*(?:length|9 char|must be a-z)/i,
    patch: { callIds: { pattern: /^[a-zA-Z0-9]{9}$/, length: 9 } },
  },
  {
    wording: /image|vision|multimodal|mmproj/i,
    patch: { noImages: true },
    notice: "The server refuses images: they are left out",
  },
  {
    wording: /content.{0,80}(?:null|none|must be|required|string|missing|expected)/i,
    patch: { noContent: "" },
  },
];

/** Wordings of what some servers call an error of their own (500), although it is the request's. */
export const BY_MISTAKE = /image|alternate|template|jinja/i;

/** The quirks after a refusal; undefined where it teaches nothing new. */
export function learned(message: string, quirks: Quirks): { quirks: Quirks; notice?: string } | undefined {
  const most = imagesRefused(message);
  if (most !== undefined && most > 0 && most !== quirks.maxImages) {
    return {
      quirks: { ...quirks, maxImages: most },
      notice: `The server takes no more than ${most} images: the oldest are left out`,
    };
  }
  for (const { wording, patch, notice } of LESSONS) {
    if (!wording.test(message)) continue;
    const entries = Object.entries(patch) as [keyof Quirks, unknown][];
    if (entries.every(([key, value]) => JSON.stringify(quirks[key]) === JSON.stringify(value))) continue;
    return { quirks: { ...quirks, ...patch }, ...(notice === undefined ? {} : { notice }) };
  }
  return undefined;
}
