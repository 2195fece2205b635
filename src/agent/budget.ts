/** The limits of a run: steps and money. Time and cancellation come in through the run's signal. */
import { addUsage, type Usage } from "../llm/mod.ts";

/** What a run may use. */
export interface Limits {
  /** Answers of the model, at most. */
  readonly maxSteps: number;
  /** US dollars; undefined: no limit. */
  readonly budgetUsd?: number;
}

/** The limit that ended a run. */
export type LimitReason = "max_steps" | "budget";

/** Which limit forbids one more request, if any. `next`: what that request costs at least, in US dollars. */
export function reached(limits: Limits, spent: Spent, next = 0): LimitReason | undefined {
  if (spent.steps >= limits.maxSteps) return "max_steps";
  const cost = spent.costUsd ?? 0;
  if (limits.budgetUsd === undefined) return undefined;
  return cost >= limits.budgetUsd || cost + next > limits.budgetUsd ? "budget" : undefined;
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

/** The sum of no runs. */
export const NOTHING_SPENT: Spent = { steps: 0, toolCalls: 0, usage: undefined, costUsd: undefined };

/** Adds up. A part that nobody knows makes no sum unknown that was known before. */
export function addSpent(a: Spent, b: Spent): Spent {
  return {
    steps: a.steps + b.steps,
    toolCalls: a.toolCalls + b.toolCalls,
    usage: addUsage(a.usage, b.usage),
    costUsd: a.costUsd === undefined || b.costUsd === undefined
      ? a.costUsd ?? b.costUsd
      // Sums of small fractions: what is below a billionth of a dollar is noise.
      : Math.round((a.costUsd + b.costUsd) * 1e9) / 1e9,
  };
}
