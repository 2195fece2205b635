/** What an answer cost, and what a request would at least. Unknown is undefined, which is never the same as free. */
import type { Usage } from "./message.ts";
import type { Cost, Model } from "./model.ts";

/** US dollars of a usage: what the server says, else by the model's prices; undefined where neither is known. */
export function costOf(usage: Usage | undefined, model: Model): number | undefined {
  if (usage === undefined) return undefined;
  if (usage.costUsd !== undefined) return usage.costUsd;
  const cost = pricesFor(model, usage.input + usage.cacheRead + usage.cacheWrite);
  if (cost === undefined) return undefined;
  const total = usage.input * cost.input + usage.output * cost.output +
    usage.cacheRead * cost.cacheRead + usage.cacheWrite * cost.cacheWrite;
  return total / 1_000_000;
}

/** The prices of a request with that many input tokens: a tier holds for all of its tokens. */
function pricesFor(model: Model, inputTokens: number): Cost | undefined {
  return model.costTiers?.findLast((tier) => inputTokens > tier.above) ?? model.cost;
}

/**
 * The least that the next request can cost: what the latest one sent and got,
 * read from the cache, and nothing answered. Undefined where prices or counts
 * are unknown.
 */
export function leastCostOfNext(last: Usage | undefined, model: Model): number | undefined {
  if (last === undefined) return undefined;
  const input = last.input + last.cacheRead + last.cacheWrite + last.output;
  const prices = pricesFor(model, input);
  return prices === undefined ? undefined : input * Math.min(prices.cacheRead, prices.input) / 1_000_000;
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
