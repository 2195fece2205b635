/**
 * Server events of chat completions into stream events: a reducer without
 * input or output, one for each answer. What all protocols hold to is in
 * ../shared/answer.ts; here is how this one says it.
 */
import type { ServerEvent } from "../../../lib/sse.ts";
import type { LlmError } from "../../errors.ts";
import type { StreamEvent } from "../../event.ts";
import type { StopReason } from "../../message.ts";
import type { ToolDeclaration } from "../../provider.ts";
import { Answer, type AnswerDecoder, type AnswerOptions } from "../shared/answer.ts";
import { isRecord, type Json } from "../shared/json.ts";
import { CallCollector } from "./calls.ts";
import type { Quirks } from "./quirks.ts";
import { ReasoningCollector } from "./reasoning.ts";
import { createTextHold, looksLikeCalls, readTextCalls, type TextHold } from "./text_calls.ts";
import { createThinkSplitter } from "./think.ts";
import { readUsage } from "./usage.ts";

export interface DecodeOptions extends AnswerOptions {
  readonly quirks: Quirks;
  readonly tools?: readonly ToolDeclaration[];
  /** Calls that come as text are taken as calls; else their coming is told. */
  readonly textCalls?: boolean;
  /** The model has been told already that its calls came as text. */
  readonly told?: boolean;
  readonly onTold?: () => void;
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

export class Decoder implements AnswerDecoder {
  readonly #options: DecodeOptions;
  readonly #answer: Answer;
  readonly #calls: CallCollector;
  readonly #reasoning = new ReasoningCollector();
  readonly #content: { push(text: string): void; end(): void };
  readonly #hold: TextHold | undefined;

  constructor(options: DecodeOptions) {
    this.#options = options;
    const answer = this.#answer = new Answer(options);
    this.#calls = new CallCollector(answer);
    const plain = (text: string) => answer.addText(text);
    this.#hold = options.textCalls ? createTextHold(plain) : undefined;
    const text = this.#hold?.push ?? plain;
    this.#content = options.quirks.thinkTags
      ? createThinkSplitter(text, (thought) => answer.addThought(thought))
      : { push: text, end: () => {} };
  }

  get finished(): boolean {
    return this.#answer.finish !== undefined;
  }

  get complete(): boolean {
    return this.#answer.complete;
  }

