/**
 * Room in the context window: before each request the conversation is
 * measured, and where it has grown too long, old tool output is cleared or
 * the older part summarised, as src/context/compact plans it. Nothing is
 * rewritten: what the model sees changes by an entry that is appended when
 * all of it is there, so that a cancelled or failed pass changes nothing.
 */
import { NOTHING_SPENT, type Spent } from "../agent/mod.ts";
import type { KeepText, Meter, SpaceLimits, SummaryAnswer, SummaryRequest } from "../context/compact/mod.ts";
import type { PromptFiles } from "../context/mod.ts";
import { LlmError } from "../llm/errors.ts";
import type { StreamEvent } from "../llm/event.ts";
import { type Message, textOf, type Usage } from "../llm/message.ts";
import type { Payload, Session } from "../session/mod.ts";
import type { EngineEvent } from "./event.ts";
import { fileUseOf } from "./file_use.ts";
import { type AskPruner, countedTokens, findStale, passesOn } from "./space_passes.ts";
import type { ToolEntry } from "../agent/tool.ts";

export interface SpaceOptions {
  readonly session: Session;
  readonly entries: readonly ToolEntry[];
  /** The model in use. Where its window is not known there is no automatic pass but after a refusal. */
  readonly model: () => { readonly contextWindow?: number; readonly maxOutput?: number };
  readonly settings: SpaceSettings;
  readonly promptFiles: () => PromptFiles;
  /** Sends the request of a summary; `live`: with the tools, which may not be called. */
  readonly request: (request: SummaryRequest, signal: AbortSignal) => AsyncIterable<StreamEvent>;
  /** Keeps a text among the session's artifacts. */
  readonly keep: KeepText;
  readonly costOf: (usage: Usage) => number | undefined;
  /** The small model that names stale outputs, and what it costs; absent: nothing is parked. */
  readonly pruner?: { readonly ask: AskPruner; readonly costOf: (usage: Usage) => number | undefined };
  /** Is told when the next request will not begin as the last one did. */
  readonly announce?: () => void;
  readonly emit: (event: EngineEvent) => void;
}

export interface SpaceSettings {
  readonly enabled: boolean;
  readonly reserve: number;
  readonly threshold: number;
  readonly keepRecentTokens: number;
  readonly strategy: "plain" | "notify" | "prepare";
  readonly summaryRequest: "live" | "separate";
}

/** What became of a pass that was asked for. */
export type Pass =
  | { readonly type: "done"; readonly before: number; readonly after: number }
  | { readonly type: "nothing" }
  | { readonly type: "failed"; readonly why: string };

export interface Space {
  /** The stream of the next request, after room was made where it is needed. */
  stream(
    send: (messages: readonly Message[]) => AsyncIterable<StreamEvent>,
    signal: AbortSignal,
  ): AsyncIterable<StreamEvent>;
  /** Summarises now. */
  compact(signal: AbortSignal, focus?: string): Promise<Pass>;
  /** Shakes now; the tokens freed. */
  shake(mode: "elide" | "images" | "thinking"): Promise<number>;
  /** Tokens of the next request, and what makes them up. `news`: what the system will say before it. */
  measure(news?: string): Promise<SpaceReport>;
  /** The files of instructions in it. */
  instructions(news?: string): Promise<readonly { readonly path: string; readonly tokens: number }[]>;
  /** What summaries have cost since this was last asked. */
  takeSpent(): Spent;
}

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

/** Without a known window, a refusal says that this much was too much: the cut takes it as the window. */
const UNKNOWN_WINDOW = 128_000;
/** A pass that frees nothing is tried once more, then the user is told. */
const MAX_FRUITLESS = 2;
/** The share of the trigger at which the model is told to write down what it must not lose. */
const NOTICE_SHARE = 0.85;
/** Characters of a message for one token, at the least: below half of the trigger by this nothing is measured. */
const CHARS_PER_TOKEN = 2;

