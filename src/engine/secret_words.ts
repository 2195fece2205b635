/**
 * What a model itself writes, before anybody sees it: values that it has come
 * to know become marks in its words, its calls and the names that it makes
 * up. Pieces of one text follow each other, so a value that is spread over
 * several of them is found as well.
 */
import type { MaskOptions, MaskStream, Vault } from "../lib/secrets/mod.ts";
import { mapStream } from "../lib/map_stream.ts";
import type { StreamEvent } from "../llm/event.ts";
import type { AssistantMessage, AssistantPart, ToolCall } from "../llm/message.ts";

/** Masks what a model writes. */
export interface WrittenMask {
  /** The same stream, with marks in place of values. */
  stream(events: AsyncIterable<StreamEvent>): AsyncIterable<StreamEvent>;
  /** Marks that stand for what the model has written itself: it means the values, whatever tool it calls. */
  readonly marks: ReadonlySet<string>;
}

/** Only known values: what looks like a key in an answer is an example more often than not. */
const WORDS: MaskOptions = { shapes: false };

/** Masks what a model writes with the values that the vault knows. */
export function maskWritten(vault: Vault): WrittenMask {
  const marks = new Set<string>();

  function call(one: ToolCall): ToolCall {
    const name = vault.mask(one.name);
    const written = maskedArguments(one);
    if (name === one.name && written === one.arguments) return one;
    for (const mark of vault.marks(written)) if (!one.arguments.includes(mark)) marks.add(mark);
    // No provider takes a mark for a name.
    return { ...one, name: name === one.name ? name : name.replace(/[^\w-]+/g, "_"), arguments: written };
  }

  /** As data, so that what is put back later is the value and not its spelling in JSON. */
  function maskedArguments({ arguments: text }: ToolCall): string {
    if (vault.mask(text) === text) return text;
    try {
      const value: unknown = JSON.parse(text);
      const masked = vault.maskAll(value, { names: true });
      return masked === value ? text : JSON.stringify(masked);
    } catch {
      return vault.mask(text);
    }
  }

  function assistantPart(one: AssistantPart): AssistantPart {
    if (one.type === "tool_call") return call(one);
    // The provider wants a signed thought back as it was.
    if (one.type === "thinking" && (one.signature !== undefined || one.opaque !== undefined)) return one;
    const text = vault.mask(one.text, WORDS);
    return text === one.text ? one : { ...one, text };
  }

  function message(given: AssistantMessage): AssistantMessage {
    const parts = given.parts.map(assistantPart);
    return parts.some((one, i) => one !== given.parts[i]) ? { ...given, parts } : given;
  }

  function stream(events: AsyncIterable<StreamEvent>): AsyncIterable<StreamEvent> {
    let open:
      | { readonly key: string; readonly live: MaskStream; last(text: string): StreamEvent }
      | undefined;
    /** What the open text still holds back. */
    function rest(): StreamEvent[] {
      const text = open?.live.end() ?? "";
      const events = text === "" ? [] : [open!.last(text)];
      open = undefined;
      return events;
    }
    return mapStream(events, (event) => {
      const delta = deltaOf(event);
      if (delta === undefined) {
        const own = masked(event);
        return open === undefined ? own : [...rest(), own];
      }
      const before = open !== undefined && open.key !== delta.key ? rest() : [];
      open ??= { key: delta.key, live: vault.liveStream(), last: delta.with };
      const text = open.live.push(delta.text);
      return text === "" ? before : [...before, text === delta.text ? event : delta.with(text)];
    });
  }

  /** An event that is no piece of a text. */
  function masked(event: StreamEvent): StreamEvent {
    if (event.type === "done") return { ...event, message: message(event.message) };
    if (event.type === "error" && event.partial !== undefined) {
      return { ...event, partial: message(event.partial) };
    }
    if (event.type === "tool_call_start") return { ...event, name: vault.mask(event.name) };
    return event;
  }

  return { stream, marks };
}

/** A piece of text in an event, and the event with another one; pieces with one key follow each other. */
function deltaOf(
  event: StreamEvent,
): { readonly key: string; readonly text: string; with(text: string): StreamEvent } | undefined {
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
      return { key: event.type, text: event.text, with: (text) => ({ ...event, text }) };
    case "tool_call_delta":
      return {
        key: `${event.type} ${event.index}`,
        text: event.arguments,
        with: (text) => ({ ...event, arguments: text }),
      };
    default:
      return undefined;
  }
}
