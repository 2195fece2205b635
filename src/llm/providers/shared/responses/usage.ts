/** Token counts of the Responses protocol: what was cached is part of the input, what was thought part of the output. */
import { isRecord } from "../../../../lib/json.ts";
import type { Usage } from "../../../message.ts";
import { count } from "../json.ts";

/** xAI says what an answer cost in ten-billionths of a dollar. */
const TICKS = 1e10;

/** The usage, or undefined where nothing was counted. */
export function readUsage(raw: unknown): Usage | undefined {
  if (!isRecord(raw)) return undefined;
  const total = count(raw.input_tokens);
  const output = count(raw.output_tokens);
  if (total + output === 0) return undefined;
  const details = isRecord(raw.input_tokens_details) ? raw.input_tokens_details : {};
  const cacheRead = Math.min(total, count(details.cached_tokens));
  const cacheWrite = Math.min(total - cacheRead, count(details.cache_write_tokens));
  const out = isRecord(raw.output_tokens_details) ? raw.output_tokens_details : {};
  const ticks = raw.cost_in_usd_ticks;
  return {
    input: total - cacheRead - cacheWrite,
    output,
    cacheRead,
    cacheWrite,
    reasoning: count(out.reasoning_tokens),
    ...(typeof ticks === "number" && ticks >= 0 ? { costUsd: ticks / TICKS } : {}),
  };
}
