/**
 * Events of the Responses protocol into stream events: a reducer without input
 * or output. An answer is a list of items, which are added, grow, and are done
 * by their index in the output; items that only show up in the last event are
 * taken from there. An item that is done while the response is not is half of
 * an answer: nothing of it runs.
 */
import { isRecord, type Json } from "../../../../lib/json.ts";
import type { ServerEvent } from "../../../../lib/sse.ts";
import type { OpenCall, OpenText, OpenThinking } from "../../../fold.ts";
import { JsonEventDecoder } from "../decoder.ts";
import { argumentsText } from "../json.ts";
import { readUsage } from "./usage.ts";

type Item =
  | { readonly kind: "text"; readonly part: OpenText; streamed: boolean }
  | { readonly kind: "thinking"; readonly part: OpenThinking }
  | { readonly kind: "call"; readonly call: OpenCall; readonly index: number }
  | { readonly kind: "other" };

/** Reads the events of OpenAI's Responses API, of all transports alike. */
export class ResponsesDecoder extends JsonEventDecoder {
  protected readonly whole = "response";
  readonly #items = new Map<number, Item>();
  readonly #places = new Map<string, number>();
  #latest = -1;

  protected onWhole(response: Json): void {
    if (isRecord(response.error) || response.object === "error") this.answer.failWith(response);
    else if (Array.isArray(response.output)) this.#ended(response);
  }

  protected onEvent(data: Json, event: ServerEvent): void {
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
      case "response.function_call_arguments.done":
        return this.#fillArguments(this.#itemOf(data, "function_call"), data.arguments);
      case "response.completed":
      case "response.done":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
        return this.#ended(isRecord(data.response) ? data.response : {}, type.slice("response.".length));
      case "error":
        return this.answer.failWith(isRecord(data.error) ? data.error : data);
      default:
        // Parts that begin and end, and what a later version adds.
        if (isRecord(data.error) && !type.startsWith("response.")) this.answer.failWith(data);
    }
  }

  /** The place of an item: by its id, else by its index, else the latest. Some servers give all the same index. */
  #place(data: Json): number {
    const id = isRecord(data.item) ? data.item.id : data.item_id;
    const known = typeof id === "string" ? this.#places.get(id) : undefined;
    if (known !== undefined) return known;
    return typeof data.output_index === "number" ? data.output_index : this.#latest;
  }

  #itemOf(data: Json, type: string): Item {
    const place = this.#place(data);
    return this.#items.get(place) ?? this.#open(place < 0 ? 0 : place, { type });
  }

  #added(data: Json): void {
    if (!isRecord(data.item)) return;
    const { id } = data.item;
    if (typeof id === "string" && this.#places.has(id)) return;
    const place = typeof data.output_index === "number" ? data.output_index : this.#latest + 1;
    if (!this.#items.has(place)) this.#open(place, data.item);
    else if (typeof id === "string") this.#open(Math.max(...this.#items.keys()) + 1, data.item);
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
        return { kind: "text", part: this.answer.draft.openText(), streamed: false };
      case "reasoning":
        return { kind: "thinking", part: this.answer.draft.openThinking() };
      case "function_call": {
        const id = typeof raw.call_id === "string" ? raw.call_id : typeof raw.id === "string" ? raw.id : "";
        const name = typeof raw.name === "string" ? raw.name.trim() : "";
        return { kind: "call", ...this.answer.openCall(id, name) };
      }
      default:
        // Tools that the server runs itself: nothing of ours.
        return { kind: "other" };
    }
  }

  #text(item: Item, text: unknown): void {
    if (item.kind !== "text" || typeof text !== "string" || text === "") return;
    item.streamed = true;
    this.answer.addText(text, item.part);
  }

  #think(item: Item, text: unknown): void {
    if (item.kind !== "thinking" || typeof text !== "string" || text === "") return;
    item.part.text += text;
    this.answer.emit({ type: "thinking_delta", text });
  }

  /** Summaries come in parts, which are paragraphs. */
  #nextThought(item: Item): void {
    if (item.kind === "thinking" && item.part.text !== "") this.#think(item, "\n\n");
  }

  #arguments(item: Item, text: unknown): void {
    if (item.kind === "call") this.answer.addArguments(item.call, item.index, argumentsText(text));
  }

  /** Whole arguments, where none have streamed. */
  #fillArguments(item: Item, whole: unknown): void {
    if (item.kind === "call" && item.call.arguments.trim() === "") this.#arguments(item, whole);
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
        if (!item.streamed) this.#text(item, contentText(raw.content, ["text", "refusal"]));
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
        this.#fillArguments(item, raw.arguments);
        if (item.call.name === "" && typeof raw.name === "string") item.call.name = raw.name.trim();
        item.call.opaque = identity(raw, ["id"]);
    }
  }

  /** The end: `how` by the event, and the status that is in the response; the worse of the two counts. */
  #ended(response: Json, how?: string): void {
    const { answer } = this;
    const ways = [how, response.status];
    answer.complete = true;
    if (isRecord(response.error)) return answer.failWith(response.error);
    const failed = ["failed", "cancelled"].find((way) => ways.includes(way));
    if (failed !== undefined) return answer.failWith({ message: `the response was ${failed}` });
    if (Array.isArray(response.output)) {
      response.output.forEach((raw, place) => {
        if (isRecord(raw) && !this.#items.has(place)) this.#fill(this.#open(place, raw), raw);
      });
    }
    answer.setUsage(readUsage(response.usage));
    if (!ways.includes("incomplete")) {
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
