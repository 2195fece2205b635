/**
 * What a shell may take: how many subshells live at once, and memory. Past the
 * number nothing more is forked, and every shell that asks for one ends, as
 * does every one that waits for those: what multiplies itself is over as a
 * whole instead of going on at the bound.
 */
import { ExpansionError } from "../expand/config.ts";
import type { Shell } from "./shell.ts";

/** Status of a shell that could not fork, as bash's. */
const NO_FORK = 254;

/** To be asked before each fork. Throws where there is no room, and where the run was cancelled. */
export function claimFork(sh: Shell): void {
  sh.poll();
  const s = sh.session;
  if (!s.exhausted && s.processes.size >= s.limits.processes) {
    s.exhausted = true;
    sh.writeError(`${sh.messageName}: fork: Resource temporarily unavailable\n`);
  }
  endExhausted(sh);
}

/** To be asked after each wait for subshells: throws where the room ran out meanwhile. */
export function endExhausted(sh: Shell): void {
  if (!sh.session.exhausted) return;
  const error = new ExpansionError("fork: Resource temporarily unavailable", true, NO_FORK);
  error.printed = true;
  throw error;
}

/** What the engine says of a text or a table beyond what it can hold. */
const TOO_BIG: readonly string[] = ["string length", "array length", "aximum size", "llocation failed"];

/**
 * What the engine throws for such a thing, as the error of a shell; others as
 * they are. No pattern: this may run where the stack is used up, and the
 * engine compiles a pattern when it is first used.
 */
export function settled(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error;
  for (const words of TOO_BIG) {
    if (error.message.includes(words)) return new ExpansionError("xrealloc: cannot allocate memory", true, 2);
  }
  return error;
}
