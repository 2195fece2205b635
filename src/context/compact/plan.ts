/**
 * When a conversation has grown too long, and what is done about it: pure
 * functions over its messages. One action at a time: old tool output is
 * cleared where that frees enough, else the older part is summarised.
 */
import type { Message } from "../../llm/message.ts";
import { messageTokens } from "./tokens.ts";

/** The newest tokens of tool output that an automatic pass leaves alone. */
const RECENT_OUTPUT_TOKENS = 40_000;
/** Clearing that frees less is not worth the broken cache. */
const WORTHWHILE_TOKENS = 20_000;
/** Results below this are not cleared: the reference would take as much. */
const SMALL_RESULT_TOKENS = 200;
/** The share of the window that a summary may take, and its bounds. */
const SUMMARY = { share: 0.08, min: 1_024, max: 16_000 } as const;

/** How references to texts that went begin: such a text does not go again. */
export const CLEARED = "[cleared ";
/** As {@link CLEARED}, for what the pruner took away. */
export const PARKED = "[parked ";

/** What a conversation must fit in. */
export interface SpaceLimits {
  /** Tokens that the model takes in all. */
  readonly contextWindow: number;
  /** Tokens kept free for the answer. */
  readonly reserve: number;
  /** The share of the window at which the pass begins, where that comes sooner. */
  readonly threshold?: number;
  /** Tokens at the end that stay as they are, if there is room. */
  readonly keepRecentTokens: number;
  /** Tokens that the model writes at most. */
  readonly maxOutput?: number;
}

/** A request above this many tokens is shortened first. */
export function triggerOf({ contextWindow, reserve, threshold }: SpaceLimits): number {
  // A reserve that leaves nothing is a mistake of a small window, not a wish to send nothing.
  const kept = Math.min(reserve, Math.floor(contextWindow / 2));
  return Math.min(contextWindow - kept, Math.floor((threshold ?? 1) * contextWindow));
}

/** Tokens that a summary may have: said to the model, and left free by the cut. */
export function summaryBudget({ contextWindow, reserve, maxOutput }: SpaceLimits): number {
  const share = Math.round(SUMMARY.share * contextWindow);
  const room = Math.min(
    SUMMARY.max,
    maxOutput ?? SUMMARY.max,
    Math.max(SUMMARY.min, Math.floor(reserve * 0.8)),
  );
  return Math.max(SUMMARY.min, Math.min(share, room));
}

/** A result that may be cleared. */
export interface Clearable {
  /** Its place among the messages. */
  readonly at: number;
  readonly tokens: number;
}

/** The results older than the newest `recent` tokens of tool output, oldest first. */
export function clearable(messages: readonly Message[], recent: number): Clearable[] {
  const old: Clearable[] = [];
  let newer = 0;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message.role !== "tool_result") continue;
    const tokens = messageTokens(message);
    if (newer >= recent && tokens >= SMALL_RESULT_TOKENS && !isCleared(message)) old.unshift({ at, tokens });
    newer += tokens;
  }
  return old;
}

function isCleared(message: Message & { role: "tool_result" }): boolean {
  const first = message.parts[0];
  return first?.type === "text" && isReference(first.text);
}

/** Whether a text is a reference to one that went. */
export function isReference(text: string): boolean {
  return text.startsWith(CLEARED) || text.startsWith(PARKED);
}

/** Whether results that can go are worth the broken cache, and enough. */
export function worthGoing(
  results: readonly Clearable[],
  tokens: number,
  limits: SpaceLimits,
): boolean {
  const freed = results.reduce((sum, one) => sum + one.tokens, 0);
  return freed >= WORTHWHILE_TOKENS && tokens - freed <= triggerOf(limits);
}

/** What one pass does. */
export type SpaceAction =
  | { readonly type: "none" }
  | { readonly type: "clear"; readonly results: readonly Clearable[] }
  | { readonly type: "summarise"; readonly cut: Cut }
  /** There is nothing left that could go. */
  | { readonly type: "stuck" };

/** The one action for a request of `tokens` tokens, `fixed` of which are no message. */
export function planSpace(
  messages: readonly Message[],
  { tokens, fixed }: { readonly tokens: number; readonly fixed: number },
  limits: SpaceLimits,
): SpaceAction {
  const trigger = triggerOf(limits);
  if (tokens <= trigger) return { type: "none" };
  const results = clearable(messages, RECENT_OUTPUT_TOKENS);
  if (worthGoing(results, tokens, limits)) return { type: "clear", results };
  const cut = planCut(messages, roomForRecent(limits, fixed));
  return cut === undefined ? { type: "stuck" } : { type: "summarise", cut };
}

/** How many tokens of the newest messages may stay: what was asked for, as far as the summary leaves room. */
export function roomForRecent(limits: SpaceLimits, fixed: number): number {
  const room = triggerOf(limits) - fixed - summaryBudget(limits);
  // Half of the room, so that the next pass is not due at once.
  return Math.max(0, Math.min(limits.keepRecentTokens, Math.floor(room / 2)));
}

/** Where the kept part begins. */
export interface Cut {
  /** The first kept message; the number of messages where none is kept. */
  readonly at: number;
  /** Whether the kept part begins within what one request of the user led to. */
  readonly withinTurn: boolean;
}

/**
 * The cut that keeps at most `keep` tokens at the end, and never a result
 * apart from its call. Undefined where nothing but system prompts and an
 * earlier summary would be left out.
 */
export function planCut(messages: readonly Message[], keep: number): Cut | undefined {
  let at = messages.length;
  let kept = 0;
  for (let next = messages.length - 1; next >= 0; next--) {
    const message = messages[next];
    if (message.role === "system") continue;
    kept += messageTokens(message);
    if (kept > keep) break;
    if (message.role !== "tool_result") at = next;
  }
  // The last step of the work is what the next one builds on: it stays, however long it is.
  if (at === messages.length) at = lastStep(messages);
  const worth = messages.slice(0, at).some((message) => message.role !== "system" && !isSummary(message));
  if (!worth) return undefined;
  return { at, withinTurn: messages[at] !== undefined && messages[at].role !== "user" };
}

/** Where the last answer with calls and their results begins; the end where the conversation ends otherwise. */
function lastStep(messages: readonly Message[]): number {
  let at = messages.length;
  while (at > 0 && messages[at - 1].role === "tool_result") at--;
  return at < messages.length && messages[at - 1]?.role === "assistant" ? at - 1 : messages.length;
}

function isSummary(message: Message): boolean {
  const first = message.role === "user" ? message.parts[0] : undefined;
  return first?.type === "text" && first.text.startsWith("<summary>\n");
}
