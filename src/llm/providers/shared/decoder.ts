/**
 * What all decoders do alike: JSON out of events, `[DONE]`, whole answers of
 * servers that do not stream, and the end. A protocol says what its events mean.
 */
import { isRecord, type Json } from "../../../lib/json.ts";
import type { ServerEvent } from "../../../lib/sse.ts";
import type { LlmError } from "../../errors.ts";
import type { StreamEvent } from "../../event.ts";
import { Answer, type AnswerDecoder, type AnswerOptions } from "./answer.ts";

/** A decoder whose events are JSON objects: what all of them do alike. */
export abstract class JsonEventDecoder implements AnswerDecoder {
  protected readonly answer: Answer;

  constructor(options: AnswerOptions) {
    this.answer = new Answer(options);
  }

  /** What a whole answer is called, for messages. */
  protected abstract readonly whole: string;
  protected abstract onEvent(data: Json, event: ServerEvent): void;
  protected abstract onWhole(data: Json): void;
  /** `data: [DONE]`, with which some servers close every stream. */
  protected onDone(): void {}
  /** The data is at its end: the last chance to add to the answer. */
  protected onEnd(_cause: LlmError | undefined): void {}

  get finished(): boolean {
    return this.answer.finish !== undefined;
  }

  get complete(): boolean {
    return this.answer.complete;
  }

  push(event: ServerEvent): StreamEvent[] {
    if (this.answer.complete) return [];
    const data = event.data.trim();
    if (data === "[DONE]") this.onDone();
    else if (data !== "") {
      const parsed = this.answer.parse(data, event);
      if (isRecord(parsed)) this.onEvent(parsed, event);
    }
    return this.answer.take();
  }

  pushWhole(text: string): StreamEvent[] {
    const { answer } = this;
    const parsed = answer.parse(text, { data: text });
    if (isRecord(parsed)) this.onWhole(parsed);
    answer.requireContent(this.whole, text);
    // A text that is one whole JSON value was not cut.
    if (!answer.failed) answer.finish ??= "stop";
    answer.complete = true;
    return answer.take();
  }

  end(cause?: LlmError): Promise<StreamEvent[]> {
    this.onEnd(cause);
    return this.answer.end(cause);
  }
}
