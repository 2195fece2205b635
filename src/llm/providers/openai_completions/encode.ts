/**
 * A request into the body of a chat-completions POST. Pure: the same request
 * gives the same bytes, and since a message's encoding depends on nothing but
 * itself, the model and the server's quirks, the messages of an earlier
 * request of a run are a byte-for-byte prefix of the later one's. Keys stand in
 * a fixed order. No unpaired surrogate gets out: servers refuse them.
 */
import type { Json } from "../../../lib/json.ts";
import { handoff } from "../../handoff.ts";
import type { AssistantMessage, ContentPart, Message, ToolCall, ToolResultMessage } from "../../message.ts";
import type { Model } from "../../model.ts";
import type { LlmRequest, Thinking } from "../../provider.ts";
import { clean, cleanJson, cleanName, NO_DOCUMENTS, NO_IMAGES, NO_OUTPUT } from "../shared/clean.ts";
import { limitImages } from "../shared/image_limit.ts";
import { levelOf, wordOf } from "../shared/thinking.ts";
import type { Quirks } from "./quirks.ts";

/** Keys that options may not replace: they are the request. */
const OWN_KEYS = new Set(["model", "messages", "tools", "stream"]);

/**
 * The body as JSON text. The text of each message and of the tools is kept
 * as long as they live, so that a long history costs nothing to send again.
 */
export function encode(request: LlmRequest, quirks: Quirks): string {
  const { model } = request;
  const rest: Json = {};
  if (request.tools.length > 0 && request.toolChoice === "none" && quirks.toolChoiceNone) {
    rest.tool_choice = "none";
  }
  rest.stream = true;
  if (quirks.usageOption) rest.stream_options = { include_usage: true };
  if (request.maxOutput !== undefined) rest[quirks.maxTokensField] = request.maxOutput;
  const level = levelOf(request);
  if (level !== undefined) Object.assign(rest, thinking(level, model, quirks));
  if (request.outputSchema !== undefined) {
    rest.response_format = {
      type: "json_schema",
      json_schema: { name: "answer", schema: request.outputSchema },
    };
  }
  if (quirks.cacheKey && request.cacheKey !== undefined) rest.prompt_cache_key = request.cacheKey;
  for (const [key, value] of Object.entries(model.options)) {
    if (OWN_KEYS.has(key)) continue;
    // null takes a field out, for servers that refuse one that is usually sent.
    if (value === null) delete rest[key];
    else rest[key] = value;
  }
  const seen = eyes(model, quirks) ? limitImages(request.messages, quirks.maxImages) : request.messages;
  const messages = handoff(seen, model, quirks.callIds);
  const tools = request.tools.length === 0 ? "" : `"tools":${toolsText(request.tools)},`;
  const others = JSON.stringify(rest).slice(1);
  const tail = others === "}" && tools !== "" ? `${tools.slice(0, -1)}}` : tools + others;
  return `{"model":${JSON.stringify(model.id)},"messages":[${messagesText(messages, model, quirks)}]${
    tail === "}" ? "" : ","
  }${tail}`;
}

const knownTools = new WeakMap<LlmRequest["tools"], string>();

function toolsText(tools: LlmRequest["tools"]): string {
  let text = knownTools.get(tools);
  if (text === undefined) {
    text = JSON.stringify(tools.map((tool) => ({
      type: "function",
      function: { name: tool.name, description: clean(tool.description), parameters: tool.schema },
    })));
    knownTools.set(tools, text);
  }
  return text;
}

function thinking(level: Thinking, model: Model, quirks: Quirks): Json {
  const word = wordOf(model, level) ?? quirks.levels[level] ?? (level === "off" ? "none" : level);
  const on = level !== "off";
  switch (quirks.thinkingForm) {
    case "none":
      return {};
    case "reasoning":
      return { reasoning: on ? { effort: word } : { enabled: false } };
    case "thinking":
      return { thinking: { type: on ? "enabled" : "disabled" }, ...(on ? { reasoning_effort: word } : {}) };
    case "template":
      return { chat_template_kwargs: { enable_thinking: on }, ...(on ? { reasoning_effort: word } : {}) };
    case "reasoning_effort":
      return { reasoning_effort: word };
  }
}

/** What each message is to each model of a server; messages, models and quirks never change. */
const knownMessages = new WeakMap<Quirks, WeakMap<Model, WeakMap<Message, string>>>();

function messagesText(messages: readonly Message[], model: Model, quirks: Quirks): string {
  const known = entryOf(entryOf(knownMessages, quirks), model);
  const texts: string[] = [];
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i];
    let text = known.get(message);
    if (text === undefined) {
      const encoded = encodeMessage(message, model, quirks);
      text = encoded === undefined ? "" : JSON.stringify(encoded);
      known.set(message, text);
    }
    if (quirks.answerBetween && message.role === "user" && SPOKEN.has(messages[i - 1]?.role ?? "")) {
      texts.push(GO_ON);
    }
    if (text !== "") texts.push(text);
    // Images of a run of results follow it in one user message: a tool message takes text only.
    const lastOfRun = message.role === "tool_result" && messages[i + 1]?.role !== "tool_result";
    if (!lastOfRun || !(eyes(model, quirks) || documents(model, quirks))) continue;
    for (const one of resultFiles(messages, i, model, quirks)) {
      if (quirks.answerBetween) texts.push(GO_ON);
      texts.push(JSON.stringify(one));
    }
  }
  return texts.join(",");
}

