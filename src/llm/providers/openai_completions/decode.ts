/**
 * Server events into stream events: a reducer without input or output, one
 * for each answer. What it holds to: the message of `done` comes only after a
 * sign that the answer is finished; an error in mid-stream ends it; a call
 * whose arguments are not one whole JSON object is marked broken, repaired
 * only where there is one way to read it, and under "length" never.
 */
import { type Asked, brokenStream, quote, streamError } from "../../classify.ts";
import { LlmError } from "../../errors.ts";
import type { StreamEvent } from "../../event.ts";
import { Draft, type OpenCall } from "../../fold.ts";
import type { AssistantMessage, StopReason, Usage } from "../../message.ts";
import type { ServerEvent } from "../../../lib/sse.ts";
import { CallCollector, isObjectText } from "./calls.ts";
import type { Quirks } from "./quirks.ts";
import { ReasoningCollector } from "./reasoning.ts";
import { createThinkSplitter } from "./think.ts";
import { readUsage } from "./usage.ts";

type Json = Record<string, unknown>;

export interface DecodeOptions {
  readonly asked: Asked;
  /** "provider/id", for the message. */
  readonly model: string;
  /** Begins the ids of calls that come without one. */
  readonly idPrefix: string;
  readonly quirks: Quirks;
}

/** How a server says that it stopped. "error": the answer is broken although the stream is not. */
const FINISH = new Map<string, StopReason | "error">(Object.entries(
  {
    stop: "stop",
    eos: "stop",
    end_turn: "stop",
    tool_calls: "tool_calls",
    function_call: "tool_calls",
    tool_use: "tool_calls",
    length: "length",
    max_tokens: "length",
    model_length: "length",
    content_filter: "filter",
    sensitive: "filter",
    safety: "filter",
    error: "error",
    abort: "error",
    network_error: "error",
    insufficient_system_resource: "error",
  } as const,
));

export class Decoder {
  readonly #options: DecodeOptions;
  readonly #draft = new Draft();
  readonly #calls: CallCollector;
  readonly #reasoning = new ReasoningCollector();
  #out: StreamEvent[] = [];
  readonly #content: { push(text: string): void; end(): void };
  #finish: StopReason | undefined;
  #usage: Usage | undefined;
  #error: LlmError | undefined;
  #complete = false;

  constructor(options: DecodeOptions) {
    this.#options = options;
    this.#calls = new CallCollector(this.#draft, options.idPrefix);
    const text = (text: string) => this.#addText(text);
    this.#content = options.quirks.thinkTags
      ? createThinkSplitter(text, (thought) => this.#addThought(thought, undefined))
      : { push: text, end: () => {} };
  }

  /** A finish sign was seen: only usage may still come. */
  get finished(): boolean {
    return this.#finish !== undefined;
  }

  /** Nothing more is worth reading. */
  get complete(): boolean {
    return this.#complete;
  }

  /** What one server event says. */
  push(event: ServerEvent): StreamEvent[] {
    if (this.#complete) return [];
    const data = event.data.trim();
    if (data === "[DONE]") {
      if (this.#options.quirks.doneIsFinish) this.#finish ??= "stop";
      this.#complete = true;
    } else if (data !== "") this.#chunk(data, event);
    return this.#take();
  }

  /** A whole answer of a server that does not stream. */
  pushWhole(text: string): StreamEvent[] {
    this.#chunk(text, { data: text });
    if (this.#error === undefined && this.#draft.isEmpty && !this.finished) {
      const { provider } = this.#options.asked;
      this.#fail(
        new LlmError(
          "protocol",
          `Provider "${provider}" sent JSON that is no chat completion: ${
            quote(text, this.#options.asked, 80)
          }`,
        ),
      );
    } // A text that is one whole JSON value was not cut.
    else this.#finish ??= "stop";
    this.#complete = true;
    return this.#take();
  }

  /** The end of the data, or what broke it off: the last event, preceded by what was held back. */
  async end(cause?: LlmError): Promise<StreamEvent[]> {
    this.#content.end();
    this.#calls.end(this.#out);
    const error = this.#error ?? (this.finished ? undefined : cause ?? this.#early());
    const last = error === undefined ? await this.#done() : this.#failed(error);
    return [...this.#take(), last];
  }

  #take(): StreamEvent[] {
    const taken = this.#out;
    this.#out = [];
    return taken;
  }

  #fail(error: LlmError): void {
    this.#error = error;
    this.#complete = true;
  }

  #chunk(data: string, event: ServerEvent): void {
    let chunk: unknown;
    try {
      chunk = JSON.parse(data);
    } catch (cause) {
      // The last line of a stream that was cut; whether that matters, the missing finish will tell.
      if (event.unfinished) return;
      const start = quote(data, this.#options.asked, 80);
      return this.#fail(
        new LlmError(
          "protocol",
          `Provider "${this.#options.asked.provider}" sent what is not JSON: ${start}`,
          { cause },
        ),
      );
    }
    if (!isRecord(chunk)) return;
    const failure = errorOf(chunk, event);
    if (failure !== undefined) return this.#fail(streamError(this.#options.asked, failure));
    const usage = readUsage(chunk);
    if (usage !== undefined) {
      this.#usage = usage;
      this.#out.push({ type: "usage", usage });
    }
    const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    if (isRecord(choice)) this.#choice(choice);
  }