  push(event: ServerEvent): StreamEvent[] {
    if (this.complete) return [];
    const data = event.data.trim();
    if (data === "[DONE]") {
      if (this.#options.quirks.doneIsFinish) this.#answer.finish ??= "stop";
      this.#answer.complete = true;
    } else if (data !== "") this.#chunk(data, event);
    return this.#answer.take();
  }

  pushWhole(text: string): StreamEvent[] {
    this.#chunk(text, { data: text });
    this.#answer.requireContent("chat completion", text);
    // A text that is one whole JSON value was not cut.
    if (!this.#answer.failed) this.#answer.finish ??= "stop";
    this.#answer.complete = true;
    return this.#answer.take();
  }

  async end(cause?: LlmError): Promise<StreamEvent[]> {
    this.#content.end();
    this.#calls.end();
    const { details, field } = this.#reasoning;
    if (details !== undefined) this.#answer.draft.setOpaque(details, field);
    // The opening tag may be in the prompt already: then only the closing one comes.
    if (this.#options.quirks.thinkTags && !this.#answer.draft.thinks) {
      this.#answer.draft.takeThought(/^\s*<\/think>[ \t]*(?:\r?\n\s*|$)/m);
    }
    const whole = cause === undefined && !this.#answer.failed && this.finished &&
      this.#answer.finish !== "length";
    if (this.#hold !== undefined) this.#takeTextCalls(this.#hold.end(), whole);
    else if (whole && looksLikeCalls(this.#answer.draft.text, this.#options.tools ?? [])) {
      this.#tell(OFF(this.#options.model), OFF_MODEL);
    }
    return await this.#answer.end(cause);
  }

  /** Calls from what was held back, if they are whole and there are no others; else it is text after all. */
  #takeTextCalls(held: string, whole: boolean): void {
    if (held === "") return;
    const read = whole && this.#answer.draft.calls.length === 0
      ? readTextCalls(held, this.#options.tools ?? [])
      : { kind: "none" as const };
    if (read.kind === "calls") {
      for (const one of read.calls) {
        const { call, index } = this.#answer.openCall("", one.name);
        this.#answer.addArguments(call, index, one.arguments);
      }
      return;
    }
    this.#answer.addText(held);
    if (read.kind === "unfinished") {
      const notice =
        `${this.#options.model} began a tool call as text and did not finish it: nothing was run`;
      this.#answer.emit({ type: "notice", text: notice, toModel: UNFINISHED_MODEL });
    }
  }

  #tell(text: string, toModel: string): void {
    if (this.#answer.draft.calls.length > 0) return;
    this.#answer.emit({ type: "notice", text, ...(this.#options.told ? {} : { toModel }) });
    this.#options.onTold?.();
  }

  #chunk(data: string, event: ServerEvent): void {
    const chunk = this.#answer.parse(data, event);
    if (!isRecord(chunk)) return;
    const failure = errorOf(chunk, event);
    if (failure !== undefined) return this.#answer.failWith(failure);
    this.#answer.setUsage(readUsage(chunk));
    const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    if (isRecord(choice)) this.#choice(choice);
  }

  #choice(choice: Json): void {
    const delta = choice.delta ?? (this.#answer.draft.isEmpty ? choice.message : undefined);
    if (isRecord(delta)) this.#delta(delta);
    else if (typeof choice.text === "string") this.#content.push(choice.text);
    const reason = choice.finish_reason;
    if (typeof reason !== "string" || reason === "") return;
    const finish = FINISH.get(reason.toLowerCase()) ?? "stop";
    if (finish === "error") {
      return this.#answer.failWith({ message: `the answer ended with "${reason}"`, code: 503 });
    }
    this.#answer.finish ??= finish;
  }

  #delta(delta: Json): void {
    const thought = this.#reasoning.push(delta);
    if (thought !== undefined) this.#answer.addThought(thought.text, thought.field);
    if (typeof delta.content === "string") {
      if (delta.content !== "") this.#content.push(delta.content);
    } else if (Array.isArray(delta.content)) this.#contentParts(delta.content);
    if (typeof delta.refusal === "string" && delta.refusal !== "") this.#content.push(delta.refusal);
    if (Array.isArray(delta.tool_calls)) this.#calls.push(delta.tool_calls);
    // The older form: one call, without an index.
    else if (isRecord(delta.function_call)) this.#calls.push([{ index: 0, function: delta.function_call }]);
  }

  /** Content as a list: text, and thoughts in blocks of their own. */
  #contentParts(parts: readonly unknown[]): void {
    for (const part of parts) {
      if (!isRecord(part)) continue;
      if (typeof part.text === "string") this.#content.push(part.text);
      if (typeof part.thinking === "string") this.#answer.addThought(part.thinking);
      else if (Array.isArray(part.thinking)) {
        for (const inner of part.thinking) {
          if (isRecord(inner) && typeof inner.text === "string") this.#answer.addThought(inner.text);
        }
      }
    }
  }
}

const OFF = (model: string) =>
  `${model} wrote a tool call as text, so nothing was run. With "textToolCalls": true for this model ` +
  "in the settings such calls are taken";
const OFF_MODEL = "You wrote a tool call as text: it was not run, and no result exists. " +
  "Call tools through the tool-calling interface.";
const UNFINISHED_MODEL = "Your tool call was not whole, so it was not run, and no result exists. " +
  "Write the whole call again, on lines of its own.";

/** The error that a chunk carries, in the forms that servers use; undefined for an ordinary chunk. */
function errorOf(chunk: Json, event: ServerEvent): unknown {
  if (chunk.error !== undefined && chunk.error !== null) return chunk.error;
  if (chunk.object === "error" || chunk.type === "error" || event.event === "error") return chunk;
  const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
  return isRecord(choice) && isRecord(choice.error) ? choice.error : undefined;
}