/** What a message of the user may not follow where roles alternate. */
const SPOKEN: ReadonlySet<string> = new Set(["user", "tool_result"]);

const GO_ON = JSON.stringify({ role: "assistant", content: "OK." });

function entryOf<K extends object, V extends object, W>(
  map: WeakMap<K, WeakMap<V & object, W>>,
  key: K,
): WeakMap<V, W> {
  let entry = map.get(key);
  if (entry === undefined) map.set(key, entry = new WeakMap());
  return entry;
}

/** Undefined: there is nothing to send of it. */
function encodeMessage(message: Message, model: Model, quirks: Quirks): Json | undefined {
  switch (message.role) {
    case "system":
      return { role: "system", content: clean(message.text) };
    case "user":
      return { role: "user", content: userContent(message.parts, model, quirks) };
    case "assistant":
      return assistant(message, quirks);
    case "tool_result":
      return toolResult(message, model, quirks);
  }
}

function assistant(message: AssistantMessage, quirks: Quirks): Json | undefined {
  let text = "";
  const calls: Json[] = [];
  for (const part of message.parts) {
    if (part.type === "text") text += part.text;
    else if (part.type === "tool_call") calls.push(toolCall(part, quirks));
  }
  // A message of thoughts alone, from an answer that was cut: servers refuse an empty one.
  if (text === "" && calls.length === 0) return undefined;
  const out: Json = { role: "assistant", content: text === "" ? quirks.noContent : clean(text) };
  addThoughts(out, message, quirks);
  if (calls.length > 0) {
    if (quirks.reasoningOnCalls !== undefined) out[quirks.reasoningOnCalls] ??= "";
    out.tool_calls = calls;
  }
  return out;
}

/** Thoughts go back in the field they came in; those of others are out already. Thoughts of <think> tags came in none. */
function addThoughts(out: Json, message: AssistantMessage, quirks: Quirks): void {
  for (const part of message.parts) {
    if (part.type !== "thinking") continue;
    const { field = quirks.tagsGoBackIn, opaque } = part;
    if (field !== undefined && part.text !== "") out[field] = clean(`${out[field] ?? ""}${part.text}`);
    if (Array.isArray(opaque)) out.reasoning_details = opaque;
  }
}

function toolCall(call: ToolCall, quirks: Quirks): Json {
  const extra = call.opaque ?? quirks.callExtra;
  return {
    id: call.id,
    type: "function",
    function: { name: cleanName(call.name), arguments: call.broken ? "{}" : cleanJson(call.arguments) },
    ...(extra === undefined ? {} : { extra_content: extra }),
  };
}

function eyes(model: Model, quirks: Quirks): boolean {
  return model.images && !quirks.noImages;
}

function documents(model: Model, quirks: Quirks): boolean {
  return model.documents === true && quirks.documents;
}

function toolResult(message: ToolResultMessage, model: Model, quirks: Quirks): Json {
  const content = message.parts.map((part) => {
    if (part.type === "text") return clean(part.text);
    if (part.type === "image") {
      return eyes(model, quirks) ? "(an image: it follows these results)" : NO_IMAGES;
    }
    return documents(model, quirks) ? "(a document: it follows these results)" : NO_DOCUMENTS;
  }).join("\n");
  return { role: "tool", tool_call_id: message.callId, content: content === "" ? NO_OUTPUT : content };
}

function resultFiles(messages: readonly Message[], last: number, model: Model, quirks: Quirks): Json[] {
  const content: Json[] = [];
  let first = last;
  while (messages[first - 1]?.role === "tool_result") first--;
  for (let i = first; i <= last; i++) {
    const message = messages[i];
    if (message.role !== "tool_result") continue;
    for (const part of message.parts) {
      if (part.type === "text" || !sees(part, model, quirks)) continue;
      const what = part.type === "image" ? "Image" : "Document";
      content.push({ type: "text", text: `${what} from ${message.name} (${message.callId}):` }, file(part));
    }
  }
  return content.length === 0 ? [] : [{ role: "user", content }];
}

type FilePart = Exclude<ContentPart, { type: "text" }>;

function sees(part: FilePart, model: Model, quirks: Quirks): boolean {
  return part.type === "image" ? eyes(model, quirks) : documents(model, quirks);
}

function userContent(parts: readonly ContentPart[], model: Model, quirks: Quirks): string | Json[] {
  const fitted = parts.map((part) => {
    if (part.type === "text" || sees(part, model, quirks)) return part;
    return { type: "text" as const, text: part.type === "image" ? NO_IMAGES : NO_DOCUMENTS };
  });
  if (fitted.every((part) => part.type === "text")) {
    return fitted.map((part) => part.type === "text" ? clean(part.text) : "").join("\n");
  }
  return fitted.map((part) => part.type === "text" ? { type: "text", text: clean(part.text) } : file(part));
}

function file(part: FilePart): Json {
  const url = `data:${part.mediaType};base64,${part.data}`;
  if (part.type === "image") return { type: "image_url", image_url: { url } };
  return { type: "file", file: { filename: part.name ?? "document.pdf", file_data: url } };
}
