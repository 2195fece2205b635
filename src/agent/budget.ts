/** The limits of a run: steps and money. Time and cancellation come in through the run's signal. */
import type { Usage } from "../llm/message.ts";

export interface Limits {
  /** Answers of the model, at most. */
  readonly maxSteps: number;
  /** US dollars; undefined: no limit. */
  readonly budgetUsd?: number;
}

export type LimitReason = "max_steps" | "budget";

/** Which limit forbids one more request, if any. */
export function reached(limits: Limits, spent: Spent): LimitReason | undefined {
  if (spent.steps >= limits.maxSteps) return "max_steps";
  if (limits.budgetUsd !== undefined && (spent.costUsd ?? 0) >= limits.budgetUsd) return "budget";
  return undefined;
}

/** What a run has used so far. */
export interface Spent {
  readonly steps: number;
  readonly toolCalls: number;
  /** Undefined: no answer said what it used. */
  readonly usage: Usage | undefined;
  /** Undefined: unknown, which is not zero. */
  readonly costUsd: number | undefined;
}

export const NOTHING_SPENT: Spent = { steps: 0, toolCalls: 0, usage: undefined, costUsd: undefined };

/** Adds one answer. A part that nobody knows makes no sum unknown that was known before. */
export function spend(
  spent: Spent,
  usage: Usage | undefined,
  costUsd: number | undefined,
  calls: number,
): Spent {
  return {
    steps: spent.steps + 1,
    toolCalls: spent.toolCalls + calls,
    usage: usage === undefined ? spent.usage : addUsage(spent.usage, usage),
    costUsd: costUsd === undefined ? spent.costUsd : (spent.costUsd ?? 0) + costUsd,
  };
}

function addUsage(a: Usage | undefined, b: Usage): Usage {
  if (a === undefined) return b;
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
  };
}
