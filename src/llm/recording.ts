/**
 * Recordings of what models said: JSON Lines, one event a line, written while
 * a run goes on and played back without a network. The format is described in
 * docs/recording.md. A recording holds what the model said and how big each
 * request was, never keys, headers, or what was sent.
 */
import { describe } from "../lib/errors.ts";
import { isRecord } from "../lib/json.ts";
import { LlmError, type LlmErrorCode } from "./errors.ts";
import type { StreamEvent } from "./event.ts";
import { modelName } from "./model.ts";
import type { LlmRequest, Provider } from "./provider.ts";

const FORMAT = 1;

/** Takes one line, without its line end. */
export type RecordingSink = (line: string) => void | Promise<void>;

/**
 * A provider that also writes what it streams. Wrap it around the one that
 * retries, so that retries are recorded too. A sink that fails ends the
 * recording with a notice, and never the run.
 */
export function record(provider: Provider, sink: RecordingSink): Provider {
  let requests = 0;
  let writing: Promise<void> = Promise.resolve();
  let failure: string | undefined;
  const write = (value: unknown): Promise<void> => {
    writing = writing.then(() => failure === undefined ? sink(JSON.stringify(value)) : undefined)
      .catch((error) => {
        failure = describe(error);
      });
    return writing;
  };

  async function* stream(request: LlmRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const n = ++requests;
    if (n === 1) await write({ recording: FORMAT });
    const { messages, tools } = request;
    await write({
      request: n,
      model: modelName(request.model),
      messages: messages.length,
      tools: tools.length,
    });
    let told = false;
    for await (const event of provider.stream(request, signal)) {
      await write({ request: n, event: toPlain(event) });
      if (failure !== undefined && !told) {
        told = true;
        yield { type: "notice", text: `The recording stops here: ${failure}` };
      }
      yield event;
    }
    if (signal.aborted) await write({ request: n, cancelled: true });
  }
  return { stream };
}

/** The answer to one request. */
export interface RecordedAnswer {
  readonly model: string;
  /** How many messages the request had: to notice that a run went another way. */
  readonly messages: number;
  readonly events: readonly StreamEvent[];
  readonly cancelled: boolean;
}

/** Reads a recording. Throws LlmError "bad_request" that names the line which is none. */
export function parseRecording(text: string): RecordedAnswer[] {
  const answers = new Map<
    number,
    { -readonly [K in keyof RecordedAnswer]: RecordedAnswer[K] } & { events: StreamEvent[] }
  >();
  text.split("\n").forEach((line, index) => {
    if (line.trim() === "") return;
    const value = parseLine(line, index + 1);
    if (index === 0 && value.recording !== FORMAT) {
      throw new LlmError("bad_request", `Line 1 of the recording does not begin {"recording":${FORMAT}}`);
    }
    if (typeof value.request !== "number") return;
    const { model, messages, event } = value;
    if (typeof model === "string") {
      const count = typeof messages === "number" ? messages : 0;
      answers.set(value.request, { model, messages: count, events: [], cancelled: false });
    }
    const answer = answers.get(value.request);
    if (answer === undefined) {
      throw new LlmError(
        "bad_request",
        `Line ${index + 1} of the recording belongs to a request that it does not begin`,
      );
    }
    if (value.cancelled === true) answer.cancelled = true;
    if (isRecord(event)) answer.events.push(fromPlain(event));
  });
  return [...answers.entries()].sort(([a], [b]) => a - b).map(([, answer]) => answer);
}

function parseLine(line: string, number: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new LlmError("bad_request", `Line ${number} of the recording is not JSON`, { cause });
  }
  if (!isRecord(value)) throw new LlmError("bad_request", `Line ${number} of the recording is not an object`);
  return value;
}

/** An event as data: errors become their fields, without cause and stack. */
function toPlain(event: StreamEvent): unknown {
  if (event.type === "error") return { ...event, error: errorFields(event.error) };
  if (event.type === "retry") return { ...event, cause: errorFields(event.cause) };
  return event;
}

function fromPlain(event: Record<string, unknown>): StreamEvent {
  if (event.type === "error") return { ...event, error: toError(event.error) } as StreamEvent;
  if (event.type === "retry") return { ...event, cause: toError(event.cause) } as StreamEvent;
  return event as unknown as StreamEvent;
}

function errorFields(error: LlmError): Record<string, unknown> {
  const { code, message, hint, status, retryAfterMs, retryable, retryLimit } = error;
  return { code, message, hint, status, retryAfterMs, retryable, retryLimit };
}

function toError(value: unknown): LlmError {
  const { code, message, ...options } = isRecord(value) ? value : {};
  return new LlmError((code ?? "protocol") as LlmErrorCode, String(message ?? "no message"), options);
}
