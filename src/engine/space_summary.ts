/**
 * The older part of a conversation becomes a summary: the model is asked for
 * it, and the entry is appended when the text is there. A failed or cancelled
 * summary leaves the conversation as it is.
 */
import type { ToolEntry } from "../agent/tool.ts";
import type { Cut, KeepText, SummaryAnswer, SummaryRequest, SummaryWay } from "../context/compact/mod.ts";
import type { PromptFiles } from "../context/mod.ts";
import type { LlmError } from "../llm/errors.ts";
import { counted } from "../lib/text/count.ts";
import type { StreamEvent } from "../llm/event.ts";
import { textOf, type Usage } from "../llm/message.ts";
import type { Provider, ToolDeclaration } from "../llm/provider.ts";
import { type Session, summaryMessage } from "../session/mod.ts";
import type { EngineEvent } from "./event.ts";
import { fileUseOf } from "./file_use.ts";
import type { ModelInUse } from "./model_in_use.ts";
import type { SpaceSize } from "./space_size.ts";

/** Sends the request of a summary; `live`: with the tools, which may not be called. */
export type RequestSummary = (request: SummaryRequest, signal: AbortSignal) => AsyncIterable<StreamEvent>;

/** Room for thoughts beside a summary that is asked for inside the conversation. */
const THOUGHT_TOKENS = 8_192;
/** The model's own part of a summary has headings, and is never shorter than this many tokens. */
const LEAST_TEXT = 150;

/** Requests for summaries to the model in use. */
export function summaryRequests({ provider, use, tools, cacheKey }: {
  readonly provider: Provider;
  readonly use: ModelInUse;
  readonly tools: readonly ToolDeclaration[];
  readonly cacheKey: string;
}): RequestSummary {
  return ({ messages, live, maxOutput }, signal) => {
    const { model, thinking } = use;
    if (!live) {
      return provider.stream({ model, messages, tools: [], thinking: "off", maxOutput }, signal);
    }
    // Inside the conversation it must begin as the conversation does: another level would lose the cache.
    const level = thinking === undefined ? {} : { thinking };
    // Where a model thinks all the same, its thoughts must not take the summary's place.
    const most = model.reasoning && thinking !== "off"
      ? Math.min(maxOutput + THOUGHT_TOKENS, model.maxOutput ?? Infinity)
      : maxOutput;
    return provider.stream(
      { model, messages, tools, toolChoice: "none", cacheKey, ...level, maxOutput: most },
      signal,
    );
  };
}

/** What a summary works with. */
export interface SummaryDeps {
  readonly session: Session;
  readonly entries: readonly ToolEntry[];
  readonly size: Pick<SpaceSize, "limits" | "measure">;
  readonly settings: { readonly reserve: number; readonly keepRecentTokens: number };
  readonly promptFiles: () => PromptFiles;
  readonly request: RequestSummary;
  /** Keeps a text among the session's artifacts. */
  readonly keep: KeepText;
  readonly costOf: (usage: Usage) => number | undefined;
  /** Writes down what a request has used. */
  readonly book: (usage: Usage, purpose: string, costUsd: number | undefined) => Promise<void>;
  /** Is called when the conversation was changed. */
  readonly changed: () => void;
  readonly emit: (event: EngineEvent) => void;
}

/** One summary. */
export interface SummaryTask {
  readonly cut: Cut;
  readonly way: SummaryWay;
  /** Nobody has asked for it: what goes wrong is told by a notice. */
  readonly automatic: boolean;
  /** Tokens of the conversation as it is. */
  readonly before: number;
  /** Tokens of what it would stand for: a summary that cannot be smaller is not asked for, one that is not is not taken. Absent: any is. */
  readonly older?: number;
  /** Of these it must free so many to be any use, counted as they are. */
  readonly mustFree?: number;
  /** What the user wants kept in particular. */
  readonly focus?: string;
}

/** What became of it. */
export type Summarised =
  | { readonly type: "done"; readonly before: number; readonly after: number }
  | { readonly type: "failed"; readonly why: string }
  /** Nothing to gain: tokens of what a summary would stand for (0: there is nothing), and of the summary, if one was made. */
  | { readonly type: "nothing"; readonly older: number; readonly summary?: number };

