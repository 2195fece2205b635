/**
 * How many tokens a text is, roughly, without a tokenizer: for windows of
 * servers that count nothing, and to notice a server that counts far less than
 * was sent. Latin text and code come to three or four characters a token,
 * other scripts to fewer. An estimate is corrected by what a server says: the
 * ratio of its count to ours is remembered for a model.
 */
import type { ContentPart, Message } from "./message.ts";
import type { LlmRequest, ToolDeclaration } from "./provider.ts";

const CHARS = 3.6;
/** Of an image of the usual size. */
const IMAGE_TOKENS = 1_500;
/** Base64 characters of a document a token. */
const DOCUMENT_CHARS = 12;
/** What a message costs beside its text. */
const MESSAGE_TOKENS = 4;

/** Beyond Latin script. */
const WIDE = /[^\u0000-\u02ff]/;

/** Tokens of a text. */
export function estimateText(text: string): number {
  if (text === "") return 0;
  // A look at the beginning is enough to know the script.
  const look = text.slice(0, 2_000);
  if (!WIDE.test(look)) return Math.ceil(text.length / CHARS);
  let wide = 0;
  for (let i = 0; i < look.length; i++) if (look.charCodeAt(i) > 0x2ff) wide++;
  const share = wide / look.length;
  return Math.ceil(text.length * (1 - share) / CHARS + text.length * share / 1.3);
}

const known = new WeakMap<Message, number>();

/** Tokens of a message. */
function estimateMessage(message: Message): number {
  let tokens = known.get(message);
  if (tokens === undefined) known.set(message, tokens = MESSAGE_TOKENS + count(message));
  return tokens;
}

function count(message: Message): number {
  if (message.role === "system") return estimateText(message.text);
  let tokens = 0;
  for (const part of message.parts) {
    if (part.type === "thinking") continue;
    if (part.type === "tool_call") tokens += estimateText(part.name) + estimateText(part.arguments) + 8;
    else tokens += content(part);
  }
  return tokens;
}

function content(part: ContentPart): number {
  if (part.type === "text") return estimateText(part.text);
  return part.type === "image" ? IMAGE_TOKENS : Math.ceil(part.data.length / DOCUMENT_CHARS);
}

/** What of a request's estimate stands for images and documents: the part that servers count most differently. */
export function estimateMedia(messages: readonly Message[]): number {
  let tokens = 0;
  for (const message of messages) {
    if (message.role === "system") continue;
    for (const part of message.parts) {
      if (part.type === "image" || part.type === "document") tokens += content(part);
    }
  }
  return tokens;
}

const knownTools = new WeakMap<readonly ToolDeclaration[], number>();

function estimateTools(tools: readonly ToolDeclaration[]): number {
  let tokens = knownTools.get(tools);
  if (tokens === undefined) {
    knownTools.set(tools, tokens = tools.length === 0 ? 0 : estimateText(JSON.stringify(tools)));
  }
  return tokens;
}

/** What fills a request, in tokens by estimate. */
export interface RequestSize {
  readonly system: number;
  readonly tools: number;
  /** What the user and the model said, and what it called. */
  readonly messages: number;
  readonly results: number;
  readonly total: number;
}

/** The estimate of a request, by what fills it. */
export function estimateRequest({ messages, tools }: Pick<LlmRequest, "messages" | "tools">): RequestSize {
  let system = 0, said = 0, results = 0;
  for (const message of messages) {
    const tokens = estimateMessage(message);
    if (message.role === "system") system += tokens;
    else if (message.role === "tool_result") results += tokens;
    else said += tokens;
  }
  const own = estimateTools(tools);
  return { system, tools: own, messages: said, results, total: system + own + said + results };
}

/** Corrects estimates of one model by what its server counted. */
export class Calibration {
  #ratio = 1;

  /** The server's count of a request that was estimated at `estimated`. */
  learn(estimated: number, counted: number): void {
    if (estimated < 200 || counted <= 0) return;
    // What lies outside of this is no other tokenizer but another request.
    this.#ratio = Math.min(3, Math.max(0.5, counted / estimated));
  }

  correct(estimated: number): number {
    return Math.round(estimated * this.#ratio);
  }
}
