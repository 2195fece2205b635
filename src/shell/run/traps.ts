/** Traps: running their actions at the right moments, with `$?` kept. */
import type { Run } from "../expand/config.ts";
import { begin, isRun, type Step } from "./process.ts";
import { Flow, type Shell } from "./shell.ts";

/** Number of function calls the shell is in. */
export function functionDepth(sh: Shell): number {
  let n = 0;
  for (const c of sh.calls) if (!c.sourced) n++;
  return n;
}

/** Whether a trap of this name is to run where the shell is now. */
export function trapApplies(sh: Shell, name: "ERR" | "DEBUG" | "RETURN"): boolean {
  const action = sh.traps.get(name);
  if (action === undefined || action === "" || sh.runningTraps.has(name)) return false;
  if (name === "ERR" ? sh.options.errtrace : sh.options.functrace) return true;
  let depth = functionDepth(sh);
  if (name !== "ERR") { for (const c of sh.calls) if (c.traced) depth--; }
  return depth <= (sh.trapDepth[name] ?? 0);
}

/** A function ended: traps that it set hold for where it was called, not for the next function. */
export function leaveTraps(sh: Shell): void {
  const depth = functionDepth(sh);
  for (const name in sh.trapDepth) {
    if (sh.trapDepth[name] > depth) sh.trapDepth = { ...sh.trapDepth, [name]: depth };
  }
}

export function runTrap(sh: Shell, name: string): Step<number> {
  const action = sh.traps.get(name);
  if (action === undefined || action === "") return 0;
  return begin(run(sh, name, action));
}

function* run(sh: Shell, name: string, action: string): Run<number> {
  const { status, pipeStatus, line, runningTraps, noErrexit, statusBeforeTrap } = sh;
  if (name !== "DEBUG") sh.statusBeforeTrap = status;
  sh.runningTraps = new Set([...runningTraps, name]);
  try {
    const step = sh.exec.text(sh, action, {
      label: "trap",
      line: name === "ERR" || name === "DEBUG" ? line : 1,
    });
    if (isRun(step)) yield* step;
  } finally {
    sh.noErrexit = noErrexit;
    sh.runningTraps = runningTraps;
    sh.statusBeforeTrap = statusBeforeTrap;
  }
  const result = sh.status;
  if (sh.flow !== Flow.Exit && sh.flow !== Flow.Return) sh.status = status;
  sh.pipeStatus = pipeStatus;
  sh.line = line;
  return result;
}

/** Runs what arrived since the last look. */
export function* pendingTraps(sh: Shell): Run<void> {
  const p = sh.process;
  while (p.pending !== undefined && p.pending.length > 0) {
    const signal = p.pending.shift()!;
    if (p.pending.length === 0) p.pending = undefined;
    const step = runTrap(sh, signal.slice(3));
    if (isRun(step)) yield* step;
    if (sh.flow !== Flow.None) return;
  }
}
