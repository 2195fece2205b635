/**
 * The loop: ask the model, run what it calls, give it the results, until it
 * stops calling. It knows no disk, no terminal and no provider: everything
 * comes in through {@link LoopOptions}.
 *
 * Invariants: `messages` only grows at its end, so each request starts with
 * the bytes of the one before; an answer is in the journal before its tools
 * start; all results are durable before the next request; a journal that
 * fails ends the loop by rejecting.
 */
import type { LlmError } from "../llm/errors.ts";
import type { StreamEvent } from "../llm/event.ts";
import { type AssistantMessage, type Message, textOf, toolCalls, type Usage } from "../llm/message.ts";
import { addSpent, type LimitReason, type Limits, NOTHING_SPENT, reached, type Spent } from "./budget.ts";
import { planCalls, runCalls, startCalls, writeIntents } from "./calls.ts";
import type { AgentEvent } from "./event.ts";
import type { Journal } from "./journal.ts";
import type { Tools } from "./tool.ts";
import { follow } from "./turn.ts";

/** What the loop runs on. */
export interface LoopOptions {
  /** The history, with the user's message at its end. The loop appends to it. */
  readonly messages: Message[];
  readonly tools: Tools;
  readonly journal: Journal;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  /** Sends one request with the history as it is, once what the journal was told is durable. */
  readonly stream: (messages: readonly Message[]) => AsyncIterable<StreamEvent>;
  readonly costOf: (usage: Usage) => number | undefined;
  /** The least that a request after one of that usage costs; absent: nobody knows. */
  readonly leastCostOfNext?: (usage: Usage) => number | undefined;
  /** What others have spent in this run's name since this was last asked. */
  readonly alsoSpent?: () => Spent;
  /** What was said to the run meanwhile, in the journal by then: taken before each request. */
  readonly takeSteering?: () => Promise<readonly Message[]>;
  /** Milliseconds, from any start. */
  readonly now: () => number;
}

/** How a run ended, and what it used. */
export type LoopEnd =
  | { readonly reason: "stop"; readonly spent: Spent; readonly text: string }
  | { readonly reason: LimitReason; readonly spent: Spent; readonly text: string }
  /** The signal aborted; who knows why is the caller. */
  | { readonly reason: "aborted"; readonly spent: Spent; readonly text: string }
  /** The model gave up right after a refusal: `denied` is the last one. */
  | { readonly reason: "denied"; readonly spent: Spent; readonly text: string; readonly denied: string }
  | { readonly reason: "error"; readonly spent: Spent; readonly text: string; readonly error: LlmError };

/** How often in a run a model that called nothing is told why that came to nothing. */
const MAX_NOTES = 2;

/** Runs until the model stops, a limit is reached, the signal aborts or the provider fails for good. */
export async function runLoop(options: LoopOptions): Promise<LoopEnd> {
  const { messages, journal, emit, signal } = options;
  let spent = NOTHING_SPENT;
  let text = "";
  let last: Usage | undefined;
  let notes = 0;
  // Set while every call of the latest answers was refused and nothing else got through.
  let denied: string | undefined;
  for (;;) {
    if (signal.aborted) return { reason: "aborted", spent, text };
    const next = last === undefined ? undefined : options.leastCostOfNext?.(last);
    const limit = reached(options.limits, spent, next);
    if (limit !== undefined) return { reason: limit, spent, text };
    messages.push(...await options.takeSteering?.() ?? []);
    // The disk works while the request is put together; `stream` sends nothing before both are done.
    const durable = journal.sync();
    durable.catch(() => {/* thrown below */});
    emit({ type: "step_start", step: spent.steps + 1 });
    const end = await follow(options.stream(messages), emit, signal);
    await durable;
    if (end.type === "aborted") {
      await keepInterrupted(end.partialText, options);
      return { reason: "aborted", spent, text: end.partialText || text };
    }
    if (end.type === "error") {
      if (end.partialText.trim() !== "") await keepBroken(end.partialText, options);
      return { reason: "error", spent, text, error: end.error };
    }

    const { message } = end;
    last = message.usage ?? last;
    const calls = toolCalls(message);
    const cost = message.usage === undefined ? undefined : options.costOf(message.usage);
    spent = addSpent(spent, { steps: 1, toolCalls: calls.length, usage: message.usage, costUsd: cost });
    const callsOptions = { ...options, cut: message.stopReason === "length" };
    const plan = planCalls(calls, callsOptions);
    // In one go, so that one wait for the disk does for both; the journal keeps their order.
    const written = Promise.all([
      journal.assistant(message, cost),
      ...(plan.length > 0 ? [writeIntents(plan[0], callsOptions)] : []),
    ]);
    const started = startCalls(plan[0] ?? [], callsOptions);
    try {
      await written;
    } catch (error) {
      started.never(error);
      throw error;
    }
    messages.push(message);
    emit({ type: "message_end", message });
    emit({ type: "usage", usage: message.usage, costUsd: spent.costUsd });
    text = textOf(message.parts);
    if (calls.length === 0) {
      warnOfEnd(message, emit);
      const more = await options.takeSteering?.() ?? [];
      if (more.length > 0) {
        messages.push(...more);
        continue;
      }
      // It meant to go on and did not manage to: told what went wrong, it may.
      if (end.note !== undefined && notes++ < MAX_NOTES) {
        messages.push(await journal.note(end.note));
        continue;
      }
      if (denied !== undefined) return { reason: "denied", spent, text, denied };
      return { reason: "stop", spent, text };
    }
    const ran = await runCalls(plan, started, callsOptions);
    if (options.alsoSpent !== undefined) spent = addSpent(spent, options.alsoSpent());
    messages.push(...ran.messages);
    denied = ran.results.every((result) => result.denied !== undefined)
      ? ran.results.at(-1)?.denied
      : undefined;
  }
}

/** What was said before an interruption stays in the history, marked. Calls and thinking of an unfinished answer do not. */
async function keepInterrupted(partial: string, { messages, journal }: LoopOptions): Promise<void> {
  const note = partial === ""
    ? "The run was interrupted before you answered."
    : `The run was interrupted in the middle of your answer, which had begun: ${partial}`;
  messages.push(await journal.note(note));
}

/** Half of an answer is none: it is told and kept as what it is. */
async function keepBroken(partial: string, { messages, journal, emit }: LoopOptions): Promise<void> {
  emit({ type: "notice", level: "warning", text: `The answer broke off after: ${partial.trimEnd()}` });
  messages.push(await journal.note(`Your answer broke off for a technical reason; it had begun: ${partial}`));
}

function warnOfEnd(message: AssistantMessage, emit: (event: AgentEvent) => void): void {
  if (message.stopReason === "length") {
    emit({ type: "notice", level: "warning", text: "The answer was cut at the model's output limit." });
  } else if (message.stopReason === "filter") {
    emit({ type: "notice", level: "warning", text: "The provider withheld the rest of the answer." });
  }
}
