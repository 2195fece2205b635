/**
 * A request into the body of a Messages POST. Pure: the same request gives the
 * same bytes, and apart from the cache marks the messages of an earlier
 * request of a run are a byte-for-byte prefix of the later one's. The body
 * ends with the messages, so that it only grows at its end.
 *
 * Cache marks stand on the tools, on the system prompt, and on the last two
 * messages of the user's side: the last one writes, the one before it is where
 * the previous request wrote and this one reads.
 */
import type { Json } from "../../../lib/json.ts";
import { handoff } from "../../handoff.ts";
import type {
  AssistantMessage,
  ContentPart,
  Message,
  ThinkingPart,
  ToolCall,
  ToolResultMessage,
} from "../../message.ts";
import type { Model } from "../../model.ts";
import type { LlmRequest, Thinking } from "../../provider.ts";
import { clean, cleanJson, cleanName, NO_DOCUMENTS, NO_IMAGES, NO_OUTPUT } from "../shared/clean.ts";
import { limitImages } from "../shared/image_limit.ts";
import { levelOf, wordOf } from "../shared/thinking.ts";

/** Keys that options may not replace: they are the request. */
const OWN_KEYS = new Set(["model", "messages", "system", "tools", "stream"]);

/** Tokens for an answer of a model of which nothing is known; the protocol wants a number. */
const DEFAULT_MAX_OUTPUT = 16_384;
/** Tokens to think, where a level is a number. */
const BUDGETS: Readonly<Record<Exclude<Thinking, "off">, number>> = {
  low: 4_096,
  medium: 12_288,
  high: 32_768,
};
/** What is left for the answer beside the thinking. */
const MIN_ANSWER = 1_024;

const MARK = '"cache_control":{"type":"ephemeral"}';
const IDS = { pattern: /^[\w-]{1,64}$/, length: 24 };

/** Images of one request that the protocol's own server takes. */
const MAX_IMAGES = 100;

/** The body as JSON text. */
export function encode(request: LlmRequest, maxImages: number = MAX_IMAGES): string {
  const { model } = request;
  const seen = model.images ? limitImages(request.messages, maxImages) : request.messages;
  const all = handoff(seen, model, IDS);
  let first = 0;
  while (all[first]?.role === "system") first++;
  const system = all.slice(0, first).map((message) => message.role === "system" ? clean(message.text) : "");
  const head = rest(request, all);
  const tools = request.tools.length === 0 ? "" : `,"tools":[${toolsText(request.tools)}]`;
  return `{"model":${JSON.stringify(model.id)},${JSON.stringify(head).slice(1, -1)}${tools}${
    systemText(system.join("\n\n"))
  },"messages":[${messagesText(all, first, model)}]}`;
}

/** How this request lets the model think; undefined: nothing is said. */
export function thinkingOf(
  request: LlmRequest,
  messages: readonly Message[] = request.messages,
): Json | undefined {
  const { model } = request;
  const thinking = levelOf(request);
  if (thinking === undefined) return undefined;
  if (thinking === "off") return { thinking: { type: "disabled" } };
  if (model.thinkingForm === "adaptive") {
    const effort = wordOf(model, thinking) ?? thinking;
    return { thinking: { type: "adaptive" }, output_config: { effort } };
  }
  // A turn whose calls were another model's must begin with a thought, which there is none of.
  if (callsWithoutThoughts(messages)) return undefined;
  const room = maxOutput(request) - MIN_ANSWER;
  return room < 1_024
    ? undefined
    : { thinking: { type: "enabled", budget_tokens: Math.min(BUDGETS[thinking], room) } };
}

/** What may come out: what was asked for is the answer's, and thinking has its own beside it. */
function maxOutput(request: LlmRequest): number {
  const most = request.model.maxOutput ?? DEFAULT_MAX_OUTPUT;
  if (request.maxOutput === undefined) return most;
  const level = levelOf(request);
  return Math.min(request.maxOutput + (level === undefined || level === "off" ? 0 : BUDGETS[level]), most);
}

/**
 * Everything but model, tools, system and messages. Calls are never forbidden
 * by `tool_choice`: the server's cache of the messages would be lost for it,
 * and keeping that is what a request with "none" is for.
 */
function rest(request: LlmRequest, messages: readonly Message[]): Json {
  const { model } = request;
  const own: Json = { max_tokens: maxOutput(request), stream: true };
  Object.assign(own, thinkingOf(request, messages));
  if (request.outputSchema !== undefined) {
    const format = { type: "json_schema", schema: request.outputSchema };
    own.output_config = { ...(own.output_config as Json | undefined), format };
  }
  for (const [key, value] of Object.entries(model.options)) {
    if (OWN_KEYS.has(key)) continue;
    // null takes a field out, for servers that refuse one that is usually sent.
    if (value === null) delete own[key];
    else own[key] = value;
  }
  return own;
}

/** True where the latest answer of a turn that is still under way has calls and no thought. */
function callsWithoutThoughts(messages: readonly Message[]): boolean {
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i];
    if (message.role === "user") return false;
    if (message.role !== "assistant") continue;
    if (message.parts[0]?.type !== "thinking") return message.parts.some((part) => part.type === "tool_call");
  }
  return false;
}

const knownTools = new WeakMap<LlmRequest["tools"], string>();