export function createSpace(options: SpaceOptions): Space {
  const { session, settings, emit } = options;
  /** What servers said when they refused a request, by model. */
  const refusals = new Map<object, number>();
  const windowNow = () => {
    const model = options.model();
    return refusals.get(model) ?? model.contextWindow;
  };
  const limitsNow = (): SpaceLimits => ({
    contextWindow: windowNow() ?? UNKNOWN_WINDOW,
    reserve: settings.reserve,
    threshold: settings.threshold,
    keepRecentTokens: settings.keepRecentTokens,
    ...(options.model().maxOutput === undefined ? {} : { maxOutput: options.model().maxOutput! }),
  });
  let meter: Meter | undefined;
  /** Answers whose usage is of a conversation that is no more as it was. */
  const stale = new WeakSet<Message>();
  let observed: Message | undefined;
  /** Passes since a server last counted a request that fits; undefined: the session was not asked yet. */
  let fruitless: number | undefined;
  /** Summaries that could not be had, since the last one that could. */
  let failures = 0;
  let toolTokens = 0;
  let told = false;
  let prepared = false;
  let spent = NOTHING_SPENT;

  markStale(session, stale);
  const load = () => import("../context/compact/mod.ts");

  /** The meter, with what the newest answer's usage says. */
  async function measured() {
    const { createMeter, estimateTokens } = await load();
    if (meter === undefined) {
      toolTokens = estimateTokens(JSON.stringify(options.entries.map(declared)));
      meter = createMeter(toolTokens);
    }
    const { messages } = session.projection;
    const at = messages.findLastIndex((message) =>
      message.role === "assistant" && message.usage !== undefined && !stale.has(message)
    );
    const last = messages[at];
    if (last?.role === "assistant" && last.usage !== undefined && last !== observed) {
      observed = last;
      meter.observe(messages.slice(0, at + 1), last.usage);
    }
    const counted = last?.role === "assistant" && last.usage !== undefined
      ? countedTokens(last.usage)
      : undefined;
    return { meter, counted, ...meter.measure(messages) };
  }

  /** Whether the conversation may be near its bound, found out without measuring it. */
  function mayBeLong(): boolean {
    const { messages } = session.projection;
    const window = limitsNow().contextWindow;
    let chars = 0;
    for (let at = messages.length - 1; at >= 0; at--) {
      const message = messages[at];
      if (message.role === "assistant" && message.usage !== undefined && !stale.has(message)) {
        chars += countedTokens(message.usage) * CHARS_PER_TOKEN;
        break;
      }
      chars += lengthOf(message);
    }
    return chars / CHARS_PER_TOKEN > Math.min(window / 2, window - settings.reserve) * NOTICE_SHARE;
  }

  async function ensure(signal: AbortSignal): Promise<LlmError | undefined> {
    if (!settings.enabled || windowNow() === undefined) return undefined;
    if (fruitless === undefined) {
      const still = await lookBack();
      if (still !== undefined) return await stuck(still);
    }
    if (!mayBeLong()) return undefined;
    const { parkable, planSpace, triggerOf, worthGoing } = await load();
    const { tokens, meter, counted } = await measured();
    const limits = limitsNow();
    const trigger = triggerOf(limits);
    // An estimate does not show that there is room: a server that counts more would be asked in a ring.
    if (counted !== undefined && counted <= trigger) fruitless = 0;
    if (tokens <= trigger) {
      if (tokens > trigger * NOTICE_SHARE) await tell(tokens);
      return undefined;
    }
    if (passes() >= MAX_FRUITLESS) return await stuck(tokens);
    if (
      settings.strategy === "prepare" && !prepared && tokens < limits.contextWindow - settings.reserve / 2
    ) {
      prepared = true;
      await note((await import("./space_notes.ts")).PREPARE);
      return undefined;
    }
    const { messages } = session.projection;
    if (options.pruner !== undefined && worthGoing(parkable(messages), tokens, limits)) {
      if (await park(options.pruner, tokens, signal)) {
        fruitless = passes() + 1;
        return undefined;
      }
    }
    const action = planSpace(messages, { tokens, fixed: meter.fixed }, limits);
    if (action.type === "none") return undefined;
    if (action.type === "stuck") return await stuck(tokens);
    if (action.type === "clear") {
      fruitless = passes() + 1;
      await clear(action.results.map(({ at }) => at), tokens);
    } else {
      // What could not be had twice is not asked for again as long as the request still goes through.
      if (failures >= MAX_FRUITLESS && tokens <= limits.contextWindow) return undefined;
      const pass = await summary(action.cut, signal, { automatic: true, before: tokens });
      if (pass.type === "done") fruitless = passes() + 1;
    }
    const after = (await measured()).tokens;
    return after > limits.contextWindow || (after > trigger && passes() >= MAX_FRUITLESS)
      ? await stuck(after)
      : undefined;
  }

  function passes(): number {
    return fruitless ?? 0;
  }

  /** Takes over what the session tells of earlier passes. The tokens that a server counted, where they are still too many and nothing has changed since. */
  async function lookBack(): Promise<number | undefined> {
    fruitless = 0;
    if (!session.path().some(({ kind }) => kind === "compaction")) return undefined;
    const { triggerOf } = await load();
    const trigger = triggerOf(limitsNow());
    const { fruitless: before, still } = passesOn(session.path(), trigger);
    fruitless = before;
    return before >= MAX_FRUITLESS && still !== undefined && still > trigger ? still : undefined;
  }

  /** Once before a pass, the model may write down what it must not lose. */
  async function tell(tokens: number): Promise<void> {
    if (told || settings.strategy !== "notify") return;
    told = true;
    const { noticeText } = await import("./space_notes.ts");
    await note(noticeText(Math.round(tokens / limitsNow().contextWindow * 100)));
  }

  async function note(text: string): Promise<void> {
    await session.append({ kind: "note", text: text.trim() });
  }

  /** The pass changed what the model sees: usage that was counted before says nothing any more. */
  function changed(): void {
    for (const message of session.projection.messages) {
      if (message.role === "assistant") stale.add(message);
    }
    told = false;
    prepared = false;
    options.announce?.();
  }

  /** Puts aside what the pruner calls stale, where that is worth the broken cache and enough. */
  async function park(
    { ask, costOf }: NonNullable<SpaceOptions["pruner"]>,
    before: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { parkedResult, worthGoing } = await load();
    const { messages, origins } = session.projection;
    const { stale, usage, why } = await findStale(messages, ask, signal);
    if (usage !== undefined) await book(usage, "pruner", costOf(usage));
    if (why !== undefined) {
      emit({ type: "notice", level: "warning", text: `The pruner could not be asked: ${why}` });
    }
    if (!worthGoing(stale, before, limitsNow())) return false;
    const edits = [];
    for (const block of stale) {
      const message = messages[block.at];
      if (message.role !== "tool_result") continue;
      const parts = await parkedResult(message.parts, block, options.keep);
      if (parts !== undefined) edits.push({ entry: origins[block.at], parts });
    }
    signal.throwIfAborted();
    return await replace(edits, before);
  }

  /** Writes references down in place of results; false where there are none. */
  async function replace(
    edits: Extract<Payload, { kind: "context_edit" }>["edits"],
    before: number,
  ): Promise<boolean> {
    if (edits.length === 0) return false;
    await session.append({ kind: "context_edit", edits, reason: "clear" });
    changed();
    const tokensAfter = (await measured()).tokens;
    emit({ type: "compaction", action: "clear", tokensBefore: before, tokensAfter });
    return true;
  }

  async function book(usage: Usage, purpose: string, costUsd: number | undefined): Promise<void> {
    spent = { ...spent, usage: add(spent.usage, usage), costUsd: (spent.costUsd ?? 0) + (costUsd ?? 0) };
    await session.append({ kind: "usage", usage, purpose });
  }

  async function clear(at: readonly number[], before: number): Promise<void> {
    const { elidedResult } = await load();
    const { messages, origins } = session.projection;
    const edits = [];
    for (const place of at) {
      const message = messages[place];
      if (message.role !== "tool_result") continue;
      const parts = await elidedResult(message.parts, options.keep);
      if (parts !== undefined) edits.push({ entry: origins[place], parts });
    }
    await replace(edits, before);
  }

  async function summary(
    cut: { readonly at: number; readonly withinTurn: boolean },
    signal: AbortSignal,
    given: {
      readonly automatic: boolean;
      readonly before: number;
      readonly focus?: string;
      readonly apart?: boolean;
    },
  ): Promise<Pass> {
    const { composeSummary, gather, summarise, summaryBudget, summaryPrompts } = await load();
    const { messages, origins } = session.projection;
    emit({ type: "compaction_start", automatic: given.automatic, tokens: given.before });
    const unchanged = () =>
      emit({ type: "compaction", action: "failed", tokensBefore: given.before, tokensAfter: given.before });
    const outcome = await summarise(
      {
        messages,
        cut: cut.at,
        withinTurn: cut.withinTurn,
        way: given.apart ? "separate" : settings.summaryRequest,
        budget: summaryBudget(limitsNow()),
        room: limitsNow().contextWindow - settings.reserve / 2,
        prompts: summaryPrompts(options.promptFiles()),
        ...(given.focus === undefined ? {} : { focus: given.focus }),
      },
      complete,
      signal,
    ).catch((reason) => {
      unchanged();
      throw reason;
    });
    for (const usage of outcome.usages) await book(usage, "summary", options.costOf(usage));
    if (outcome.type === "failed") {
      failures++;
      const why = `The conversation could not be summarised (${outcome.why}); it stays as it is`;
      // Who asked for it is told by the answer.
      if (given.automatic) emit({ type: "notice", level: "warning", text: why });
      unchanged();
      return { type: "failed", why };
    }
    const kept = new Set(origins.slice(cut.at));
    const text = await composeSummary(
      outcome.text,
      gather(session.path(), kept, fileUseOf(options.entries)),
      {
        budget: settings.keepRecentTokens,
        sessionFile: session.file,
        keep: options.keep,
      },
    );
    signal.throwIfAborted();
    await session.append({
      kind: "compaction",
      summary: text,
      firstKept: origins[cut.at] ?? null,
      tokensBefore: given.before,
    });
    failures = 0;
    changed();
    const after = (await measured()).tokens;
    emit({ type: "compaction", action: "summarise", tokensBefore: given.before, tokensAfter: after });
    return { type: "done", before: given.before, after };
  }

  async function complete(request: SummaryRequest, signal: AbortSignal): Promise<SummaryAnswer> {
    for await (const event of options.request(request, signal)) {
      if (event.type === "retry") emit(event);
      if (event.type === "error") {
        const { code, message: why } = event.error;
        return {
          type: code === "overflow" ? "overflow" : NO_OTHER_WAY.has(code) ? "unreachable" : "failed",
          why,
        };
      }
      if (event.type !== "done") continue;
      const { message } = event;
      const text = message.parts.map((part) => part.type === "text" ? part.text : "").join("");
      const usage = message.usage === undefined ? {} : { usage: message.usage };
      return { type: "text", text, cut: message.stopReason === "length", ...usage };
    }
    return { type: "failed", why: "the model did not answer" };
  }

  /** Nothing more can go: says what fills the window. */
  async function stuck(tokens: number): Promise<LlmError> {
    const { parts } = await report();
    const list = Object.entries(parts).filter(([, own]) => own > 0)
      .map(([name, own]) => `${name} ~${own}`).join(", ");
    return new LlmError(
      "overflow",
      `The conversation does not fit the model's window of ${limitsNow().contextWindow} tokens: ` +
        `~${tokens} tokens, of which ${list}`,
      {
        hint:
          "Take a model with a larger window, fewer tools (--tools), shorter instruction files, or a new session.",
      },
    );
  }

  async function report(news?: string): Promise<SpaceReport> {
    const { instructionTokens, messageTokens, triggerOf } = await load();
    const { tokens, exact, meter } = await measured();
    const tools = Math.min(meter.fixed, toolTokens);
    const parts = {
      tools,
      prompt: 0,
      instructions: 0,
      user: 0,
      answers: 0,
      results: 0,
      other: meter.fixed - tools,
    };
    for (const message of withNews(news)) {
      const instructions = message.role === "assistant" ? 0 : instructionTokens(textIn(message));
      parts.instructions += instructions;
      parts[PART[message.role]] += Math.max(0, messageTokens(message) - instructions);
    }
    const contextWindow = windowNow();
    const trigger = contextWindow === undefined ? undefined : triggerOf(limitsNow());
    const coming = news === undefined ? 0 : messageTokens({ role: "system", text: news });
    return { tokens: tokens + coming, exact: exact && coming === 0, contextWindow, trigger, parts };
  }

  function withNews(news: string | undefined): readonly Message[] {
    const { messages } = session.projection;
    return news === undefined ? messages : [...messages, { role: "system", text: news }];
  }

  return {
    async *stream(send, signal) {
      const problem = await ensure(signal);
      if (problem !== undefined) {
        yield { type: "error", error: problem };
        return;
      }
      for (let attempt = 0;; attempt++) {
        let refused: LlmError | undefined;
        for await (const event of send(session.projection.messages)) {
          if (event.type === "error" && event.error.code === "overflow" && attempt < MAX_FRUITLESS) {
            refused = event.error;
            break;
          }
          yield event;
        }
        if (refused === undefined) return;
        const made = settings.enabled ? await makeRoomAfterRefusal(refused, attempt, signal) : false;
        if (!made) {
          yield { type: "error", error: settings.enabled ? refused : withHint(refused) };
          return;
        }
      }
    },
    async compact(signal, focus) {
      const { planCut, roomForRecent } = await load();
      const { tokens, meter } = await measured();
      const { messages } = session.projection;
      // Who asks for it wants it: where all of it is recent, all of it is summarised.
      const cut = planCut(messages, roomForRecent(limitsNow(), meter.fixed)) ?? planCut(messages, 0);
      if (cut === undefined) return { type: "nothing" };
      return await summary(cut, signal, {
        automatic: false,
        before: tokens,
        ...(focus === undefined ? {} : { focus }),
      });
    },
    async shake(mode) {
      const { planShake } = await load();
      const { messages, origins } = session.projection;
      const { edits, freed } = await planShake(mode, messages, origins, options.keep);
      if (edits.length > 0) {
        await session.append({ kind: "context_edit", edits, reason: `shake ${mode}` });
        changed();
      }
      return freed;
    },
    measure: report,
    async instructions(news) {
      const { instructionFiles } = await load();
      return withNews(news).flatMap((message) =>
        message.role === "assistant" ? [] : instructionFiles(textIn(message))
      );
    },
    takeSpent() {
      const taken = spent;
      spent = NOTHING_SPENT;
      return taken;
    },
  };

  /** The server says that the request was too long, and perhaps how much it takes: the summary is made apart from it, with less kept each time. */
  async function makeRoomAfterRefusal(
    refused: LlmError,
    attempt: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { planCut, roomForRecent } = await load();
    const { tokens, meter } = await measured();
    if (refused.contextWindow !== undefined) refusals.set(options.model(), refused.contextWindow);
    // Whatever was estimated, it was too much: at most a quarter of it stays.
    const keep = attempt === 0
      ? Math.min(roomForRecent(limitsNow(), meter.fixed) / 2, (tokens - meter.fixed) / 4)
      : 0;
    const { messages } = session.projection;
    const cut = planCut(messages, keep) ?? planCut(messages, 0);
    if (cut === undefined) return false;
    const pass = await summary(cut, signal, { automatic: true, before: tokens, apart: true });
    return pass.type === "done";
  }
}

