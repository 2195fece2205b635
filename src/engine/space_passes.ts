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

export interface Passes {
  /** Passes at the end of a path since a server last counted a request that fits. */
  readonly fruitless: number;
  /** What it counted last, where nothing but passes came after it that could make it less: no other model, no other section of the prompt. */
  readonly still: number | undefined;
}

/** What a path tells of the passes on it. */
export function passesOn(path: Iterable<AnyEntry>, trigger: number): Passes {
  let fruitless = 0;
  let counted: { readonly tokens: number; readonly model: string } | undefined;
  let same = true;
  for (const entry of path) {
    if (!isKnown(entry)) continue;
    switch (entry.kind) {
      case "compaction":
        fruitless++;
        break;
      case "context_edit":
        if (entry.reason === "clear") fruitless++;
        else same = false;
        break;
      case "system":
        same = false;
        break;
      case "run_start":
        if (counted !== undefined && entry.model !== counted.model) same = false;
        break;
      case "assistant": {
        const { usage, model } = entry.message;
        if (usage === undefined) break;
        counted = { tokens: countedTokens(usage), model };
        same = true;
        if (counted.tokens <= trigger) fruitless = 0;
      }
    }
  }
  return { fruitless, still: same ? counted?.tokens : undefined };
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