function toolsText(tools: LlmRequest["tools"]): string {
  let text = knownTools.get(tools);
  if (text === undefined) {
    const texts = tools.map((tool) =>
      JSON.stringify({ name: tool.name, description: clean(tool.description), input_schema: tool.schema })
    );
    texts.push(marked(texts.pop() ?? "{}"));
    text = texts.join(",");
    knownTools.set(tools, text);
  }
  return text;
}

function systemText(text: string): string {
  if (text.trim() === "") return "";
  return `,"system":[${marked(JSON.stringify({ type: "text", text }))}]`;
}

/** The text of an object with a cache mark at its end. */
function marked(object: string): string {
  return `${object.slice(0, -1)},${MARK}}`;
}

/** A message of the wire: its blocks, each as text. */
interface Wire {
  readonly role: "user" | "assistant";
  readonly blocks: readonly string[];
}

function messagesText(messages: readonly Message[], first: number, model: Model): string {
  const wires: Wire[] = [];
  for (let i = first; i < messages.length;) {
    if (messages[i].role !== "tool_result") {
      const wire = encodeMessage(messages[i++], model);
      const before = wires.at(-1);
      // Roles must alternate for some servers of this protocol; the blocks are the same either way.
      if (before?.role === "user" && wire.role === "user") {
        wires[wires.length - 1] = { role: "user", blocks: [...before.blocks, ...wire.blocks] };
      } else if (wire.blocks.length > 0) wires.push(wire);
      continue;
    }
    // All results of an answer belong into the one message after it.
    const blocks: string[] = [];
    for (; messages[i]?.role === "tool_result"; i++) blocks.push(...encodeMessage(messages[i], model).blocks);
    wires.push({ role: "user", blocks });
  }
  const users = lastUsers(wires);
  return wires.map(({ role, blocks }, index) => {
    const content = blocks.length === 1 ? blocks[0] : blocks.join(",");
    // The mark goes into the last block, whose closing brace is the last character.
    return `{"role":"${role}","content":[${users.includes(index) ? marked(content) : content}]}`;
  }).join(",");
}

/** The places of the last two messages of the user's side. */
function lastUsers(wires: readonly Wire[]): number[] {
  const places: number[] = [];
  for (let i = wires.length - 1; i >= 0 && places.length < 2; i--) {
    if (wires[i].role === "user") places.push(i);
  }
  return places;
}

/** What each message is to each model; messages and models never change. */
const known = new WeakMap<Model, WeakMap<Message, Wire>>();

function encodeMessage(message: Message, model: Model): Wire {
  let wires = known.get(model);
  if (wires === undefined) known.set(model, wires = new WeakMap());
  let wire = wires.get(message);
  if (wire === undefined) wires.set(message, wire = wireOf(message, model));
  return wire;
}

function wireOf(message: Message, model: Model): Wire {
  switch (message.role) {
    case "system":
      // One that comes later: the protocol has no place for it but the user's.
      return { role: "user", blocks: [text(message.text)].flat() };
    case "user":
      return { role: "user", blocks: content(message.parts, model) };
    case "assistant":
      return { role: "assistant", blocks: answer(message) };
    case "tool_result":
      return { role: "user", blocks: [toolResult(message, model)] };
  }
}

/** Empty text blocks are refused. */
function text(own: string): string[] {
  return /\S/.test(own) ? [`{"type":"text","text":${JSON.stringify(clean(own))}}`] : [];
}

function content(parts: readonly ContentPart[], model: Model): string[] {
  return parts.flatMap((part) => {
    if (part.type === "text") return text(part.text);
    if (part.type === "image") return model.images ? [image(part)] : text(NO_IMAGES);
    return model.documents ? [document(part)] : text(NO_DOCUMENTS);
  });
}

function image({ mediaType, data }: Extract<ContentPart, { type: "image" }>): string {
  return JSON.stringify({ type: "image", source: { type: "base64", media_type: mediaType, data } });
}

function document({ mediaType, data, name }: Extract<ContentPart, { type: "document" }>): string {
  return JSON.stringify({
    type: "document",
    source: { type: "base64", media_type: mediaType, data },
    ...(name === undefined ? {} : { title: clean(name) }),
  });
}

function answer(message: AssistantMessage): string[] {
  const blocks = message.parts.flatMap((part) => {
    if (part.type === "text") return text(part.text);
    return part.type === "thinking" ? thought(part) : [toolUse(part)];
  });
  // Thoughts alone, from an answer that was cut, are refused.
  return message.parts.every((part) => part.type === "thinking") ? [] : blocks;
}

/** Thoughts go back with the signature that proves them; without one they would be refused. */
function thought({ text, signature, opaque }: ThinkingPart): string[] {
  if (typeof opaque === "string") return [JSON.stringify({ type: "redacted_thinking", data: opaque })];
  if (signature === undefined) return [];
  return [JSON.stringify({ type: "thinking", thinking: text, signature })];
}

function toolUse(call: ToolCall): string {
  const input = call.broken ? "{}" : cleanJson(call.arguments);
  return `{"type":"tool_use","id":${JSON.stringify(call.id)},"name":${
    JSON.stringify(cleanName(call.name))
  },"input":${input}}`;
}

function toolResult(message: ToolResultMessage, model: Model): string {
  const blocks = content(message.parts, model);
  const inner = blocks.length === 0 ? text(NO_OUTPUT) : blocks;
  // An error may hold nothing but text.
  const error = message.isError && message.parts.every((part) => part.type === "text")
    ? ',"is_error":true'
    : "";
  return `{"type":"tool_result","tool_use_id":${JSON.stringify(message.callId)},"content":[${
    inner.join(",")
  }]${error}}`;
}
