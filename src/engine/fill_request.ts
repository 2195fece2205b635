/** The bytes of attachments, put back just before a request. One that cannot be found refuses the request: a model must not answer about what it cannot see. */
import { LlmError } from "../llm/errors.ts";
import type { StreamEvent } from "../llm/event.ts";
import type { Message } from "../llm/message.ts";
import type { Provider } from "../llm/mod.ts";
import { describe } from "../lib/errors.ts";
import { type AttachmentStore, SessionError, withAttachments } from "../session/mod.ts";

/** The provider's `stream`, which gets messages without references. Like every stream, it never throws. */
export function fillingRequests(
  provider: Pick<Provider, "stream">,
  { get }: Pick<AttachmentStore, "get">,
): Provider["stream"] {
  return (request, signal) => {
    let messages: readonly Message[];
    try {
      messages = withAttachments(request.messages, get);
    } catch (cause) {
      const hint = cause instanceof SessionError ? cause.hint : undefined;
      return refused(
        new LlmError("bad_request", describe(cause), { cause, ...(hint === undefined ? {} : { hint }) }),
      );
    }
    return provider.stream({ ...request, messages }, signal);
  };
}

async function* refused(error: LlmError): AsyncGenerator<StreamEvent> {
  yield await Promise.resolve({ type: "error", error });
}
