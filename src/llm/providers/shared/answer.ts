/**
 * What the decoders of all protocols have in common: an answer that grows,
 * the events that it gives, and how it ends. What it holds to: `done` comes
 * only after a sign that the answer is finished; an error in mid-stream ends
 * it; a call whose arguments are not one whole JSON object is marked broken,
 * repaired only where there is one way to read it, and under "length" never.
 * Calls that the model wrote as text are calls only where the settings say so;
 * else their coming is told.
 */
import type { ServerEvent } from "../../../lib/sse.ts";
import { type Asked, publicUrl, quote } from "../../asked.ts";
import { streamError } from "../../classify.ts";
import { brokenStream } from "../../unreachable.ts";
import { LlmError } from "../../errors.ts";
import type { StreamEvent } from "../../event.ts";
import { Draft, type OpenCall, type OpenText } from "../../fold.ts";
import type { StopReason, Usage } from "../../message.ts";
import type { ToolDeclaration } from "../../provider.ts";
import { isObjectText } from "./json.ts";
import { endsInCall, MARKS, readTextCalls } from "./text_calls.ts";
import { createTextHold, type TextHold } from "./text_hold.ts";

/** What a decoder is told of its request. */
export interface AnswerOptions {
  readonly asked: Asked;
  /** "provider/id", for the message. */
  readonly model: string;
  /** Begins the ids of calls that come without one. */
  readonly idPrefix: string;
  /** The tools that are offered. */
  readonly tools?: readonly ToolDeclaration[];
  /** Calls that come as text are taken as calls. */
  readonly textCalls?: boolean;
  /** The model has been told already that its calls came as text. */
  readonly told?: boolean;
  readonly onTold?: () => void;
}

/** The second half of a protocol: server events into stream events, one decoder for each answer. */
export interface AnswerDecoder {
  /** A finish sign was seen: only usage may still come. */
  readonly finished: boolean;
  /** Nothing more is worth reading. */
  readonly complete: boolean;
  /** What one server event says. */
  push(event: ServerEvent): StreamEvent[];
  /** A whole answer of a server that does not stream. */
  pushWhole(text: string): StreamEvent[];
  /** The end of the data, or what broke it off: the last event, preceded by what was held back. */
  end(cause?: LlmError): Promise<StreamEvent[]>;
}

/** What a decoder fills: it says what came, and takes the stream events out. */
export class Answer {
  readonly options: AnswerOptions;
  readonly draft = new Draft();
  #out: StreamEvent[] = [];
  finish: StopReason | undefined;
  complete = false;
  #usage: Usage | undefined;
  #error: LlmError | undefined;
  readonly #hold: TextHold | undefined;
  /** The item that text goes to; undefined where the protocol has none. */
  #textPart: OpenText | undefined;

  constructor(options: AnswerOptions) {
    this.options = options;
    this.#hold = options.textCalls ? createTextHold((text) => this.#plainText(text)) : undefined;
  }

