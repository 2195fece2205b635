/**
 * Token counts as servers of this protocol give them, in one shape. Names,
 * places and meanings differ: what was cached may be told in three fields,
 * thinking may be inside the output or beside it, and nothing may be said at
 * all, which is "unknown" and never zero.
 */
import { isRecord, type Json } from "../../../lib/json.ts";
import type { Usage } from "../../message.ts";
import { count } from "../shared/json.ts";

/** The usage of a chunk or a whole answer, or undefined where it says nothing. */
export function readUsage(chunk: Json): Usage | undefined {
  const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
  const raw = record(chunk.usage) ?? record(record(choice)?.usage) ?? record(record(chunk.x_groq)?.usage);
  if (raw === undefined) return undefined;
  // The other names are those of the Responses protocol, which some gateways pass on.
  const prompt = count(raw.prompt_tokens ?? raw.input_tokens);
  const completion = count(raw.completion_tokens ?? raw.output_tokens);
  // All zero: a server that fills the field and counts nothing.
  if (prompt === 0 && completion === 0) return undefined;
  const promptDetails = record(raw.prompt_tokens_details) ?? {};
  const completionDetails = record(raw.completion_tokens_details) ?? {};
  const cacheRead = Math.min(
    prompt,
    count(promptDetails.cached_tokens ?? raw.prompt_cache_hit_tokens ?? raw.cached_tokens),
  );
  const cacheWrite = Math.min(prompt - cacheRead, count(promptDetails.cache_write_tokens));
  const reasoning = count(completionDetails.reasoning_tokens);
  // Where the total is the sum of all three, thinking is counted beside the output.
  const beside = reasoning > 0 && count(raw.total_tokens) === prompt + completion + reasoning;
  const cost = typeof raw.cost === "number" && raw.cost >= 0 ? raw.cost : undefined;
  return {
    input: prompt - cacheRead - cacheWrite,
    output: beside ? completion + reasoning : completion,
    cacheRead,
    cacheWrite,
    reasoning,
    ...(cost === undefined ? {} : { costUsd: cost }),
  };
}

function record(value: unknown): Json | undefined {
  return isRecord(value) ? value : undefined;
}
