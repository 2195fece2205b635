/** The provider contract: one method. */
import type { StreamEvent } from "./event.ts";
import type { Message } from "./message.ts";
import type { Model } from "./model.ts";

/** A tool as a model sees it. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments: always an object. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The names of users; what a model calls them is in `Model.thinkingLevels`. */
export type Thinking = "off" | "low" | "medium" | "high";

/** Everything that decides the bytes of a request, but for the endpoint. */
export interface LlmRequest {
  readonly model: Model;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDeclaration[];
  /** Undefined: the model's own. */
  readonly thinking?: Thinking;
  /** "none" keeps the tools in the request (for the cache) and forbids calls. */
  readonly toolChoice?: "auto" | "none";
  /** A JSON Schema that the answer should satisfy, where the provider has a native form. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly maxOutput?: number;
  /** Names the conversation to servers that route by it, so that a cache is found again. */
  readonly cacheKey?: string;
}

/** How to reach a server: resolved from the settings, kept in memory only. */
export interface Endpoint {
  readonly baseUrl: string;
  /** Resolved lazily so that no key is read before it is used. */
  readonly apiKey: () => Promise<string | undefined>;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds of silence after which a request is ended as "stream stalled". */
  readonly idleTimeoutMs: number;
  /** Where the key comes from, for messages: "OPENAI_API_KEY", "apiKey in settings.jsonc". Never the key. */
  readonly keySource?: string;
  /** A fresh key after the server refused the present one; undefined where there is none to be had. */
  readonly renewKey?: () => Promise<string | undefined>;
  /** What must be done before a request leaves; one that is put together waits for it. A rejection ends the request. */
  readonly ready?: () => Promise<void>;
  /** Called when a request has been handed to the network: from then on there is nothing to do but to wait. */
  readonly sent?: () => void;
  /** Called when a server begins to answer with anything but an error, before that is read. */
  readonly answered?: () => void;
  /** What server it is ("ollama", "vllm"), where its address does not tell. */
  readonly vendor?: string;
  /** The text of a recorded run: for the api "replay" only. */
  readonly recording?: () => Promise<string>;
}

/** One for an endpoint, shared by requests that run side by side. */
export interface Provider {
  /**
   * Streams one answer. Never throws and never rejects: the last event is
   * `done` or `error`. When `signal` aborts, it ends without a last event.
   */
  stream(request: LlmRequest, signal: AbortSignal): AsyncIterable<StreamEvent>;
}

/** A wire protocol ("api" in the settings): makes providers for endpoints. */
export interface ProviderKind {
  /** The name in the settings, such as "openai-completions". */
  readonly api: string;
  create(endpoint: Endpoint): Provider;
}
