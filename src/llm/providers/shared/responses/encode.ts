/**
 * A request into the body of a Responses POST, without state on the server:
 * `store: false`, so that everything goes along each time, encrypted reasoning
 * included. Pure; items of an earlier request of a run are a byte-for-byte
 * prefix of the later one's, and the body ends with them.
 *
 * Shared by all transports of this protocol; what differs is in `ResponsesForm`.
 */
import { isRecord, type Json } from "../../../../lib/json.ts";
import { handoff } from "../../../handoff.ts";
import type {
  AssistantMessage,
  ContentPart,
  Message,
  ToolCall,
  ToolResultMessage,
} from "../../../message.ts";
import type { Model } from "../../../model.ts";
import type { LlmRequest, Thinking } from "../../../provider.ts";
import { clean, cleanJson, cleanName, NO_DOCUMENTS, NO_IMAGES, NO_OUTPUT } from "../clean.ts";
import { limitImages } from "../image_limit.ts";
import { levelOf, wordOf } from "../thinking.ts";

/** How a transport of the protocol wants what others want elsewhere. */
export interface ResponsesForm {
  /** Where the system prompt goes: into a field of its own, or as the first item. */
  readonly system: "instructions" | "item";
  readonly maxOutput: boolean;
  /** Summaries of the reasoning are asked for. */
  readonly summaries: boolean;
  /** A thinking level may be said. */
  readonly effort: boolean;
  readonly cacheKey: boolean;
  /** Documents may be sent. */
  readonly documents: boolean;
  /** How many images a request may hold; absent: as many as there are. */
  readonly maxImages?: number;
}

const OWN_KEYS = new Set(["model", "input", "tools", "stream", "store"]);

/** The body as JSON text. */
export function encode(request: LlmRequest, form: ResponsesForm): string {
  const { model } = request;
  const seen = model.images ? limitImages(request.messages, form.maxImages) : request.messages;
  let messages = handoff(seen, model, IDS);
  const head: Json = {};
  if (form.system === "instructions") {
    let first = 0;
    while (messages[first]?.role === "system") first++;
    const texts = messages.slice(0, first).map((one) => one.role === "system" ? clean(one.text) : "");
    head.instructions = texts.join("\n\n") || "You are a helpful assistant.";
    messages = messages.slice(first);
  }
  Object.assign(head, rest(request, form));
  const tools = request.tools.length === 0 ? "" : `,"tools":${toolsText(request.tools)}`;
  return `{"model":${JSON.stringify(model.id)},${JSON.stringify(head).slice(1, -1)}${tools},"input":[${
    inputText(messages, model, form)
  }]}`;
}

const IDS = { pattern: /^[\w-]{1,64}$/, length: 24 };

function rest(request: LlmRequest, form: ResponsesForm): Json {
  const { model } = request;
  const own: Json = { store: false, stream: true };
  if (request.tools.length > 0) {
    own.tool_choice = request.toolChoice ?? "auto";
    own.parallel_tool_calls = true;
  }
  if (form.maxOutput && request.maxOutput !== undefined) own.max_output_tokens = request.maxOutput;
  if (model.reasoning) {
    own.include = ["reasoning.encrypted_content"];
    const reasoning: Json = {};
    const level = levelOf(request);
    if (form.effort && level !== undefined) reasoning.effort = effort(level, model);
    if (form.summaries) reasoning.summary = "auto";
    if (Object.keys(reasoning).length > 0) own.reasoning = reasoning;
  }
  if (request.outputSchema !== undefined) {
    own.text = {
      format: { type: "json_schema", name: "answer", schema: request.outputSchema, strict: false },
    };
  }
  if (form.cacheKey && request.cacheKey !== undefined) own.prompt_cache_key = request.cacheKey;
  for (const [key, value] of Object.entries(model.options)) {
    if (OWN_KEYS.has(key)) continue;
    // null takes a field out, for servers that refuse one that is usually sent.
    if (value === null) delete own[key];
    else own[key] = value;
  }
  return own;
}

function effort(level: Thinking, model: Model): string {
  return wordOf(model, level) ?? (level === "off" ? "none" : level);
}