/** Summarises what stands before the cut. Rejects only with the signal's reason, or where the session cannot be written. */
export async function summariseInto(
  deps: SummaryDeps,
  { cut, way, automatic, before, older, mustFree = 0, focus }: SummaryTask,
  signal: AbortSignal,
): Promise<Summarised> {
  const { session, size, settings, emit } = deps;
  const { composeSummary, gather, messageTokens, summarise, summaryBudget, summaryPrompts } = await import(
    "../context/compact/mod.ts"
  );
  const { messages, origins } = session.projection;
  const limits = size.limits();
  const carry = async (text: string, keep: KeepText) => {
    const kept = new Set(origins.slice(cut.at));
    const carried = gather(session.path(), kept, fileUseOf(deps.entries));
    return await composeSummary(text, carried, {
      budget: settings.keepRecentTokens,
      sessionFile: session.file,
      keep,
    });
  };
  if (older !== undefined) {
    // What goes with it in any case, the user's own words above all, may be as long as all that it stands for.
    const without = messageTokens(summaryMessage(await carry("", () => Promise.resolve("artifact://0"))));
    if (without + LEAST_TEXT >= older - mustFree) return { type: "nothing", older };
  }
  emit({ type: "compaction_start", automatic, tokens: before });
  const unchanged = () =>
    emit({ type: "compaction", action: "failed", tokensBefore: before, tokensAfter: before });
  const outcome = await summarise(
    {
      messages,
      cut: cut.at,
      withinTurn: cut.withinTurn,
      way,
      budget: summaryBudget(limits),
      room: limits.contextWindow - settings.reserve / 2,
      prompts: summaryPrompts(deps.promptFiles()),
      ...(focus === undefined ? {} : { focus }),
    },
    (request, signal) => complete(deps, request, signal),
    signal,
  ).catch((reason) => {
    unchanged();
    throw reason;
  });
  for (const usage of outcome.usages) await deps.book(usage, "summary", deps.costOf(usage));
  if (outcome.type === "failed") {
    const why = `The conversation could not be summarised (${outcome.why}); it stays as it is`;
    // Who asked for it is told by the answer.
    if (automatic) emit({ type: "notice", level: "warning", text: why });
    unchanged();
    return { type: "failed", why };
  }
  const summary = await carry(outcome.text, deps.keep);
  signal.throwIfAborted();
  const own = messageTokens(summaryMessage(summary));
  if (older !== undefined && own >= older) {
    const text = `A summary would be no smaller than what it stands for (~${counted(own, "token")} ` +
      `for ~${counted(older, "token")}); the conversation stays as it is`;
    if (automatic) emit({ type: "notice", level: "warning", text });
    unchanged();
    return { type: "nothing", older, summary: own };
  }
  const firstKept = origins[cut.at] ?? null;
  await session.append({ kind: "compaction", summary, firstKept, tokensBefore: before });
  deps.changed();
  const { tokens: after } = await size.measure();
  emit({ type: "compaction", action: "summarise", tokensBefore: before, tokensAfter: after });
  return { type: "done", before, after };
}

async function complete(
  { request: send, emit }: SummaryDeps,
  request: SummaryRequest,
  signal: AbortSignal,
): Promise<SummaryAnswer> {
  for await (const event of send(request, signal)) {
    if (event.type === "retry") emit(event);
    if (event.type === "error") {
      const { code, message: why } = event.error;
      return {
        type: code === "overflow" ? "overflow" : NO_OTHER_WAY.has(code) ? "unreachable" : "failed",
        why,
      };
    }
    if (event.type !== "done") continue;
    const { parts, stopReason, usage } = event.message;
    return {
      type: "text",
      text: textOf(parts),
      cut: stopReason === "length",
      ...(usage === undefined ? {} : { usage }),
    };
  }
  return { type: "failed", why: "the model did not answer" };
}

/** Errors that another form of the request would not mend. */
const NO_OTHER_WAY: ReadonlySet<LlmError["code"]> = new Set(["auth", "rate_limit", "overloaded", "network"]);
