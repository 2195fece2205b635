/**
 * Deltas into a message. `Draft` is what an adapter fills while it decodes;
 * `fold` and `createFold` rebuild a message from the events alone, for
 * watchers and for a stream that broke. A call of a draft counts as broken
 * until its arguments are known to be whole, so that a partial message can be
 * shown and never acted on.
 */
import type { LlmError } from "./errors.ts";
import type { StreamEvent } from "./event.ts";
import type { AssistantMessage, AssistantPart, StopReason, Usage } from "./message.ts";

/** A text that is still arriving. */
export interface OpenText {
  readonly type: "text";
  text: string;
  opaque?: unknown;
}

/** A thought that is still arriving; `field` as in ThinkingPart. */
export interface OpenThinking {
  readonly type: "thinking";
  text: string;
  readonly field: string | undefined;
  opaque: unknown;
  signature?: string;
}

/** A call that is still arriving. */
export interface OpenCall {
  readonly type: "tool_call";
  id: string;
  name: string;
  arguments: string;
  broken: boolean;
  opaque?: unknown;
}

/** A message that grows. Parts stand in the order in which they began. */
export class Draft {
  readonly #parts: (OpenText | OpenThinking | OpenCall)[] = [];
  readonly calls: OpenCall[] = [];

  get isEmpty(): boolean {
    return this.#parts.every((part) => part.type !== "tool_call" && isBlank(part));
  }

  addText(text: string): void {
    const last = this.#parts.at(-1);
    if (last?.type === "text" && last.opaque === undefined) last.text += text;
    else this.#parts.push({ type: "text", text });
  }

  /** Adds to the running thought; another field begins another part. */
  addThinking(text: string, field?: string): void {
    const last = this.#parts.at(-1);
    if (last?.type === "thinking" && last.field === field) last.text += text;
    else this.#parts.push({ type: "thinking", text, field, opaque: undefined });
  }

  /** Begins a text of its own. */
  openText(): OpenText {
    const part: OpenText = { type: "text", text: "" };
    this.#parts.push(part);
    return part;
  }

  /** Begins a thought of its own. */
  openThinking(): OpenThinking {
    const part: OpenThinking = { type: "thinking", text: "", field: undefined, opaque: undefined };
    this.#parts.push(part);
    return part;
  }

  /** Hangs on the first thought what the provider wants back unchanged. */
  setOpaque(opaque: unknown, field?: string): void {
    let part = this.#parts.find((part) => part.type === "thinking");
    if (part === undefined) {
      part = { type: "thinking", text: "", field, opaque };
      this.#parts.unshift(part);
    }
    part.opaque = opaque;
  }

  /** What the first text says up to a mark turns out to be a thought; the mark itself is neither. */
  takeThought(mark: RegExp): void {
    const at = this.#parts.findIndex((part) => part.type === "text");
    const part = this.#parts[at];
    const found = part?.type === "text" ? mark.exec(part.text) : null;
    if (part?.type !== "text" || found === null) return;
    const thought = part.text.slice(0, found.index).trim();
    part.text = part.text.slice(found.index + found[0].length);
    if (thought === "") return;
    this.#parts.splice(at, 0, { type: "thinking", text: thought, field: undefined, opaque: undefined });
  }

  /** Begins a call; its place is `calls.length - 1`. */
  openCall(id: string, name: string): OpenCall {
    const call: OpenCall = { type: "tool_call", id, name, arguments: "", broken: true };
    this.#parts.push(call);
    this.calls.push(call);
    return call;
  }

  get thinks(): boolean {
    return this.#parts.some((part) => part.type === "thinking");
  }

  /** The visible text so far. */
  get text(): string {
    let text = "";
    for (const part of this.#parts) if (part.type === "text") text += part.text;
    return text;
  }

  /** The message as it stands. */
  message(model: string, stopReason: StopReason, usage: Usage | undefined): AssistantMessage {
    // A part that was opened and never filled says nothing.
    const parts = this.#parts.filter((part) => part.type === "tool_call" || !isBlank(part)).map(closed);
    return usage === undefined
      ? { role: "assistant", parts, stopReason, model }
      : { role: "assistant", parts, stopReason, model, usage };
  }
}

function isBlank(part: OpenText | OpenThinking): boolean {
  return part.text === "" && part.opaque === undefined &&
    (part.type === "text" || part.signature === undefined);
}

function closed(part: OpenText | OpenThinking | OpenCall): AssistantPart {
  switch (part.type) {
    case "text":
      return {
        type: "text",
        text: part.text,
        ...(part.opaque === undefined ? {} : { opaque: part.opaque }),
      };
    case "thinking":
      return {
        type: "thinking",
        text: part.text,
        ...(part.signature === undefined ? {} : { signature: part.signature }),
        ...(part.opaque === undefined ? {} : { opaque: part.opaque }),
        ...(part.field === undefined ? {} : { field: part.field }),
      };
    case "tool_call": {
      const { type, id, name, opaque } = part;
      const call = {
        type,
        id,
        name,
        arguments: part.arguments,
        ...(opaque === undefined ? {} : { opaque }),
      } as const;
      return part.broken ? { ...call, broken: true } : call;
    }
  }
}

/** What the events so far come to. */
export interface Folded {
  /** What is there: the finished message after `done`, else all that arrived since the last `start`. */
  readonly message: AssistantMessage;
  readonly ended: "no" | "done" | "error";
  readonly error?: LlmError;
}

/** `state` may be asked for after any event. */
interface Fold {
  push(event: StreamEvent): void;
  state(): Folded;
}

/** Rebuilds a message event by event; `model` is the name it is given until it is done. */
function createFold(model: string): Fold {
  let draft = new Draft();
  let usage: Usage | undefined;
  let result: Folded | undefined;
  const partial = () => draft.message(model, draft.calls.length > 0 ? "tool_calls" : "stop", usage);
  const reset = () => {
    draft = new Draft();
    usage = undefined;
  };
  return {
    push(event) {
      switch (event.type) {
        case "start":
        case "retry":
          return reset();
        case "text_delta":
          return draft.addText(event.text);
        case "thinking_delta":
          return draft.addThinking(event.text);
        case "tool_call_start":
          draft.openCall(event.id, event.name);
          return;
        case "tool_call_delta":
          draft.calls[event.index].arguments += event.arguments;
          return;
        case "usage":
          usage = event.usage;
          return;
        case "notice":
          return;
        case "done":
          result = { message: event.message, ended: "done" };
          return;
        case "error":
          result = { message: event.partial ?? partial(), ended: "error", error: event.error };
      }
    },
    state: () => result ?? { message: partial(), ended: "no" },
  };
}

/** Rebuilds a message from all events of a stream. */
export function fold(events: Iterable<StreamEvent>, model: string): Folded {
  const running = createFold(model);
  for (const event of events) running.push(event);
  return running.state();
}
