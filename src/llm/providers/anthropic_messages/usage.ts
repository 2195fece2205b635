/**
 * Token counts of the Messages protocol. They come twice: with the start of
 * the message, and with its end, where every count is the total so far; the
 * later one counts, member by member. Cached tokens stand beside the input.
 */
import { isRecord, type Json } from "../../../lib/json.ts";
import type { Usage } from "../../message.ts";
import { count } from "../shared/json.ts";

/** Joins what was said so far with what comes now. */
export function joinUsage(before: Json, now: unknown): Json {
  if (!isRecord(now)) return before;
  const joined = { ...before };
  for (const [key, value] of Object.entries(now)) if (value !== null) joined[key] = value;
  return joined;
}

/** The usage, or undefined where nothing was counted. */
export function readUsage(raw: Json): Usage | undefined {
  const usage = {
    input: count(raw.input_tokens),
    output: count(raw.output_tokens),
    cacheRead: count(raw.cache_read_input_tokens),
    cacheWrite: count(raw.cache_creation_input_tokens),
    reasoning: count(isRecord(raw.output_tokens_details) ? raw.output_tokens_details.thinking_tokens : 0),
  };
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite === 0 ? undefined : usage;
}
