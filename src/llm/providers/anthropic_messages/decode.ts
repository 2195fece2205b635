/**
 * Events of the Messages protocol into stream events: a reducer without input
 * or output. An answer is a list of blocks, which begin, grow and end by
 * index. A signature is kept only of a thought that came to its end: half of
 * one would be refused for ever after.
 */
import { isRecord, type Json } from "../../../lib/json.ts";
import type { ServerEvent } from "../../../lib/sse.ts";
import type { LlmError } from "../../errors.ts";
import type { OpenCall, OpenThinking } from "../../fold.ts";
import type { StopReason } from "../../message.ts";
import { JsonEventDecoder } from "../shared/decoder.ts";
import { argumentsText } from "../shared/json.ts";
import { joinUsage, readUsage } from "./usage.ts";

const STOP = new Map<string, StopReason>(Object.entries(
  {
    end_turn: "stop",
    stop_sequence: "stop",
    pause_turn: "stop",
    tool_use: "tool_calls",
    max_tokens: "length",
    model_context_window_exceeded: "length",
    refusal: "filter",
  } as const,
));

type Block =
  | { readonly kind: "text" | "other" }
  | { readonly kind: "thinking"; readonly part: OpenThinking; signature: string }
  | {
    readonly kind: "call";
    readonly id: string;
    readonly call: OpenCall;
    readonly index: number;
    readonly preset: string;
  };

/** Reads the events of Anthropic's Messages API (version 2023-06-01), also where a gateway leaves some of them out. */
export class Decoder extends JsonEventDecoder {
  protected readonly whole = "message";
  readonly #blocks = new Map<number, Block>();
  /** The index of the block that began last: for servers that leave the index out. */
  #latest = -1;
  readonly #stopped = new Set<number>();
  #usage: Json = {};

  protected override onEnd(cause: LlmError | undefined): void {
    // Calls of a finished answer are finished, whether the server says so or not.
    if (cause !== undefined || !this.finished) return;
    for (const block of this.#blocks.values()) this.#fill(block);
  }

  protected onWhole(message: Json): void {
    if (message.type === "error" || isRecord(message.error)) return this.answer.failWith(message);
    const blocks = Array.isArray(message.content) ? message.content : [];
    blocks.forEach((block, index) => {
      this.#start(index, block);
      this.#stop(index);
    });
    this.#finish(message.stop_reason);
    this.#count(message.usage);
  }

  protected onEvent(data: Json, event: ServerEvent): void {
    switch (data.type ?? event.event) {
      case "message_start":
        if (isRecord(data.message)) this.#count(data.message.usage);
        return;
      case "content_block_start":
        return this.#start(this.#indexOf(data, this.#latest + 1), data.content_block);
      case "content_block_delta":
        return this.#delta(this.#indexOf(data, this.#latest), data.delta);
      case "content_block_stop":
        return this.#stop(this.#indexOf(data, this.#latest));
      case "message_delta":
        if (isRecord(data.delta)) this.#finish(data.delta.stop_reason);
        return this.#count(data.usage);
      case "message_stop":
        this.answer.finish ??= "stop";
        this.answer.complete = true;
        return;
      case "error":
        return this.answer.failWith(data);
      default:
        // Pings, and what a later version adds.
        if (isRecord(data.error)) this.answer.failWith(data);
    }
  }

  #indexOf(data: Json, otherwise: number): number {
    return typeof data.index === "number" ? data.index : otherwise;
  }

  #count(raw: unknown): void {
    this.#usage = joinUsage(this.#usage, raw);
    if (isRecord(raw)) this.answer.setUsage(readUsage(this.#usage));
  }

  #finish(reason: unknown): void {
    if (typeof reason === "string") this.answer.finish ??= STOP.get(reason) ?? "stop";
  }

  #start(index: number, raw: unknown): void {
    if (!isRecord(raw)) return;
    this.#latest = index;
    // A block that begins twice is one, but for servers that give all the same index.
    const before = this.#blocks.get(index);
    if (before !== undefined && !this.#stopped.has(index)) return;
    if (before?.kind === "call" && before.id !== "" && before.id === raw.id) return;
    this.#stopped.delete(index);
    this.#blocks.set(index, this.#open(raw));
  }

  #open(raw: Json): Block {
    switch (raw.type) {
      case "text":
        if (typeof raw.text === "string") this.answer.addText(raw.text);
        return { kind: "text" };
      case "thinking": {
        const part = this.answer.draft.openThinking();
        const block: Block = { kind: "thinking", part, signature: "" };
        this.#think(block, raw.thinking);
        if (typeof raw.signature === "string") block.signature = raw.signature;
        return block;
      }
      case "redacted_thinking":
        if (typeof raw.data === "string") this.answer.draft.openThinking().opaque = raw.data;
        return { kind: "other" };
      case "tool_use": {
        const id = typeof raw.id === "string" ? raw.id : "";
        const name = typeof raw.name === "string" ? raw.name.trim() : "";
        const { call, index } = this.answer.openCall(id, name);
        // Whole arguments at the start, where a server does not stream them.
        const preset = argumentsText(raw.input);
        return { kind: "call", id, call, index, preset: preset === "{}" ? "" : preset };
      }
      default:
        // Tools that the server runs itself, and what a later version adds: nothing of ours.
        return { kind: "other" };
    }
  }

  #delta(index: number, delta: unknown): void {
    if (!isRecord(delta)) return;
    let block = this.#blocks.get(index);
    if (block === undefined) {
      // A block that never began: its first delta says what it is.
      block = this.#implied(delta);
      if (block === undefined) return;
      this.#latest = index;
      this.#blocks.set(index, block);
    }
    if (typeof delta.text === "string" && block.kind === "text") this.answer.addText(delta.text);
    else if (block.kind === "thinking") {
      this.#think(block, delta.thinking);
      if (typeof delta.signature === "string") block.signature += delta.signature;
    } else if (block.kind === "call") {
      this.answer.addArguments(block.call, block.index, argumentsText(delta.partial_json));
    }
  }

  #implied(delta: Json): Block | undefined {
    if (delta.type === "text_delta") return { kind: "text" };
    if (delta.type !== "thinking_delta") return undefined;
    return { kind: "thinking", part: this.answer.draft.openThinking(), signature: "" };
  }

  #think(block: Block & { kind: "thinking" }, text: unknown): void {
    if (typeof text !== "string" || text === "") return;
    block.part.text += text;
    this.answer.emit({ type: "thinking_delta", text });
  }

  #stop(index: number): void {
    const block = this.#blocks.get(index);
    if (block === undefined) return;
    this.#stopped.add(index);
    // The text may be withheld: then the signature alone is what goes back.
    if (block.kind === "thinking" && block.signature !== "") block.part.signature = block.signature;
    this.#fill(block);
  }

  /** Arguments that came with the beginning, where none followed. */
  #fill(block: Block): void {
    if (block.kind !== "call" || block.call.arguments !== "") return;
    this.answer.addArguments(block.call, block.index, block.preset);
  }
}
