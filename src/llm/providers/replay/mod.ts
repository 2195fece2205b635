/**
 * The protocol "replay": plays a recording. The first request gets the first
 * recorded answer, and so on, whatever is asked; where a request is visibly
 * another than the recorded one, a notice says so.
 */
import { LlmError } from "../../errors.ts";
import type { StreamEvent } from "../../event.ts";
import { describeBriefly } from "../../../lib/errors.ts";
import type { Endpoint, LlmRequest, Provider, ProviderKind } from "../../provider.ts";
import { parseRecording, type RecordedAnswer } from "../../recording.ts";

/** Reads the endpoint's `recording`, once, at the first request. */
export const replay: ProviderKind = {
  api: "replay",
  create(endpoint: Endpoint): Provider {
    let answers: Promise<RecordedAnswer[]> | undefined;
    let next = 0;
    async function* stream(request: LlmRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
      const n = next++;
      try {
        answers ??= read(endpoint);
        yield* play(await answers, n, request, signal);
      } catch (error) {
        if (signal.aborted) return;
        yield {
          type: "error",
          error: error instanceof LlmError ? error : unreadable(error, request.model.id),
        };
      }
    }
    return { stream };
  },
};

async function read(endpoint: Endpoint): Promise<RecordedAnswer[]> {
  if (endpoint.recording === undefined) {
    throw new LlmError("bad_request", "Cannot replay: no recording was given");
  }
  return parseRecording(await endpoint.recording());
}

async function* play(
  answers: readonly RecordedAnswer[],
  n: number,
  request: LlmRequest,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const answer = answers[n];
  if (answer === undefined) {
    throw new LlmError(
      "bad_request",
      `The recording has ${answers.length} answers and this is request ${n + 1}`,
      {
        hint: "The run went another way than the recorded one; record it again.",
      },
    );
  }
  if (answer.messages !== request.messages.length) {
    const text = `Request ${
      n + 1
    } has ${request.messages.length} messages, the recorded one had ${answer.messages}`;
    yield { type: "notice", text };
  }
  let ended = false;
  for (const event of answer.events) {
    // Others get their turn between two events, as they would while a server speaks.
    await Promise.resolve();
    if (signal.aborted) return;
    yield event;
    ended = event.type === "done" || event.type === "error";
  }
  if (!ended) {
    const how = answer.cancelled ? "was cancelled" : "breaks off";
    throw new LlmError("network", `The recording of request ${n + 1} ${how} before its end`, {
      retryable: false,
    });
  }
}

function unreadable(cause: unknown, file: string): LlmError {
  return new LlmError("bad_request", `Cannot read the recording "${file}": ${describeBriefly(cause)}`, {
    cause,
    hint: "--model replay/FILE plays what --record FILE has written.",
  });
}
