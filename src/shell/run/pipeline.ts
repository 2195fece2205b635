/** Pipelines: each part a subshell with its own pipe ends, all running at once. */
import { type Run, wait } from "../expand/config.ts";
import type { Later } from "../host.ts";
import type { Pipeline } from "../syntax/mod.ts";
import { claimFork, endExhausted } from "./allowance.ts";
import { breathe, due } from "./breath.ts";
import { makePipe, type PipeReader } from "./fds.ts";
import { isRun, Killed, Process } from "./process.ts";
import type { Shell } from "./shell.ts";
import { runTrap, trapApplies } from "./traps.ts";
import { start } from "./subshell.ts";

export function* pipeline(sh: Shell, p: Pipeline): Run<number> {
  if (due(sh)) yield* breathe(sh);
  claimFork(sh);
  const n = p.commands.length;
  const results: Later<number>[] = [];
  const children: Process[] = [];
  let input: PipeReader | undefined;
  const lastHere = sh.options.lastpipe && !sh.options.monitor;
  for (let i = 0; i < n; i++) {
    const last = i === n - 1;
    if (last && lastHere) break;
    if (p.commands[i].kind === "simple" && sh.runningTraps.size === 0) {
      sh.command = p.commands[i];
      sh.line = p.commands[i].line;
    }
    if (p.commands[i].kind === "simple" && sh.traps.has("DEBUG") && trapApplies(sh, "DEBUG")) {
      const trap = runTrap(sh, "DEBUG");
      if (isRun(trap)) yield* trap;
    }
    const child = sh.fork(new Process(sh.session.nextPid++, sh.process));
    children.push(child.process);
    const { kind } = p.commands[i];
    if (kind === "simple" || kind === "subshell") child.level = sh.level;
    if (input !== undefined) child.fds.set(0, input);
    input = undefined;
    if (!last) {
      const [reader, writer] = makePipe();
      child.fds.set(1, writer);
      if (p.both[i]) child.fds.set(2, writer.retain());
      input = reader;
    }
    results.push(start(child, () => child.exec.command(child, p.commands[i])));
  }
  const kill = (signal: string) => {
    for (const c of children) c.kill(signal);
  };
  sh.process.onKill.add(kill);
  try {
    if (lastHere) results.push(yield* lastInShell(sh, p, input));
    const statuses: number[] = [];
    for (const r of results) statuses.push(r instanceof Promise ? yield* wait(r) : r);
    sh.pipeStatus = statuses;
    endExhausted(sh);
    let status = statuses[n - 1];
    if (sh.options.pipefail) {
      for (let i = n - 1; i >= 0 && status === 0; i--) status = statuses[i];
    }
    sh.status = status;
    sh.poll();
    return status;
  } catch (error) {
    if (error instanceof Killed) kill(error.signal);
    throw error;
  } finally {
    sh.process.onKill.delete(kill);
  }
}

/** `shopt -s lastpipe`: the last part runs in the shell itself. */
function* lastInShell(sh: Shell, p: Pipeline, input: PipeReader | undefined): Run<number> {
  sh.vars.freeze();
  const old = sh.fds.swap(0, input);
  try {
    const step = sh.exec.command(sh, p.commands[p.commands.length - 1]);
    return isRun(step) ? yield* step : step;
  } finally {
    sh.fds.set(0, old);
  }
}
