/**
 * Joining a session while it works: a reader gets the entries that it has not
 * seen, a picture of what is going on, and from then on everything that
 * happens, with nothing in between lost. For a reader that is slow, pieces of
 * texts are left out (what is finished says them again, whole); what is
 * finished never is.
 */
import type { AnyEntry, Session } from "../session/mod.ts";
import type { EngineEvent } from "./event.ts";
import { type Queued, queueOf } from "./queue.ts";

/** A call that has begun and not ended. */
export interface RunningCall {
  readonly callId: string;
  readonly name: string;
  readonly args: unknown;
  /** The end of what it has put out so far. */
  readonly output: string;
}

/** What is going on, beside what is in the session already. */
export interface LiveSnapshot {
  readonly running: boolean;
  /** Of the answer that is coming in. */
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly RunningCall[];
  /** What the user has said for when the run is over. */
  readonly queued: readonly Queued[];
  /** What waits for a person: permissions and questions, as they were asked. */
  readonly open: readonly Extract<EngineEvent, { type: "permission_request" | "question" }>[];
}

export type LiveItem =
  | EngineEvent
  /** An entry of the session, written. `seq` is its number in the order of the file, from 1. */
  | { readonly type: "entry"; readonly seq: number; readonly entry: AnyEntry };

export interface Attached {
  /** The entries after the number that was asked for, with the number of the last one. */
  readonly entries: readonly AnyEntry[];
  readonly seq: number;
  readonly snapshot: LiveSnapshot;
  /** What happens from here on; ends with `detach`. For one reader. */
  readonly items: AsyncIterable<LiveItem>;
  detach(): void;
}

export interface Live {
  /** `from`: the number of the last entry that the reader has; 0: none. */
  attach(from: number): Attached;
}

/** Characters of a running call's output that a snapshot has. */
const OUTPUT = 16 * 1024;
/** Items that wait for a reader before pieces of texts are left out. */
const WAITING = 1000;

const PIECES: ReadonlySet<LiveItem["type"]> = new Set(["text_delta", "thinking_delta", "tool_output"]);

interface EventSource {
  subscribe(watch: (event: EngineEvent) => void): unknown;
}

export function createLive(session: Session, broadcast: EventSource): Live {
  let text = "";
  let thinking = "";
  let running = false;
  const calls = new Map<string, RunningCall>();
  const open = new Map<string, LiveSnapshot["open"][number]>();
  const readers = new Set<(item: LiveItem) => void>();

  function follow(event: EngineEvent): void {
    switch (event.type) {
      case "run_start":
        running = true;
        break;
      case "run_end":
        running = false;
        text = thinking = "";
        calls.clear();
        open.clear();
        break;
      case "step_start":
      case "retry":
      case "message_end":
        text = thinking = "";
        break;
      case "text_delta":
        text += event.text;
        break;
      case "thinking_delta":
        thinking += event.text;
        break;
      case "tool_start":
        calls.set(event.callId, { callId: event.callId, name: event.name, args: event.args, output: "" });
        break;
      case "tool_output": {
        const call = calls.get(event.callId);
        if (call) calls.set(event.callId, { ...call, output: (call.output + event.text).slice(-OUTPUT) });
        break;
      }
      case "tool_end":
        calls.delete(event.callId);
        break;
      case "permission_request":
        open.set(event.permitId, event);
        break;
      case "permission":
        for (const [id, one] of open) {
          if (one.type === "permission_request" && one.callId === event.callId) open.delete(id);
        }
        break;
      case "question":
        open.set(event.questionId, event);
        break;
      case "question_closed":
        open.delete(event.questionId);
        break;
    }
    for (const reader of readers) reader(event);
  }

  broadcast.subscribe(follow);
  session.watch((entry, seq) => {
    for (const reader of readers) reader({ type: "entry", seq, entry });
  });

  return {
    attach(from) {
      // Nothing can happen between these lines: so nothing is told twice, or not at all.
      const entries = [...session.entriesSince(from)];
      const queue = createQueue();
      readers.add(queue.push);
      return {
        entries,
        seq: from + entries.length,
        snapshot: {
          running,
          text,
          thinking,
          calls: [...calls.values()],
          queued: queueOf(session),
          open: [...open.values()],
        },
        items: queue.items,
        detach() {
          readers.delete(queue.push);
          queue.end();
        },
      };
    },
  };
}

function createQueue() {
  let waiting: LiveItem[] = [];
  let wake: (() => void) | undefined;
  let ended = false;
  return {
    push(item: LiveItem): void {
      waiting.push(item);
      if (waiting.length > WAITING) waiting = waiting.filter(({ type }) => !PIECES.has(type));
      wake?.();
    },
    end(): void {
      ended = true;
      wake?.();
    },
    items: {
      async *[Symbol.asyncIterator](): AsyncGenerator<LiveItem> {
        for (;;) {
          const item = waiting.shift();
          if (item !== undefined) yield item;
          else if (ended) return;
          else await new Promise<void>((resolve) => wake = resolve);
        }
      },
    },
  };
}
