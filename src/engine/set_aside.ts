/**
 * A picture or document that the provider refuses would be in every further
 * request, and refuse them all. It is taken out of what the model sees; the
 * entry keeps it.
 */
import type { LlmError } from "../llm/errors.ts";
import type { Message } from "../llm/message.ts";
import type { Session } from "../session/mod.ts";

/** What servers say where a picture or document is the reason. */
const BLAMES = /\b(image|picture|media|document|pdf|base64|attachment)/i;

const holds = (message: Message) =>
  (message.role === "user" || message.role === "tool_result") &&
  message.parts.some(({ type }) => type === "image" || type === "document");

/** Takes out what came since the last answer, where the error is about such; answers with what to tell the user. */
export async function setAsideRefused(session: Session, error: LlmError): Promise<string | undefined> {
  if (error.code !== "bad_request" || !BLAMES.test(`${error.message} ${describeCause(error)}`)) {
    return undefined;
  }
  const { messages, origins } = session.projection;
  const since = messages.findLastIndex(({ role }) => role === "assistant");
  const all = origins.filter((_, at) => holds(messages[at]));
  // What was sent before an answer was taken by somebody once; only where nothing newer is there can it be the reason.
  const newer = origins.filter((_, at) => at > since && holds(messages[at]));
  const entries = [...new Set(newer.length > 0 ? newer : all)];
  if (entries.length === 0) return undefined;
  await session.append({
    kind: "context_edit",
    edits: entries.map((entry) => ({ entry, drop: "images" as const })),
    reason: "refused by the provider",
  });
  return "The provider refused a picture or document; the model does not see it any more, so that the session can go on.";
}

function describeCause({ cause }: LlmError): string {
  return cause instanceof Error ? cause.message : "";
}