  #choice(choice: Json): void {
    const delta = choice.delta ?? (this.#draft.isEmpty ? choice.message : undefined);
    if (isRecord(delta)) this.#delta(delta);
    else if (typeof choice.text === "string") this.#content.push(choice.text);
    const reason = choice.finish_reason;
    if (typeof reason !== "string" || reason === "") return;
    const finish = FINISH.get(reason.toLowerCase()) ?? "stop";
    if (finish === "error") {
      return this.#fail(
        streamError(this.#options.asked, { message: `the answer ended with "${reason}"`, code: 503 }),
      );
    }
    this.#finish ??= finish;
  }

  #delta(delta: Json): void {
    const thought = this.#reasoning.push(delta);
    if (thought !== undefined) this.#addThought(thought.text, thought.field);
    if (typeof delta.content === "string") {
      if (delta.content !== "") this.#content.push(delta.content);
    } else if (Array.isArray(delta.content)) this.#contentParts(delta.content);
    if (typeof delta.refusal === "string" && delta.refusal !== "") this.#content.push(delta.refusal);
    if (Array.isArray(delta.tool_calls)) this.#calls.push(delta.tool_calls, this.#out);
    // The older form: one call, without an index.
    else if (isRecord(delta.function_call)) {
      this.#calls.push([{ index: 0, function: delta.function_call }], this.#out);
    }
  }

  /** Content as a list: text, and thoughts in blocks of their own. */
  #contentParts(parts: readonly unknown[]): void {
    for (const part of parts) {
      if (!isRecord(part)) continue;
      if (typeof part.text === "string") this.#content.push(part.text);
      if (typeof part.thinking === "string") this.#addThought(part.thinking, undefined);
      else if (Array.isArray(part.thinking)) {
        for (const inner of part.thinking) {
          if (isRecord(inner) && typeof inner.text === "string") this.#addThought(inner.text, undefined);
        }
      }
    }
  }

  #addText(text: string): void {
    if (text === "") return;
    this.#draft.addText(text);
    this.#out.push({ type: "text_delta", text });
  }

  #addThought(text: string, field: string | undefined): void {
    if (text === "") return;
    this.#draft.addThinking(text, field);
    this.#out.push({ type: "thinking_delta", text });
  }

  #early(): LlmError {
    return brokenStream(
      this.#options.asked,
      "stream ended early, without a sign that the answer is finished",
    );
  }

  #message(stopReason: StopReason): AssistantMessage {
    const { details, field } = this.#reasoning;
    if (details !== undefined) this.#draft.setOpaque(details, field);
    return this.#draft.message(this.#options.model, stopReason, this.#usage);
  }

  #failed(error: LlmError): StreamEvent {
    if (this.#draft.isEmpty) return { type: "error", error };
    return {
      type: "error",
      error,
      partial: this.#message(this.#draft.calls.length > 0 ? "tool_calls" : "stop"),
    };
  }

  async #done(): Promise<StreamEvent> {
    const finish = this.#finish ?? "stop";
    const { calls } = this.#draft;
    for (const call of calls) await this.#close(call, finish === "length" && call === calls.at(-1));
    if (calls.length === 0 && this.#draft.text.trim() === "" && finish !== "length" && finish !== "filter") {
      return this.#failed(this.#empty());
    }
    const cut = finish === "length" || finish === "filter";
    return { type: "done", message: this.#message(cut ? finish : calls.length > 0 ? "tool_calls" : "stop") };
  }

  /** Decides whether a call may run. */
  async #close(call: OpenCall, cut: boolean): Promise<void> {
    const text = call.arguments.trim();
    if (call.name === "") return;
    if (isObjectText(text)) call.broken = false;
    else if (cut) return;
    else if (text === "" || text === "null") {
      call.arguments = "{}";
      call.broken = false;
    } else {
      const { repairObject } = await import("../../../lib/json_partial.ts");
      const repaired = await repairObject(text);
      if (repaired === undefined) return;
      call.arguments = repaired;
      call.broken = false;
    }
  }

  #empty(): LlmError {
    const what = this.#draft.isEmpty ? "an empty answer" : "thoughts and no answer";
    return new LlmError("protocol", `Provider "${this.#options.asked.provider}" sent ${what}`, {
      retryLimit: 1,
      hint: "Say it in other words, or use another model.",
    });
  }
}

/** The error that a chunk carries, in the forms that servers use; undefined for an ordinary chunk. */
function errorOf(chunk: Json, event: ServerEvent): unknown {
  if (chunk.error !== undefined && chunk.error !== null) return chunk.error;
  if (chunk.object === "error" || chunk.type === "error" || event.event === "error") return chunk;
  const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
  return isRecord(choice) && isRecord(choice.error) ? choice.error : undefined;
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
