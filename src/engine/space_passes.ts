/**
 * What stands beside the passes that make room: how many of them came to
 * nothing, read from the session, so that a session that is opened anew does
 * not begin to count again; and the question to the pruner.
 */
import type { StaleBlock } from "../context/compact/mod.ts";
import { describe } from "../lib/errors.ts";
import type { StreamEvent } from "../llm/event.ts";
import { type Message, textOf, type Usage } from "../llm/message.ts";
import { type AnyEntry, isKnown } from "../session/mod.ts";

/** Asks the small model; absent where none is configured. */
export type AskPruner = (messages: readonly Message[], signal: AbortSignal) => AsyncIterable<StreamEvent>;

/** Tokens that a server counted for a request and its answer; the parts count, whatever the total says. */
export function countedTokens({ input, output, cacheRead, cacheWrite }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}

/** Passes at the end of a path since a server last counted a request that fits. */
export function fruitlessPasses(path: Iterable<AnyEntry>, trigger: number): number {
  let passes = 0;
  for (const entry of path) {
    if (!isKnown(entry)) continue;
    if (entry.kind === "compaction") passes++;
    else if (entry.kind === "context_edit" && entry.reason === "clear") passes++;
    else if (entry.kind === "assistant" && entry.message.usage !== undefined) {
      if (countedTokens(entry.message.usage) <= trigger) passes = 0;
    }
  }
  return passes;
}

export interface Found {
  readonly stale: readonly StaleBlock[];
  readonly usage?: Usage;
  /** Why the model could not be asked. */
  readonly why?: string;
}

/** Which old outputs the pruner calls stale. Rejects only with the signal's reason. */
export async function findStale(
  messages: readonly Message[],
  ask: AskPruner,
  signal: AbortSignal,
): Promise<Found> {
  const { askStale, parkable, readStale } = await import("../context/compact/mod.ts");
  const blocks = parkable(messages);
  try {
    for await (const event of ask(askStale(messages, blocks), signal)) {
      if (event.type === "error") return { stale: [], why: event.error.message };
      if (event.type !== "done") continue;
      const { parts, usage } = event.message;
      return { stale: readStale(textOf(parts), blocks), ...(usage === undefined ? {} : { usage }) };
    }
  } catch (error) {
    signal.throwIfAborted();
    return { stale: [], why: describe(error) };
  }
  signal.throwIfAborted();
  return { stale: [], why: "it gave no answer" };
}