/** Errors that another form of the request would not mend. */
const NO_OTHER_WAY: ReadonlySet<LlmError["code"]> = new Set(["auth", "rate_limit", "overloaded", "network"]);

const PART = { system: "prompt", user: "user", assistant: "answers", tool_result: "results" } as const;

function textIn(message: Exclude<Message, { role: "assistant" }>): string {
  return message.role === "system" ? message.text : textOf(message.parts);
}

function declared({ name, description, schema }: ToolEntry) {
  return { name, description, schema };
}

function withHint(error: LlmError): LlmError {
  return new LlmError("overflow", error.message, {
    cause: error,
    hint: "compaction.enabled is false: /compact makes room, or a new session.",
  });
}

/** Answers before the last change of what the model sees count something else. */
function markStale(session: Session, stale: WeakSet<Message>): void {
  const path = session.path();
  const last = path.findLastIndex(({ kind }) => kind === "compaction" || kind === "context_edit");
  if (last < 0) return;
  const before = new Set(path.slice(0, last).map(({ id }) => id));
  const { messages, origins } = session.projection;
  for (const [at, message] of messages.entries()) if (before.has(origins[at])) stale.add(message);
}

function lengthOf(message: Message): number {
  if (message.role === "system") return message.text.length;
  let length = 0;
  for (const part of message.parts) {
    if (part.type === "tool_call") length += part.arguments.length;
    else if ("text" in part) length += part.text.length;
    else length += 2_000;
  }
  return length;
}

function add(a: Usage | undefined, b: Usage): Usage {
  if (a === undefined) return b;
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
  };
}
