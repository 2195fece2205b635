/**
 * How large the conversation is: the meter with what servers have counted,
 * the limits of the model in use, and what fills the window. Usage that was
 * counted before the conversation was changed is told apart; nothing is
 * written here.
 */
import type { ToolEntry } from "../agent/tool.ts";
import type { Meter, SpaceLimits } from "../context/compact/mod.ts";
import { type Message, textOf } from "../llm/message.ts";
import type { Session } from "../session/mod.ts";
import { countedTokens } from "./space_passes.ts";

/** What fills the window. */
export interface SpaceReport {
  readonly tokens: number;
  readonly exact: boolean;
  readonly contextWindow: number | undefined;
  readonly trigger: number | undefined;
  /** `other`: what no text explains and the server counts all the same. */
  readonly parts: Readonly<
    Record<"tools" | "prompt" | "instructions" | "user" | "answers" | "results" | "other", number>
  >;
}

/** What the size of a conversation depends on. */
export interface SizeOptions {
  readonly session: Session;
  readonly entries: readonly ToolEntry[];
  /** The model in use. */
  readonly model: () => { readonly contextWindow?: number; readonly maxOutput?: number };
  readonly settings: Pick<SpaceLimits, "reserve" | "keepRecentTokens"> & { readonly threshold: number };
}

/** The conversation as it was measured. */
export interface Measured {
  readonly tokens: number;
  /** Whether a provider counted it. */
  readonly exact: boolean;
  /** Tokens that no message explains: tools, and what the provider adds. */
  readonly fixed: number;
  /** What of it not even the tools explain: where that is much, the texts may be longer than they are estimated. */
  readonly other: number;
  /** What a server counted last; undefined: nothing since the conversation was changed. */
  readonly counted: number | undefined;
}

/** The size of a session's conversation. */
export interface SpaceSize {
  /** The window of the model in use; undefined: unknown. */
  window(): number | undefined;
  limits(): SpaceLimits;
  measure(): Promise<Measured>;
  /** Whether the conversation may be near its bound, found out without measuring it. `share`: of the bound, what counts as near. */
  mayBeLong(share: number): boolean;
  /** The conversation is no more what servers have counted. */
  changed(): void;
  /** A server that refused a request says what it takes. */
  learnWindow(contextWindow: number): void;
  /** Tokens of the next request, and what makes them up. `news`: what the system will say before it. */
  report(news?: string): Promise<SpaceReport>;
  /** The files of instructions in it. */
  instructions(news?: string): Promise<readonly { readonly path: string; readonly tokens: number }[]>;
}

/** Without a known window, a refusal says that this much was too much: the cut takes it as the window. */
const UNKNOWN_WINDOW = 128_000;
/** Characters of a message for one token, at the least: below half of the trigger by this nothing is measured. */
const CHARS_PER_TOKEN = 2;
/** Characters that stand for an image or a document where nothing is measured. */
const BINARY_CHARS = 2_000;

