/**
 * How many images a server takes in one request: the oldest of them become a
 * word. They go in steps of half the limit, so that the requests after it grow
 * at their end again, and a cache of their beginning is read. Pure: the same
 * history gives the same messages, and the same objects.
 */
import type { ContentPart, Message } from "../../message.ts";

type Holder = Extract<Message, { role: "user" | "tool_result" }>;

const WORD = "(an image, left out: it is older than those that the server takes)";

/** Message -> how many of its first images are left out -> what it is then. */
const known = new WeakMap<Message, Map<number, Message>>();

/** The messages with at most `most` images; undefined: as many as there are. */
export function limitImages(messages: readonly Message[], most: number | undefined): readonly Message[] {
  if (most === undefined) return messages;
  let total = 0;
  for (const message of messages) total += countImages(message);
  if (total <= most) return messages;
  const step = Math.max(1, Math.floor(most / 2));
  let drop = Math.min(total, Math.ceil((total - most) / step) * step);
  return messages.map((message) => {
    const out = Math.min(drop, countImages(message));
    drop -= out;
    return out === 0 ? message : withoutImages(message as Holder, out);
  });
}

function countImages(message: Message): number {
  if (message.role !== "user" && message.role !== "tool_result") return 0;
  let images = 0;
  for (const part of message.parts) if (part.type === "image") images++;
  return images;
}

function withoutImages(message: Holder, out: number): Message {
  let forms = known.get(message);
  if (forms === undefined) known.set(message, forms = new Map());
  let form = forms.get(out);
  if (form === undefined) {
    let left = out;
    const parts = message.parts.map((part): ContentPart =>
      part.type === "image" && left-- > 0 ? { type: "text", text: WORD } : part
    );
    forms.set(out, form = { ...message, parts });
  }
  return form;
}

/** The number of images that a refusal names; undefined where it is about something else. */
export function imagesRefused(text: string): number | undefined {
  const named =
    /(?:at most|up to|no more than|max(?:imum)?(?: (?:is|of|number of images is))?|limit(?: is| of)?:?|images >)\s*(\d{1,4})\b/i
      .exec(text)?.[1];
  if (
    !/too m(?:any|uch) (?:images?|media)|images? (?:per|in (?:one|a|the|this)) (?:request|prompt)|\d image(?:s|\(s\)|\b)/i
      .test(text)
  ) {
    return undefined;
  }
  return named === undefined ? undefined : Number(named);
}
