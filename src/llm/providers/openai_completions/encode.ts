/**
 * A request into the body of a chat-completions POST. Pure: the same request
 * gives the same bytes, and since a message's encoding depends on nothing but
 * itself and the model, the messages of an earlier request of a run are a
 * byte-for-byte prefix of the later one's. Keys stand in a fixed order. No
 * unpaired surrogate gets out: servers refuse them.
 */
import type { AssistantMessage, ContentPart, Message, ToolCall, ToolResultMessage } from "../../message.ts";
import { type Model, modelName } from "../../model.ts";
import type { LlmRequest, Thinking } from "../../provider.ts";
import type { Quirks } from "./quirks.ts";

type Json = Record<string, unknown>;

/** Keys that options may not replace: they are the request. */
const OWN_KEYS = new Set(["model", "messages", "tools", "stream"]);

/**
 * The body as JSON text. The text of each message and of the tools is kept
 * as long as they live, so that a long history costs nothing to send again.
 */
export function encode(request: LlmRequest, quirks: Quirks): string {
  const { model } = request;
  const rest: Json = {};
  if (request.tools.length > 0 && request.toolChoice === "none") rest.tool_choice = "none";
  rest.stream = true;
  if (quirks.usageOption) rest.stream_options = { include_usage: true };
  if (request.maxOutput !== undefined) rest[quirks.maxTokensField] = request.maxOutput;
  if (request.thinking !== undefined && model.reasoning) {
    Object.assign(rest, thinking(request.thinking, quirks));
  }
  if (request.outputSchema !== undefined) {
    rest.response_format = {
      type: "json_schema",
      json_schema: { name: "answer", schema: request.outputSchema },
    };
  }
  for (const [key, value] of Object.entries(model.options)) {
    if (OWN_KEYS.has(key)) continue;
    // null takes a field out, for servers that refuse one that is usually sent.
    if (value === null) delete rest[key];
    else rest[key] = value;
  }
  const tools = request.tools.length === 0 ? "" : `"tools":${toolsText(request.tools)},`;
  const others = JSON.stringify(rest).slice(1);
  const tail = others === "}" && tools !== "" ? `${tools.slice(0, -1)}}` : tools + others;
  return `{"model":${JSON.stringify(model.id)},"messages":[${messagesText(request.messages, model)}]${
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

function thinking(level: Thinking, quirks: Quirks): Json {
  if (quirks.thinkingForm === "reasoning") {
    return { reasoning: level === "off" ? { enabled: false } : { effort: level } };
  }
  return { reasoning_effort: level === "off" ? "none" : level };
}

/** What each message is to each model; messages and models never change. */
const knownMessages = new WeakMap<Model, WeakMap<Message, string>>();

function messagesText(messages: readonly Message[], model: Model): string {
  let known = knownMessages.get(model);
  if (known === undefined) knownMessages.set(model, known = new WeakMap());
  const texts: string[] = [];
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i];
    let text = known.get(message);
    if (text === undefined) {
      const encoded = encodeMessage(message, model);
      text = encoded === undefined ? "" : JSON.stringify(encoded);
      known.set(message, text);
    }
    if (text !== "") texts.push(text);
    // Images of a run of results follow it in one user message: a tool message takes text only.
    const lastOfRun = message.role === "tool_result" && messages[i + 1]?.role !== "tool_result";
    if (lastOfRun && model.images) texts.push(...resultImages(messages, i).map((one) => JSON.stringify(one)));
  }
  return texts.join(",");
}

/** Undefined: there is nothing to send of it. */
function encodeMessage(message: Message, model: Model): Json | undefined {
  switch (message.role) {
    case "system":
      return { role: "system", content: clean(message.text) };
    case "user":
      return { role: "user", content: userContent(message.parts, model) };
    case "assistant":
      return assistant(message, model);
    case "tool_result":
      return toolResult(message, model);
  }
}

function assistant(message: AssistantMessage, model: Model): Json | undefined {
  let text = "";
  const calls: Json[] = [];
  for (const part of message.parts) {
    if (part.type === "text") text += part.text;
    else if (part.type === "tool_call") calls.push(toolCall(part));
  }
  // A message of thoughts alone, from an answer that was cut: servers refuse an empty one.
  if (text === "" && calls.length === 0) return undefined;
  const out: Json = { role: "assistant", content: text === "" ? null : clean(text) };
  if (message.model === modelName(model)) addThoughts(out, message);
  if (calls.length > 0) out.tool_calls = calls;
  return out;
}

/** Thoughts go back in the field they came in, to the model that had them. Thoughts of <think> tags came in none. */
function addThoughts(out: Json, message: AssistantMessage): void {
  for (const part of message.parts) {
    if (part.type !== "thinking") continue;
    const { field, opaque } = part;
    if (field !== undefined && part.text !== "") out[field] = clean(`${out[field] ?? ""}${part.text}`);
    if (Array.isArray(opaque)) out.reasoning_details = opaque;
  }
}

function toolCall(call: ToolCall): Json {
  return {
    id: call.id,
    type: "function",
    function: { name: cleanName(call.name), arguments: call.broken ? "{}" : cleanJson(call.arguments) },
  };
}

/** Names that a model made up may hold anything; servers take letters, digits, "_" and "-". */
function cleanName(name: string): string {
  return /^[\w-]{1,64}$/.test(name) ? name : name.replace(/[^\w-]/g, "_").slice(0, 64) || "unnamed";
}

function toolResult(message: ToolResultMessage, model: Model): Json {
  const content = message.parts
    .map((part) => part.type === "text" ? clean(part.text) : model.images ? IMAGE_FOLLOWS : NO_IMAGES)
    .join("\n");
  return { role: "tool", tool_call_id: message.callId, content: content === "" ? "(no output)" : content };
}

function resultImages(messages: readonly Message[], last: number): Json[] {
  const content: Json[] = [];
  let first = last;
  while (messages[first - 1]?.role === "tool_result") first--;
  for (let i = first; i <= last; i++) {
    const message = messages[i];
    if (message.role !== "tool_result") continue;
    for (const part of message.parts) {
      if (part.type !== "image") continue;
      content.push({ type: "text", text: `Image from ${message.name} (${message.callId}):` }, image(part));
    }
  }
  return content.length === 0 ? [] : [{ role: "user", content }];
}

const IMAGE_FOLLOWS = "(an image: it follows these results)";
const NO_IMAGES = "(an image, left out: this model takes none)";

function userContent(parts: readonly ContentPart[], model: Model): string | Json[] {
  if (!model.images || parts.every((part) => part.type === "text")) {
    return parts.map((part) => part.type === "text" ? clean(part.text) : NO_IMAGES).join("\n");
  }
  return parts.map((part) => part.type === "text" ? { type: "text", text: clean(part.text) } : image(part));
}

function image(part: Extract<ContentPart, { type: "image" }>): Json {
  return { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.data}` } };
}

/** Unpaired surrogates become U+FFFD. */
function clean(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

/** JSON text without unpaired surrogates, raw or escaped. */
function cleanJson(text: string): string {
  const whole = clean(text);
  if (!ESCAPED_SURROGATE.test(whole)) return whole;
  try {
    return JSON.stringify(JSON.parse(whole, (_, value) => typeof value === "string" ? clean(value) : value));
  } catch {
    // No JSON after all, and not marked so: never sent on.
    return "{}";
  }
}
