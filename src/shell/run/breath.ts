/** Turns for others: long loops poll the cancel flag and now and then let timers, signals and other jobs run. */
import type { Run } from "../expand/config.ts";
import type { Shell } from "./shell.ts";

const TICKS = 64;
const SLICE_MS = 25;

/** Called once for each turn of a loop; true: {@link breathe} now. */
export function due(sh: Shell): boolean {
  const s = sh.session;
  // A timer comes only when all have stopped: one that goes on holds up those that wait.
  if (s.parked) return true;
  if (++s.ticks < TICKS) return false;
  s.ticks = 0;
  sh.poll();
  const now = s.host.now();
  if (now - s.breath < SLICE_MS) return false;
  s.breath = now;
  return true;
}

export function* breathe(sh: Shell): Run<void> {
  sh.session.parked = true;
  try {
    yield sh.host.sleep(0);
  } finally {
    sh.session.parked = false;
  }
  sh.session.breath = sh.host.now();
  sh.poll();
}
