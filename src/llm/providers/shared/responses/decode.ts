/**
 * Events of the Responses protocol into stream events: a reducer without input
 * or output. An answer is a list of items, which are added, grow, and are done
 * by their index in the output; items that only show up in the last event are
 * taken from there. An item that is done while the response is not is half of
 * an answer: nothing of it runs.
 */
import type { ServerEvent } from "../../../../lib/sse.ts";
import type { LlmError } from "../../../errors.ts";
import type { StreamEvent } from "../../../event.ts";
import type { OpenCall, OpenText, OpenThinking } from "../../../fold.ts";
import { Answer, type AnswerDecoder, type AnswerOptions } from "../answer.ts";
import { isRecord, type Json } from "../json.ts";
import { readUsage } from "./usage.ts";

type Item =
  | { readonly kind: "text"; readonly part: OpenText }
  | { readonly kind: "thinking"; readonly part: OpenThinking }
  | { readonly kind: "call"; readonly call: OpenCall; readonly index: number }
  | { readonly kind: "other" };

export class ResponsesDecoder implements AnswerDecoder {
  readonly #answer: Answer;
  readonly #items = new Map<number, Item>();
  readonly #places = new Map<string, number>();
  #latest = -1;

  constructor(options: AnswerOptions) {
    this.#answer = new Answer(options);
  }

  get finished(): boolean {
    return this.#answer.finish !== undefined;
  }

  get complete(): boolean {
    return this.#answer.complete;
  }

  push(event: ServerEvent): StreamEvent[] {
    if (this.complete || event.data === "" || event.data.trim() === "[DONE]") return [];
    const data = this.#answer.parse(event.data, event);
    if (isRecord(data)) this.#event(data, event);
    return this.#answer.take();
  }

  pushWhole(text: string): StreamEvent[] {
    const response = this.#answer.parse(text, { data: text });
    if (isRecord(response)) {
      if (isRecord(response.error) || response.object === "error") this.#answer.failWith(response);
      else if (Array.isArray(response.output)) this.#ended(response);
    }
    this.#answer.requireContent("response", text);
    if (!this.#answer.failed) this.#answer.finish ??= "stop";
    this.#answer.complete = true;
    return this.#answer.take();
  }

  end(cause?: LlmError): Promise<StreamEvent[]> {
    return this.#answer.end(cause);
  }

  #event(data: Json, event: ServerEvent): void {
    const type = typeof data.type === "string" ? data.type : event.event ?? "";
    switch (type) {
      case "response.output_item.added":
        return this.#added(data);
      case "response.output_item.done":
        return this.#itemDone(data);
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.#text(this.#itemOf(data, "message"), data.delta);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#think(this.#itemOf(data, "reasoning"), data.delta);
      case "response.reasoning_summary_part.added":
        return this.#nextThought(this.#itemOf(data, "reasoning"));
      case "response.function_call_arguments.delta":
        return this.#arguments(this.#itemOf(data, "function_call"), data.delta);
      case "response.completed":
      case "response.done":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
        if (isRecord(data.response)) this.#ended(data.response, type.slice("response.".length));
        return;
      case "error":
        return this.#answer.failWith(isRecord(data.error) ? data.error : data);
      default:
        // Parts that begin and end, and what a later version adds.
        if (isRecord(data.error) && !type.startsWith("response.")) this.#answer.failWith(data);
    }
  }

