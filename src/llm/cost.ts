/** What an answer cost. Unknown is undefined, which is never the same as free. */
import type { Usage } from "./message.ts";
import type { Model } from "./model.ts";

/** US dollars of a usage: what the server says, else by the model's prices; undefined where neither is known. */
export function costOf(usage: Usage | undefined, model: Model): number | undefined {
  if (usage === undefined) return undefined;
  if (usage.costUsd !== undefined) return usage.costUsd;
  const { cost } = model;
  if (cost === undefined) return undefined;
  const total = usage.input * cost.input + usage.output * cost.output +
    usage.cacheRead * cost.cacheRead + usage.cacheWrite * cost.cacheWrite;
  return total / 1_000_000;
}

/** The sum of two usages; a side that is unknown adds nothing. Servers' own costs are kept only where both say one. */
export function addUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const costUsd = a.costUsd === undefined || b.costUsd === undefined
    ? {}
    : { costUsd: a.costUsd + b.costUsd };
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
    ...costUsd,
  };
}
