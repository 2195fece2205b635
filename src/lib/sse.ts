/**
 * Bytes into server-sent events. Any border between chunks gives the same
 * events: inside a character, a line, a CR LF pair or a byte order mark. The
 * last event may lack its blank line; it is marked, since a stream that was cut
 * looks the same and only the reader of the data can tell.
 */
import { createParser } from "eventsource-parser";
import { AppError } from "./errors.ts";

/** As WHATWG's HTML standard (9.2, Server-sent events) reads a stream, without ids and retry times. */
export interface ServerEvent {
  /** The `event:` field, where there was one. */
  readonly event?: string;
  /** The `data:` lines, joined by line feeds. */
  readonly data: string;
  /** The stream ended before the blank line that closes an event. */
  readonly unfinished?: true;
}

/** Characters of one event; a server that sends more is broken or hostile. */
const MAX_EVENT = 64 * 1024 * 1024;

/** For one stream, from its first byte on. */
interface SseReader {
  /** The events that these bytes complete. Throws AppError "too_large" on an event without end. */
  feed(bytes: Uint8Array): ServerEvent[];
  /** What was left when the bytes ended: at most one event, marked `unfinished`. */
  end(): ServerEvent[];
}

/** Makes a reader for one stream. */
export function createSseReader(): SseReader {
  // The decoder keeps a byte order mark for the parser, which knows where one may stand.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let events: ServerEvent[] = [];
  let tooLarge = false;
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent({ event, data }) {
      events.push(event === undefined ? { data } : { event, data });
    },
    onError(error) {
      // Unknown fields are ignored, as the standard says.
      if (error.type === "max-buffer-size-exceeded") tooLarge = true;
    },
  });
  const take = (text: string): ServerEvent[] => {
    parser.feed(text);
    if (tooLarge) {
      throw new AppError("too_large", `a server-sent event is longer than ${MAX_EVENT} characters`);
    }
    const taken = events;
    events = [];
    return taken;
  };
  return {
    feed: (bytes) => take(decoder.decode(bytes, { stream: true })),
    end() {
      const finished = take(decoder.decode());
      // A line that is not closed, then the blank line that dispatches.
      const rest = take("\n\n").map((event): ServerEvent => ({ ...event, unfinished: true }));
      return [...finished, ...rest];
    },
  };
}
