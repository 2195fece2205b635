/** Numbers as people read them. */
import type { Snapshot } from "../../engine/snapshot.ts";
import { grouped } from "../../lib/text/count.ts";

/** "~12,000 of 200,000 tokens (6 %)": an estimate is marked as one. */
export function tokens({ tokens, exact, contextWindow }: Snapshot["context"]): string {
  const count = `${exact ? "" : "~"}${grouped(tokens)}`;
  if (contextWindow === undefined) return `${count} tokens`;
  return `${count} of ${grouped(contextWindow)} tokens (${Math.round(tokens / contextWindow * 100)} %)`;
}
