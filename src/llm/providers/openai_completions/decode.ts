/**
 * Server events of chat completions into stream events: a reducer without
 * input or output, one for each answer. What all protocols hold to is in
 * ../shared/answer.ts; here is how this one says it.
 */
import { isRecord, type Json } from "../../../lib/json.ts";
import type { ServerEvent } from "../../../lib/sse.ts";
import type { StopReason } from "../../message.ts";
import type { AnswerOptions } from "../shared/answer.ts";
import { JsonEventDecoder } from "../shared/decoder.ts";
import { CallCollector } from "./calls.ts";
import type { Quirks } from "./quirks.ts";
import { ReasoningCollector } from "./reasoning.ts";
import { createThinkSplitter } from "./think.ts";
import { readUsage } from "./usage.ts";

/** `quirks` are those of the server, with what it has taught since. */
interface DecodeOptions extends AnswerOptions {
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

/** Reads `chat.completion.chunk` objects, and whole `chat.completion` ones from servers that do not stream. */
export class Decoder extends JsonEventDecoder {
  protected readonly whole = "chat completion";
  readonly #quirks: Quirks;
  readonly #calls: CallCollector;
  readonly #reasoning = new ReasoningCollector();
  readonly #content: { push(text: string): void; end(): void };

  constructor(options: DecodeOptions) {
    super(options);
    const { answer } = this;
    this.#quirks = options.quirks;
    this.#calls = new CallCollector(answer);
    const text = (text: string) => answer.addText(text);
    this.#content = options.quirks.thinkTags
      ? createThinkSplitter(text, (thought) => answer.addThought(thought))
      : { push: text, end: () => {} };
  }

  protected override onDone(): void {
    if (this.#quirks.doneIsFinish) this.answer.finish ??= "stop";
    this.answer.complete = true;
  }

  protected override onEnd(): void {
    this.#content.end();
    this.#calls.end();
    const { draft } = this.answer;
    const { details, field } = this.#reasoning;
    if (details !== undefined) draft.setOpaque(details, field);
    // The opening tag may be in the prompt already: then only the closing one comes.
    if (this.#quirks.thinkTags && !draft.thinks) {
      draft.takeThought(/^\s*<\/think>[ \t]*(?:\r?\n\s*|$)/m);
    }
  }

  protected onWhole(chunk: Json): void {
    this.onEvent(chunk, { data: "" });
  }

  protected onEvent(chunk: Json, event: ServerEvent): void {
    const failure = errorOf(chunk, event);
    if (failure !== undefined) return this.answer.failWith(failure);
    this.answer.setUsage(readUsage(chunk));
    const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    if (isRecord(choice)) this.#choice(choice);
  }

  #choice(choice: Json): void {
    const delta = choice.delta ?? (this.answer.draft.isEmpty ? choice.message : undefined);
    if (isRecord(delta)) this.#delta(delta);
    else if (typeof choice.text === "string") this.#content.push(choice.text);
    const reason = choice.finish_reason;
    if (typeof reason !== "string" || reason === "") return;
    const finish = FINISH.get(reason.toLowerCase()) ?? "stop";
    if (finish === "error") {
      return this.answer.failWith({ message: `the answer ended with "${reason}"`, code: 503 });
    }
    this.answer.finish ??= finish;
  }

  #delta(delta: Json): void {
    const thought = this.#reasoning.push(delta);
    if (thought !== undefined) this.answer.addThought(thought.text, thought.field);
    if (typeof delta.content === "string") {
      if (delta.content !== "") this.#content.push(delta.content);
    } else if (Array.isArray(delta.content)) this.#contentParts(delta.content);
    if (typeof delta.refusal === "string" && delta.refusal !== "") this.#content.push(delta.refusal);
    if (Array.isArray(delta.tool_calls)) this.#calls.push(delta.tool_calls);
    else if (isRecord(delta.tool_calls)) this.#calls.push([delta.tool_calls]);
    // The older form: one call, without an index.
    else if (isRecord(delta.function_call)) this.#calls.push([{ index: 0, function: delta.function_call }]);
  }

  /** Content as a list: text, and thoughts in blocks of their own. */
  #contentParts(parts: readonly unknown[]): void {
    for (const part of parts) {
      if (!isRecord(part)) continue;
      if (typeof part.text === "string") this.#content.push(part.text);
      if (typeof part.thinking === "string") this.answer.addThought(part.thinking);
      else if (Array.isArray(part.thinking)) {
        for (const inner of part.thinking) {
          if (isRecord(inner) && typeof inner.text === "string") this.answer.addThought(inner.text);
        }
      }
    }
  }
}

/** The error that a chunk carries, in the forms that servers use; undefined for an ordinary chunk. */
function errorOf(chunk: Json, event: ServerEvent): unknown {
  if (chunk.error !== undefined && chunk.error !== null) return chunk.error;
  if (chunk.object === "error" || chunk.type === "error" || event.event === "error") return chunk;
  const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
  return isRecord(choice) && isRecord(choice.error) ? choice.error : undefined;
}