  get failed(): boolean {
    return this.#error !== undefined;
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** The events since the last time. */
  take(): StreamEvent[] {
    const taken = this.#out;
    if (taken.length > 0) this.#out = [];
    return taken;
  }

  emit(event: StreamEvent): void {
    this.#out.push(event);
  }

  get events(): StreamEvent[] {
    return this.#out;
  }

  /** Adds visible text; `part`: to this one, where the protocol has items of its own. */
  addText(text: string, part?: OpenText): void {
    if (text === "") return;
    this.#textPart = part;
    if (this.#hold === undefined) this.#plainText(text);
    else this.#hold.push(text);
  }

  #plainText(text: string): void {
    if (this.#textPart === undefined) this.draft.addText(text);
    else this.#textPart.text += text;
    this.#out.push({ type: "text_delta", text });
  }

  addThought(text: string, field?: string): void {
    if (text === "") return;
    this.draft.addThinking(text, field);
    this.#out.push({ type: "thinking_delta", text });
  }

  /** Begins a call; an id that is taken, or none, becomes a new one. */
  openCall(id: string, name: string): { readonly call: OpenCall; readonly index: number } {
    const index = this.draft.calls.length;
    const taken = new Set(this.draft.calls.map((call) => call.id));
    const wanted = id === "" ? `${this.options.idPrefix}${index}` : id;
    let unique = wanted;
    for (let n = 2; taken.has(unique); n++) unique = `${wanted}_${n}`;
    const call = this.draft.openCall(unique, name);
    this.#out.push({ type: "tool_call_start", index, id: unique, name });
    return { call, index };
  }

  addArguments(call: OpenCall, index: number, text: string): void {
    if (text === "") return;
    call.arguments += text;
    this.#out.push({ type: "tool_call_delta", index, arguments: text });
  }

  setUsage(usage: Usage | undefined): void {
    if (usage === undefined) return;
    this.#usage = usage;
    this.#out.push({ type: "usage", usage });
  }

  /** Ends the answer with an error. The first one counts. */
  fail(error: LlmError): void {
    this.#error ??= error;
    this.complete = true;
  }

  /** Ends it with what the server says in its own words. */
  failWith(said: unknown): void {
    this.fail(streamError(this.options.asked, said));
  }

  /** Parses the data of an event; undefined where it is none that counts, or the answer has failed for it. */
  parse(data: string, event: ServerEvent): unknown {
    try {
      return JSON.parse(data);
    } catch (cause) {
      // The last line of a stream that was cut; whether that matters, the missing finish will tell.
      if (event.unfinished) return undefined;
      this.fail(this.protocolError(`sent what is not JSON: ${this.quote(data)}`, { cause }));
      return undefined;
    }
  }

  /** A whole answer in which nothing was found is none. */
  requireContent(kind: string, text: string): void {
    if (this.failed || !this.draft.isEmpty || this.#hold?.holds || this.finish !== undefined) return;
    const what = `sent JSON that is no ${kind}: ${this.quote(text)}`;
    const hint = `Check baseUrl (${publicUrl(this.options.asked.url)}): something else answers there.`;
    this.fail(this.protocolError(what, { retryLimit: 1, hint }));
  }

  protocolError(what: string, options: ConstructorParameters<typeof LlmError>[2] = {}): LlmError {
    return new LlmError("protocol", `Provider "${this.options.asked.provider}" ${what}`, options);
  }

  quote(text: string): string {
    return quote(text, this.options.asked, 80);
  }

  /** The last event, preceded by what is not taken yet. */
  async end(cause?: LlmError): Promise<StreamEvent[]> {
    this.#endText(cause === undefined && !this.failed && this.finish !== undefined);
    const early = "stream ended early, without a sign that the answer is finished";
    const error = this.#error ??
      (this.finish !== undefined ? undefined : cause ?? brokenStream(this.options.asked, early));
    const last = error === undefined ? await this.#done(this.finish ?? "stop") : this.#failed(error);
    return [...this.take(), last];
  }

  /** Takes calls from what was held back, or tells of those that are not taken. */
  #endText(whole: boolean): void {
    const { tools = [], model } = this.options;
    const held = this.#hold?.end() ?? "";
    if (!whole || this.draft.calls.length > 0) return this.#release(held);
    if (this.#hold === undefined) {
      const { text } = this.draft;
      if (looksLikeCalls(text, tools) || endsInCall(text, tools)) this.#tell();
      return;
    }
    if (held === "") {
      if (!this.#hold.fenced && endsInCall(this.draft.text, tools)) {
        const text = `${model} wrote a tool call into a sentence: nothing was run`;
        this.emit({ type: "notice", text, toModel: NOT_WHOLE });
      }
      return;
    }
    const read = readTextCalls(held, tools);
    if (read.kind === "calls") {
      for (const one of read.calls) {
        const { call, index } = this.openCall("", one.name);
        this.addArguments(call, index, one.arguments);
      }
      return;
    }
    this.#release(held);
    if (read.kind === "unfinished") {
      const text = `${model} began a tool call as text and did not finish it: nothing was run`;
      this.emit({ type: "notice", text, toModel: NOT_WHOLE });
    }
  }

  #release(held: string): void {
    if (held !== "") this.#plainText(held);
  }

  #tell(): void {
    const { model, told, onTold } = this.options;
    const text = `${model} wrote a tool call as text, so nothing was run. With "textToolCalls": true for ` +
      "this model in the settings such calls are taken";
    this.emit({ type: "notice", text, ...(told ? {} : { toModel: AS_TEXT }) });
    onTold?.();
  }

  #failed(error: LlmError): StreamEvent {
    if (this.draft.isEmpty) return { type: "error", error };
    const reason = this.draft.calls.length > 0 ? "tool_calls" : "stop";
    return { type: "error", error, partial: this.draft.message(this.options.model, reason, this.#usage) };
  }

  async #done(finish: StopReason): Promise<StreamEvent> {
    const { calls } = this.draft;
    for (const call of calls) await closeCall(call, finish === "length" && call === calls.at(-1));
    if (calls.length === 0 && this.draft.text.trim() === "" && finish !== "length" && finish !== "filter") {
      return this.#failed(this.#empty());
    }
    const cut = finish === "length" || finish === "filter";
    const reason = cut ? finish : calls.length > 0 ? "tool_calls" : "stop";
    return { type: "done", message: this.draft.message(this.options.model, reason, this.#usage) };
  }

  #empty(): LlmError {
    const what = this.draft.isEmpty ? "an empty answer" : "thoughts and no answer";
    return new LlmError("protocol", `Provider "${this.options.asked.provider}" sent ${what}`, {
      retryLimit: 1,
      hint: "Say it in other words, or use another model.",
    });
  }
}

const AS_TEXT = "You wrote a tool call as text: it was not run, and no result exists. " +
  "Call tools through the tool-calling interface.";
const NOT_WHOLE = "Your tool call was not whole, so it was not run, and no result exists. " +
  "Write the whole call again, on lines of its own.";

/** True for a finished text with calls that the model wrote as text. */
function looksLikeCalls(text: string, tools: readonly ToolDeclaration[]): boolean {
  if (!/^\s*\{/.test(text) && !MARKS.some((mark) => text.includes(mark))) return false;
  const hold = createTextHold(() => {});
  hold.push(text);
  const held = hold.end();
  return held !== "" && readTextCalls(held, tools).kind !== "none";
}

/** Decides whether a call may run; `cut`: the answer ended in the middle of it. */
async function closeCall(call: OpenCall, cut: boolean): Promise<void> {
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