const knownTools = new WeakMap<LlmRequest["tools"], string>();

function toolsText(tools: LlmRequest["tools"]): string {
  let text = knownTools.get(tools);
  if (text === undefined) {
    text = JSON.stringify(tools.map(({ name, description, schema }) => ({
      type: "function",
      name,
      description: clean(description),
      parameters: schema,
      strict: false,
    })));
    knownTools.set(tools, text);
  }
  return text;
}

/** What each message is to each model, as text of its items; messages, models and forms never change. */
const known = new WeakMap<ResponsesForm, WeakMap<Model, WeakMap<Message, string>>>();

function inputText(messages: readonly Message[], model: Model, form: ResponsesForm): string {
  let byModel = known.get(form);
  if (byModel === undefined) known.set(form, byModel = new WeakMap());
  let texts = byModel.get(model);
  if (texts === undefined) byModel.set(model, texts = new WeakMap());
  const all: string[] = [];
  for (const message of messages) {
    let text = texts.get(message);
    if (text === undefined) {
      text = itemsOf(message, model, form).map((item) => JSON.stringify(item)).join(",");
      texts.set(message, text);
    }
    if (text !== "") all.push(text);
  }
  return all.join(",");
}

function itemsOf(message: Message, model: Model, form: ResponsesForm): Json[] {
  switch (message.role) {
    case "system":
      return [{
        type: "message",
        role: "system",
        content: [{ type: "input_text", text: clean(message.text) }],
      }];
    case "user":
      return [{ type: "message", role: "user", content: content(message.parts, model, form) }];
    case "assistant":
      return answer(message);
    case "tool_result":
      return [toolResult(message, model, form)];
  }
}

function content(parts: readonly ContentPart[], model: Model, form: ResponsesForm): Json[] {
  return parts.map((part) => {
    if (part.type === "text") return { type: "input_text", text: clean(part.text) };
    const url = `data:${part.mediaType};base64,${part.data}`;
    if (part.type === "image") {
      return model.images
        ? { type: "input_image", detail: "auto", image_url: url }
        : { type: "input_text", text: NO_IMAGES };
    }
    return model.documents && form.documents
      ? { type: "input_file", filename: part.name ?? "document.pdf", file_data: url }
      : { type: "input_text", text: NO_DOCUMENTS };
  });
}

/**
 * The items of an answer. Reasoning goes back only where it is encrypted: of
 * anything else a server without memory knows nothing. Ids go back only along
 * with the reasoning that belongs to them.
 */
function answer(message: AssistantMessage): Json[] {
  // Thoughts alone, from an answer that was cut, are refused.
  if (message.parts.every((part) => part.type === "thinking")) return [];
  const items: Json[] = [];
  const lost = message.parts.some((part) => part.type === "thinking" && !isWhole(part.opaque));
  for (const part of message.parts) {
    if (part.type === "thinking") {
      if (isWhole(part.opaque)) items.push(part.opaque);
      continue;
    }
    const own = !lost && isRecord(part.opaque) ? part.opaque : {};
    items.push(part.type === "text" ? textItem(part.text, own) : callItem(part, own));
  }
  return items;
}

function isWhole(opaque: unknown): opaque is Json {
  return isRecord(opaque) && typeof opaque.encrypted_content === "string";
}

function textItem(text: string, own: Json): Json {
  return {
    type: "message",
    role: "assistant",
    ...own,
    status: "completed",
    content: [{ type: "output_text", text: clean(text), annotations: [] }],
  };
}

function callItem(call: ToolCall, own: Json): Json {
  return {
    type: "function_call",
    ...own,
    call_id: call.id,
    name: cleanName(call.name),
    arguments: call.broken ? "{}" : cleanJson(call.arguments),
  };
}

function toolResult(message: ToolResultMessage, model: Model, form: ResponsesForm): Json {
  const texts = message.parts.every((part) => part.type === "text");
  const text = message.parts.map((part) => part.type === "text" ? clean(part.text) : "").join("\n");
  return {
    type: "function_call_output",
    call_id: message.callId,
    output: texts ? text || NO_OUTPUT : content(message.parts, model, form),
  };
}