/** Watches the size of a session's conversation. */
export function watchSize({ session, entries, model, settings }: SizeOptions): SpaceSize {
  /** What servers said when they refused a request, by model. */
  const refusals = new Map<object, number>();
  /** Answers whose usage is of a conversation that is no more as it was. */
  const stale = staleAnswers(session);
  let meter: Meter | undefined;
  let observed: Message | undefined;
  let toolTokens = 0;

  const load = () => import("../context/compact/mod.ts");
  const window = () => refusals.get(model()) ?? model().contextWindow;
  const limits = (): SpaceLimits => {
    const { maxOutput } = model();
    return {
      contextWindow: window() ?? UNKNOWN_WINDOW,
      reserve: settings.reserve,
      threshold: settings.threshold,
      keepRecentTokens: settings.keepRecentTokens,
      ...(maxOutput === undefined ? {} : { maxOutput }),
    };
  };
  const usageOf = (message: Message | undefined) =>
    message?.role === "assistant" && !stale.has(message) ? message.usage : undefined;

  async function measure(): Promise<Measured> {
    const { createMeter, estimateTokens } = await load();
    if (meter === undefined) {
      toolTokens = estimateTokens(JSON.stringify(entries.map(declared)));
      meter = createMeter(toolTokens);
    }
    const { messages } = session.projection;
    const at = messages.findLastIndex((message) => usageOf(message) !== undefined);
    const last = messages[at];
    const usage = usageOf(last);
    if (usage !== undefined && last !== observed) {
      observed = last;
      meter.observe(messages.slice(0, at + 1), usage);
    }
    const counted = usage === undefined ? undefined : countedTokens(usage);
    const { fixed } = meter;
    return { ...meter.measure(messages), fixed, other: Math.max(0, fixed - toolTokens), counted };
  }

  function withNews(news: string | undefined): readonly Message[] {
    const { messages } = session.projection;
    return news === undefined ? messages : [...messages, { role: "system", text: news }];
  }

  return {
    window,
    limits,
    measure,
    mayBeLong(share) {
      const { messages } = session.projection;
      const { contextWindow } = limits();
      let chars = 0;
      for (let at = messages.length - 1; at >= 0; at--) {
        const usage = usageOf(messages[at]);
        if (usage !== undefined) {
          chars += countedTokens(usage) * CHARS_PER_TOKEN;
          break;
        }
        chars += lengthOf(messages[at]);
      }
      const bound = Math.min(contextWindow / 2, contextWindow - settings.reserve);
      return chars / CHARS_PER_TOKEN > bound * share;
    },
    changed() {
      for (const message of session.projection.messages) {
        if (message.role === "assistant") stale.add(message);
      }
    },
    learnWindow(contextWindow) {
      refusals.set(model(), contextWindow);
    },
    async report(news) {
      const { instructionTokens, messageTokens, triggerOf } = await load();
      const { tokens, exact, fixed, other } = await measure();
      const parts = {
        tools: fixed - other,
        prompt: 0,
        instructions: 0,
        user: 0,
        answers: 0,
        results: 0,
        other,
      };
      for (const message of withNews(news)) {
        const instructions = message.role === "assistant" ? 0 : instructionTokens(textIn(message));
        parts.instructions += instructions;
        parts[PART[message.role]] += Math.max(0, messageTokens(message) - instructions);
      }
      const contextWindow = window();
      const trigger = contextWindow === undefined ? undefined : triggerOf(limits());
      const coming = news === undefined ? 0 : messageTokens({ role: "system", text: news });
      return { tokens: tokens + coming, exact: exact && coming === 0, contextWindow, trigger, parts };
    },
    async instructions(news) {
      const { instructionFiles } = await load();
      return withNews(news).flatMap((message) =>
        message.role === "assistant" ? [] : instructionFiles(textIn(message))
      );
    },
  };
}

const PART = { system: "prompt", user: "user", assistant: "answers", tool_result: "results" } as const;

function textIn(message: Exclude<Message, { role: "assistant" }>): string {
  return message.role === "system" ? message.text : textOf(message.parts);
}

function declared({ name, description, schema }: ToolEntry) {
  return { name, description, schema };
}

/** Answers before the last change of what the model sees: what was counted for them is of something else. */
function staleAnswers(session: Session): WeakSet<Message> {
  const stale = new WeakSet<Message>();
  const path = session.path();
  const last = path.findLastIndex(({ kind }) => kind === "compaction" || kind === "context_edit");
  if (last < 0) return stale;
  const before = new Set(path.slice(0, last).map(({ id }) => id));
  const { messages, origins } = session.projection;
  for (const [at, message] of messages.entries()) if (before.has(origins[at])) stale.add(message);
  return stale;
}

function lengthOf(message: Message): number {
  if (message.role === "system") return message.text.length;
  let length = 0;
  for (const part of message.parts) {
    if (part.type === "tool_call") length += part.arguments.length;
    else if ("text" in part) length += part.text.length;
    else length += BINARY_CHARS;
  }
  return length;
}