  /** The place of an item: by its index, else by its id, else the latest. */
  #place(data: Json): number {
    if (typeof data.output_index === "number") return data.output_index;
    const id = isRecord(data.item) ? data.item.id : data.item_id;
    const known = typeof id === "string" ? this.#places.get(id) : undefined;
    return known ?? this.#latest;
  }

  #itemOf(data: Json, type: string): Item {
    const place = this.#place(data);
    return this.#items.get(place) ?? this.#open(place < 0 ? 0 : place, { type });
  }

  #added(data: Json): void {
    if (!isRecord(data.item)) return;
    const place = typeof data.output_index === "number" ? data.output_index : this.#latest + 1;
    if (!this.#items.has(place)) this.#open(place, data.item);
  }

  #open(place: number, raw: Json): Item {
    const item = this.#made(raw);
    this.#items.set(place, item);
    this.#latest = place;
    if (typeof raw.id === "string") this.#places.set(raw.id, place);
    return item;
  }

  #made(raw: Json): Item {
    switch (raw.type) {
      case "message":
        return { kind: "text", part: this.#answer.draft.openText() };
      case "reasoning":
        return { kind: "thinking", part: this.#answer.draft.openThinking() };
      case "function_call": {
        const id = typeof raw.call_id === "string" ? raw.call_id : typeof raw.id === "string" ? raw.id : "";
        const name = typeof raw.name === "string" ? raw.name.trim() : "";
        return { kind: "call", ...this.#answer.openCall(id, name) };
      }
      default:
        // Tools that the server runs itself: nothing of ours.
        return { kind: "other" };
    }
  }

  #text(item: Item, text: unknown): void {
    if (item.kind !== "text" || typeof text !== "string" || text === "") return;
    item.part.text += text;
    this.#answer.emit({ type: "text_delta", text });
  }

  #think(item: Item, text: unknown): void {
    if (item.kind !== "thinking" || typeof text !== "string" || text === "") return;
    item.part.text += text;
    this.#answer.emit({ type: "thinking_delta", text });
  }

  /** Summaries come in parts, which are paragraphs. */
  #nextThought(item: Item): void {
    if (item.kind === "thinking" && item.part.text !== "") this.#think(item, "\n\n");
  }

  #arguments(item: Item, text: unknown): void {
    if (item.kind === "call" && typeof text === "string") {
      this.#answer.addArguments(item.call, item.index, text);
    }
  }

  /** What is done is told once more as a whole: it fills what did not stream, and brings the ids. */
  #itemDone(data: Json): void {
    if (!isRecord(data.item)) return;
    const place = this.#place(data);
    const item = this.#items.get(place) ?? this.#open(place < 0 ? 0 : place, data.item);
    this.#fill(item, data.item);
  }

  #fill(item: Item, raw: Json): void {
    switch (item.kind) {
      case "text":
        if (item.part.text === "") this.#text(item, contentText(raw.content, ["text", "refusal"]));
        item.part.opaque = identity(raw, ["id", "phase"]);
        return;
      case "thinking":
        if (item.part.text === "") {
          const summary = contentText(raw.summary, ["text"], "\n\n");
          this.#think(item, summary === "" ? contentText(raw.content, ["text"]) : summary);
        }
        item.part.opaque = reasoningItem(raw);
        return;
      case "call":
        if (typeof raw.arguments === "string" && item.call.arguments.trim() === "") {
          this.#answer.addArguments(item.call, item.index, raw.arguments);
        }
        item.call.opaque = identity(raw, ["id"]);
    }
  }

  #ended(
    response: Json,
    how: string = typeof response.status === "string" ? response.status : "completed",
  ): void {
    const answer = this.#answer;
    answer.complete = true;
    if (how === "failed" || how === "cancelled") {
      return answer.failWith(
        isRecord(response.error) ? response.error : { message: `the response was ${how}` },
      );
    }
    if (Array.isArray(response.output)) {
      response.output.forEach((raw, place) => {
        if (isRecord(raw) && !this.#items.has(place)) this.#fill(this.#open(place, raw), raw);
      });
    }
    answer.setUsage(readUsage(response.usage));
    if (how !== "incomplete") {
      answer.finish ??= "stop";
      return;
    }
    const reason = isRecord(response.incomplete_details) ? response.incomplete_details.reason : undefined;
    answer.finish ??= reason === "content_filter" ? "filter" : "length";
  }
}

function contentText(parts: unknown, keys: readonly string[], between = ""): string {
  if (!Array.isArray(parts)) return "";
  return parts.map((part) => {
    const key = isRecord(part) ? keys.find((name) => typeof part[name] === "string") : undefined;
    return key === undefined ? "" : String(part[key]);
  }).join(between);
}

/** What names an item to the server; undefined where nothing does. */
function identity(raw: Json, keys: readonly string[]): Json | undefined {
  const own = keys.filter((key) => typeof raw[key] === "string");
  return own.length === 0 ? undefined : Object.fromEntries(own.map((key) => [key, raw[key]]));
}

/** A reasoning item as it goes back: without what the server alone may say. */
function reasoningItem(raw: Json): Json | undefined {
  if (typeof raw.encrypted_content !== "string") return undefined;
  const { status: _, content, ...item } = raw;
  return Array.isArray(content) && content.length > 0
    ? { ...item, content, summary: raw.summary ?? [] }
    : { ...item, summary: raw.summary ?? [] };
}
