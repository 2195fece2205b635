/**
 * Bytes that people and tools handed over, outside of the session's file: an
 * entry holds a reference by content, the bytes are kept once for all
 * sessions. Pure: where they are kept is `blobs.ts`.
 */
import type { ContentPart, Message } from "../llm/message.ts";
import type { Payload } from "./entry.ts";
import { SessionError } from "./errors.ts";

const REFERENCE = /^attachment:([0-9a-f]{64})$/;
/** Shorter data stays in the entry: a reference would be as long. */
const INLINE = 1024;

/** The reference to a content. */
export function referenceTo(hash: string): string {
  return `attachment:${hash}`;
}

/** The hash that a reference names; undefined for data that is none. */
export function referenced(data: string): string | undefined {
  return REFERENCE.exec(data)?.[1];
}

type Put = (base64: string) => string | undefined;

interface HasData {
  readonly type: string;
  readonly data?: string;
}

function outside<Part extends HasData>(part: Part, put: Put): Part {
  if (
    (part.type !== "image" && part.type !== "document" && part.type !== "content") ||
    part.data === undefined || part.data.length <= INLINE
  ) return part;
  if (referenced(part.data) !== undefined) return part;
  const hash = put(part.data);
  // What is no base64 stays as it came: the provider says what is wrong with it.
  return hash === undefined ? part : { ...part, data: referenceTo(hash) };
}

/** The payload with references in place of large images and documents; `put` keeps base64 and answers with its hash. */
export function withReferences(payload: Payload, put: Put): Payload {
  if (payload.kind === "submission") {
    return {
      ...payload,
      parts: payload.parts.map((part) => outside(part, put)),
      message: payload.message.map((part) => outside(part, put)),
    };
  }
  return payload.kind === "result"
    ? { ...payload, parts: payload.parts.map((part) => outside(part, put)) }
    : payload;
}

/** The parts with their bytes put back. Throws "not_found" where a reference cannot be resolved. */
export function withData<Part extends HasData>(
  parts: readonly Part[],
  get: (hash: string) => string | undefined,
): readonly Part[] {
  if (!parts.some((part) => part.data !== undefined && referenced(part.data) !== undefined)) return parts;
  return parts.map((part) => {
    const hash = part.data === undefined ? undefined : referenced(part.data);
    if (hash === undefined) return part;
    const data = get(hash);
    if (data !== undefined) return { ...part, data };
    throw new SessionError("not_found", `Cannot find the attachment ${hash.slice(0, 12)} of this session`, {
      hint: "It must be in the folder `attachments` of $MYELIN_HOME; the next prompt goes on without it",
    });
  });
}

/** Messages as a provider needs them: nothing in them is a reference any more. Same messages in, same messages out. */
export function withAttachments(
  messages: readonly Message[],
  get: (hash: string) => string | undefined,
): readonly Message[] {
  let filled: Message[] | undefined;
  for (const [at, message] of messages.entries()) {
    if (message.role !== "user" && message.role !== "tool_result") continue;
    const parts: readonly ContentPart[] = withData(message.parts, get);
    if (parts === message.parts) continue;
    filled ??= [...messages];
    filled[at] = { ...message, parts };
  }
  return filled ?? messages;
}
