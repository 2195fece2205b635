/**
 * Room in the context window: before each request the conversation is
 * measured, and where it has grown too long, old tool output is cleared or
 * the older part summarised, as src/context/compact plans it. Nothing is
 * rewritten: what the model sees changes by an entry that is appended when
 * all of it is there, so that a cancelled or failed pass changes nothing.
 * Here is which pass is due and when to give up; the passes themselves are in
 * space_edits.ts and space_summary.ts.
 */
import { addSpent, NOTHING_SPENT, type Spent } from "../agent/mod.ts";
import type { ToolEntry } from "../agent/tool.ts";
import type { Cut, KeepText, ShakeMode, SummaryWay } from "../context/compact/mod.ts";
import type { PromptFiles } from "../context/mod.ts";
import { LlmError } from "../llm/errors.ts";
import type { StreamEvent } from "../llm/event.ts";
import type { Message, Usage } from "../llm/message.ts";
import type { Session } from "../session/mod.ts";
import type { EngineEvent } from "./event.ts";
import { clear, type EditDeps, park, type Pruner, shake } from "./space_edits.ts";
import { passesOn } from "./space_passes.ts";
import { type Measured, type SpaceSize, watchSize } from "./space_size.ts";
import { type RequestSummary, type Summarised, summariseInto, type SummaryTask } from "./space_summary.ts";

/** What room is made with. */
export interface SpaceOptions {
  readonly session: Session;
  readonly entries: readonly ToolEntry[];
  /** The model in use. Where its window is not known there is no automatic pass but after a refusal. */
  readonly model: () => { readonly contextWindow?: number; readonly maxOutput?: number };
  readonly settings: SpaceSettings;
  readonly promptFiles: () => PromptFiles;
  readonly request: RequestSummary;
  /** Keeps a text among the session's artifacts. */
  readonly keep: KeepText;
  readonly costOf: (usage: Usage) => number | undefined;
  /** Absent: nothing is parked. */
  readonly pruner?: Pruner;
  /** Is told when the next request will not begin as the last one did. */
  readonly announce?: () => void;
  readonly emit: (event: EngineEvent) => void;
}

/** The group `compaction` of the settings. */
export interface SpaceSettings {
  readonly enabled: boolean;
  readonly reserve: number;
  readonly threshold: number;
  readonly keepRecentTokens: number;
  readonly strategy: "plain" | "notify" | "prepare";
  readonly summaryRequest: SummaryWay;
}

/** Room in the window of one session. */
export interface Space {
  /** The stream of the next request, after room was made where it is needed. */
  stream(
    send: (messages: readonly Message[]) => AsyncIterable<StreamEvent>,
    signal: AbortSignal,
  ): AsyncIterable<StreamEvent>;
  /** Summarises at once. */
  compact(signal: AbortSignal, focus?: string): Promise<Summarised>;
  /** Shakes at once; the tokens freed. */
  shake(mode: ShakeMode): Promise<number>;
  /** Tokens of the next request, and what makes them up. `news`: what the system will say before it. */
  readonly measure: SpaceSize["report"];
  /** The files of instructions in it. */
  readonly instructions: SpaceSize["instructions"];
  /** What summaries have cost since this was last asked. */
  takeSpent(): Spent;
}

/** A pass that frees nothing is tried once more, then the user is told. */
const MAX_FRUITLESS = 2;
/** The share of the trigger at which the model is told to write down what it must not lose. */
const NOTICE_SHARE = 0.85;

