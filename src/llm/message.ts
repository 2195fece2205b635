/**
 * The message model: plain data, the same in memory, in the session file and
 * on the way to every provider. Nothing here knows a provider's wire format.
 */

/** What was written, by whoever the message is from. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** Opaque data of the provider that wrote it, such as an item id: sent back to the same model, never to another. */
  readonly opaque?: unknown;
}

/** What a model thought. Sent back only to the provider and model that wrote it. */
export interface ThinkingPart {
  readonly type: "thinking";
  readonly text: string;
  /** Proof of origin that the provider wants back unchanged. */
  readonly signature?: string;
  /** Opaque data that the provider wants back unchanged, such as encrypted or structured reasoning. */
  readonly opaque?: unknown;
  /** The wire field it came in, where a provider has several ("reasoning_content", "reasoning"). */
  readonly field?: string;
}

/** A picture in one of the formats that models take. */
export interface ImagePart {
  readonly type: "image";
  /** Such as "image/png". */
  readonly mediaType: string;
  /** Base64 without line breaks. */
  readonly data: string;
}

/** A file that models read as it is, such as a PDF. */
export interface DocumentPart {
  readonly type: "document";
  /** Such as "application/pdf". */
  readonly mediaType: string;
  /** Base64 without line breaks. */
  readonly data: string;
  readonly name?: string;
}

/** A wish of the model. Only calls of a message that came in `done` are carried out. */
export interface ToolCall {
  readonly type: "tool_call";
  /** Unique within the message; made unique where a server is not. */
  readonly id: string;
  readonly name: string;
  /**
   * The arguments as JSON text. An object for every call that may run; what a
   * server sent broken is kept as it came, and `broken` says so.
   */
  readonly arguments: string;
  readonly broken?: true;
  /** As in TextPart. */
  readonly opaque?: unknown;
}

/** What models write. */
export type AssistantPart = TextPart | ThinkingPart | ToolCall;
/** What people and tools say. */
export type ContentPart = TextPart | ImagePart | DocumentPart;

/** Tokens by kind. `input` counts what was neither read from nor written to a cache. */
export interface Usage {
  readonly input: number;
  /** Includes `reasoning`. */
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  /** Cost in US dollars where the server itself says it. */
  readonly costUsd?: number;
}

/** Why a model stopped. "length": its output limit; "filter": the provider withheld the rest. */
export type StopReason = "stop" | "tool_calls" | "length" | "filter";

/** Mostly the first; one further on says what has changed since. */
export interface SystemMessage {
  readonly role: "system";
  readonly text: string;
}

/** From a person, or from the program in a person's place. */
export interface UserMessage {
  readonly role: "user";
  readonly parts: readonly ContentPart[];
}

/** A whole answer, or the beginning of one that broke off. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly parts: readonly AssistantPart[];
  readonly stopReason: StopReason;
  /** Who wrote it: "provider/id". */
  readonly model: string;
  /** Absent where the server said nothing: unknown, not zero. */
  readonly usage?: Usage;
}

/** The answer to one call, behind the message with the call. */
export interface ToolResultMessage {
  readonly role: "tool_result";
  readonly callId: string;
  readonly name: string;
  readonly parts: readonly ContentPart[];
  readonly isError: boolean;
}

/** A closed union, told apart by `role`. */
export type Message =
  | SystemMessage
  | UserMessage
  | AssistantMessage
  | ToolResultMessage;

/** The tool calls of a message, in call order. */
export function toolCalls(message: AssistantMessage): ToolCall[] {
  return message.parts.filter((part): part is ToolCall => part.type === "tool_call");
}

/** The visible text of parts, joined. */
export function textOf(
  parts: readonly (AssistantPart | ContentPart)[],
): string {
  let text = "";
  for (const part of parts) if (part.type === "text") text += part.text;
  return text;
}