/** Watches over the window of one session. */
export function createSpace(options: SpaceOptions): Space {
  const { session, settings, emit } = options;
  const size = watchSize(options);
  /** Passes since a server last counted a request that fits; undefined: the session was not asked yet. */
  let fruitless: number | undefined;
  /** Summaries that could not be had, since the last one that could. */
  let failures = 0;
  let told = false;
  let prepared = false;
  let spent = NOTHING_SPENT;

  const load = () => import("../context/compact/mod.ts");
  const edit: EditDeps = { session, size, keep: options.keep, book, changed, emit };

  async function ensure(signal: AbortSignal): Promise<LlmError | undefined> {
    if (!settings.enabled || size.window() === undefined) return undefined;
    if (fruitless === undefined) {
      const still = await lookBack();
      if (still !== undefined) return await stuck(still);
    }
    if (!size.mayBeLong(NOTICE_SHARE)) return undefined;
    const { triggerOf } = await load();
    const measured = await size.measure();
    const { tokens, counted } = measured;
    const trigger = triggerOf(size.limits());
    // An estimate does not show that there is room: a server that counts more would be asked in a ring.
    if (counted !== undefined && counted <= trigger) fruitless = 0;
    if (tokens <= trigger) {
      if (tokens > trigger * NOTICE_SHARE) await tell(tokens);
      return undefined;
    }
    if (passes() >= MAX_FRUITLESS) return await stuck(tokens);
    if (await prepares(tokens)) return undefined;
    return await makeRoom(measured, signal);
  }

  /** One pass: parks, clears or summarises. */
  async function makeRoom(measured: Measured, signal: AbortSignal): Promise<LlmError | undefined> {
    const { tokens } = measured;
    const { parkable, planSpace, triggerOf, worthGoing } = await load();
    const { messages } = session.projection;
    const limits = size.limits();
    if (options.pruner !== undefined && worthGoing(parkable(messages), tokens, limits)) {
      if (await park(edit, options.pruner, tokens, signal)) {
        fruitless = passes() + 1;
        return undefined;
      }
    }
    const action = planSpace(messages, measured, limits);
    if (action.type === "none") return undefined;
    if (action.type === "stuck") return await stuck(tokens);
    if (action.type === "clear") {
      fruitless = passes() + 1;
      await clear(edit, action.results, tokens);
    } else {
      // What could not be had twice is not asked for again as long as the request still goes through.
      if (failures >= MAX_FRUITLESS && tokens <= limits.contextWindow) return undefined;
      const pass = await summary(action.cut, signal, {
        automatic: true,
        before: tokens,
        ...await gainOf(action.cut, measured),
      });
      if (pass.type === "done") fruitless = passes() + 1;
    }
    const after = (await size.measure()).tokens;
    return after > limits.contextWindow || (after > triggerOf(limits) && passes() >= MAX_FRUITLESS)
      ? await stuck(after)
      : undefined;
  }

  /** What a summary must be smaller than to be any use, where the texts explain what was counted. */
  async function gainOf(
    cut: Cut,
    { tokens, fixed, other }: Measured,
  ): Promise<Pick<SummaryTask, "older" | "mustFree">> {
    const texts = tokens - fixed;
    if (other > texts) return {};
    const all = await textTokens(session.projection.messages);
    const tooMuch = Math.max(0, tokens - size.limits().contextWindow);
    return { older: await olderThan(cut), mustFree: tooMuch * all / Math.max(1, texts) };
  }

  async function olderThan({ at }: Cut): Promise<number> {
    return await textTokens(session.projection.messages.slice(0, at).filter(({ role }) => role !== "system"));
  }

  async function textTokens(messages: readonly Message[]): Promise<number> {
    const { messageTokens } = await load();
    return messages.reduce((sum, one) => sum + messageTokens(one), 0);
  }

  function passes(): number {
    return fruitless ?? 0;
  }

  /** Takes over what the session tells of earlier passes. The tokens that a server counted, where they are still too many and nothing has changed since. */
  async function lookBack(): Promise<number | undefined> {
    fruitless = 0;
    if (!session.path().some(({ kind }) => kind === "compaction")) return undefined;
    const { triggerOf } = await load();
    const trigger = triggerOf(size.limits());
    const { fruitless: before, still } = passesOn(session.path(), trigger);
    fruitless = before;
    return before >= MAX_FRUITLESS && still !== undefined && still > trigger ? still : undefined;
  }

  /** Once before a pass, the model may have a turn of its own to write down what it must not lose. */
  async function prepares(tokens: number): Promise<boolean> {
    const { contextWindow } = size.limits();
    if (settings.strategy !== "prepare" || prepared) return false;
    if (tokens >= contextWindow - settings.reserve / 2) return false;
    prepared = true;
    await note((await import("./space_notes.ts")).PREPARE);
    return true;
  }

  /** Once before a pass, the model may write down what it must not lose. */
  async function tell(tokens: number): Promise<void> {
    if (told || settings.strategy !== "notify") return;
    told = true;
    const { noticeText } = await import("./space_notes.ts");
    await note(noticeText(Math.round(tokens / size.limits().contextWindow * 100)));
  }

  async function note(text: string): Promise<void> {
    await session.append({ kind: "note", text: text.trim() });
  }

  /** The pass changed what the model sees. */
  function changed(): void {
    size.changed();
    told = false;
    prepared = false;
    options.announce?.();
  }

  async function book(usage: Usage, purpose: string, costUsd: number | undefined): Promise<void> {
    spent = addSpent(spent, { ...NOTHING_SPENT, usage, costUsd: costUsd ?? 0 });
    await session.append({ kind: "usage", usage, purpose });
  }

  async function summary(
    cut: Cut,
    signal: AbortSignal,
    given: Omit<SummaryTask, "cut" | "way">,
    way: SummaryWay = settings.summaryRequest,
  ): Promise<Summarised> {
    const pass = await summariseInto({ ...options, size, book, changed }, { ...given, cut, way }, signal);
    // Where nothing was asked for, nothing has failed.
    if (pass.type !== "nothing" || pass.summary !== undefined) {
      failures = pass.type === "done" ? 0 : failures + 1;
    }
    return pass;
  }

  /** Nothing more can go: says what fills the window. */
  async function stuck(tokens: number): Promise<LlmError> {
    const { parts } = await size.report();
    const list = Object.entries(parts).filter(([, own]) => own > 0)
      .map(([name, own]) => `${name} ~${own}`).join(", ");
    return new LlmError(
      "overflow",
      `The conversation does not fit the model's window of ${size.limits().contextWindow} tokens: ` +
        `~${tokens} tokens, of which ${list}`,
      {
        hint:
          "Take a model with a larger window, fewer tools (--tools), shorter instruction files, or a new session. " +
          "A long text is handed over with --attach: the model reads of it what it needs.",
      },
    );
  }

  /** The server says that the request was too long, and perhaps how much it takes: the summary is made apart from it, with less kept each time. */
  async function makeRoomAfterRefusal(
    refused: LlmError,
    attempt: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { planCut, roomForRecent } = await load();
    const { tokens, fixed } = await size.measure();
    if (refused.contextWindow !== undefined) size.learnWindow(refused.contextWindow);
    // Whatever was estimated, it was too much: at most a quarter of it stays.
    const keep = attempt === 0 ? Math.min(roomForRecent(size.limits(), fixed) / 2, (tokens - fixed) / 4) : 0;
    const { messages } = session.projection;
    // The user's first words alone are what is asked, and no conversation that a summary could stand for.
    if (!messages.some(({ role }) => role === "assistant")) return false;
    const cut = planCut(messages, keep) ?? planCut(messages, 0);
    if (cut === undefined) return false;
    const pass = await summary(cut, signal, { automatic: true, before: tokens }, "separate");
    return pass.type === "done";
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
      const { tokens, fixed } = await size.measure();
      const { messages } = session.projection;
      // Who asks for it wants it: where all of it is recent, all of it is summarised.
      const room = roomForRecent(size.limits(), fixed);
      const cut = planCut(messages, room) ?? planCut(messages, 0);
      if (cut === undefined) return { type: "nothing", older: 0 };
      // Where a server counts far more than is estimated, the estimate refuses nothing.
      const short = tokens - fixed <= room;
      return await summary(cut, signal, {
        automatic: false,
        before: tokens,
        ...(short ? { older: await olderThan(cut) } : {}),
        ...(focus === undefined ? {} : { focus }),
      });
    },
    shake: (mode) => shake(edit, mode),
    measure: size.report,
    instructions: size.instructions,
    takeSpent() {
      const taken = spent;
      spent = NOTHING_SPENT;
      return taken;
    },
  };
}

function withHint(error: LlmError): LlmError {
  return new LlmError("overflow", error.message, {
    cause: error,
    hint: "compaction.enabled is false: /compact makes room, or a new session.",
  });
}
