/** Dispatch: which code runs a node of the tree; lists, `&&`, `||`, `!`, `errexit`. */
import type { Run } from "../expand/config.ts";
import {
  type Command,
  type CommandSub,
  type FunctionDef,
  type Pipeline,
  printCommand,
  printStatement,
  ShellSyntaxError,
  type Statement,
} from "../syntax/mod.ts";
import { askGate } from "./functions.ts";
import { quickCase, quickIf, runArith, runCond, runFor, runForArith, runWhile } from "./compound.ts";
import { nested } from "./nested.ts";
import { pipeline } from "./pipeline.ts";
import { begin, isRun, type Step } from "./process.ts";
import { redirect, settleRedirects, type Undo, undo } from "./redirect.ts";
import { type Exec, Flow, type Shell } from "./shell.ts";
import { closeProcessFds, dispatch, simple } from "./simple.ts";
import { background, commandOutput, coproc, processPath, subshell } from "./subshell.ts";
import { parserFor, syntaxError, text } from "./text.ts";
import { pendingTraps, runTrap, trapApplies } from "./traps.ts";

export const interpreter: Exec = {
  statements,
  command,
  commandOutput: (sh, node) => commandOutput(sh, node, () => node.body ?? parseBackquotes(sh, node)),
  processPath: (sh, node) => processPath(sh, node),
  text,
  invoke: (sh, argv, options) => begin(dispatch(sh, [...argv], [], options)),
  nested,
};

function parseBackquotes(sh: Shell, node: CommandSub): readonly Statement[] | string {
  const memo = node.memo as { body: readonly Statement[] } | undefined;
  if (memo !== undefined) return memo.body;
  try {
    const body = parserFor(sh, node.source, node.line).all();
    if (!sh.options.expand_aliases) node.memo = { body };
    return body;
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    syntaxError(sh, error, "command substitution");
    return error.message;
  }
}

function statements(sh: Shell, list: readonly Statement[]): Step<number> {
  for (let i = 0; i < list.length; i++) {
    const step = statement(sh, list[i]);
    if (isRun(step)) return statementsFrom(sh, list, i, step);
    if (sh.flow !== Flow.None) return step;
    if (sh.process.pending !== undefined) return statementsFrom(sh, list, i, afterSignals(sh));
  }
  return sh.status;
}

function* afterSignals(sh: Shell): Run<number> {
  yield* pendingTraps(sh);
  return sh.status;
}

function* statementsFrom(sh: Shell, list: readonly Statement[], at: number, first: Run<number>): Run<number> {
  yield* first;
  for (let i = at + 1;; i++) {
    if (sh.process.pending !== undefined) yield* pendingTraps(sh);
    if (sh.flow !== Flow.None || i >= list.length) return sh.status;
    const step = statement(sh, list[i]);
    if (isRun(step)) yield* step;
  }
}

function statement(sh: Shell, s: Statement): Step<number> {
  if (sh.options.noexec && !sh.interactive) return sh.status;
  if (s.background) return startBackground(sh, s);
  if (s.rest.length === 0) return runPipeline(sh, s.first);
  return begin(andOr(sh, s));
}

function startBackground(sh: Shell, s: Statement): number {
  const only =
    s.rest.length === 0 && s.first.commands.length === 1 && !s.first.negated && s.first.timed === ""
      ? s.first.commands[0]
      : undefined;
  background(sh, printStatement({ ...s, background: false }), (child) => {
    child.process.single = only?.kind === "simple";
    if (s.rest.length > 0) return begin(andOr(child, s));
    // A subshell in the background is the background process itself.
    if (only?.kind === "subshell" && only.redirects.length === 0) return statements(child, only.body);
    return runPipeline(child, s.first);
  });
  return sh.status = 0;
}

function* andOr(sh: Shell, s: Statement): Run<number> {
  let status = yield* guardedPipeline(sh, s.first);
  for (let i = 0; i < s.rest.length; i++) {
    if (sh.flow !== Flow.None) return sh.status;
    const { op, pipeline: next } = s.rest[i];
    if ((status === 0) !== (op === "&&")) continue;
    if (i < s.rest.length - 1) status = yield* guardedPipeline(sh, next);
    else {
      const step = runPipeline(sh, next);
      status = isRun(step) ? yield* step : step;
    }
  }
  return status;
}

/** A part of `a && b` that is not the last: its failure is no error. */
function* guardedPipeline(sh: Shell, p: Pipeline): Run<number> {
  sh.noErrexit++;
  try {
    const step = runPipeline(sh, p);
    return isRun(step) ? yield* step : step;
  } finally {
    sh.noErrexit--;
  }
}

function runPipeline(sh: Shell, p: Pipeline): Step<number> {
  if (p.timed !== "" || p.negated || p.commands.length !== 1) return begin(longPipeline(sh, p));
  const c = p.commands[0];
  // A trap that the command itself sets is not for the command.
  const trapped = sh.traps.size > 0 && sh.traps.has("ERR");
  const step = command(sh, c);
  if (isRun(step)) return afterCommand(sh, c, step, trapped);
  if (step !== 0 && sh.noErrexit === 0 && sh.flow === Flow.None && checks(c)) {
    return failed(sh, step, true, trapped);
  }
  if (c.kind === "simple") sh.pipeStatus = step === 0 ? ZERO : [step];
  return step;
}

const ZERO: readonly number[] = [0];

function* afterCommand(sh: Shell, c: Command, step: Run<number>, trapped: boolean): Run<number> {
  const status = yield* step;
  if (c.kind === "simple" || c.kind === "subshell") sh.pipeStatus = [status];
  if (status !== 0 && sh.noErrexit === 0 && sh.flow === Flow.None && checks(c)) {
    const end = failed(sh, status, false, trapped);
    return isRun(end) ? yield* end : end;
  }
  return status;
}

/** Commands whose failure counts for `errexit` and the ERR trap: the others answer for what is inside them. */
function checks(c: Command): boolean {
  return c.kind === "simple" || c.kind === "subshell" || c.kind === "arith" || c.kind === "cond";
}

function failed(sh: Shell, status: number, setPipeStatus: boolean, trapped = true): Step<number> {
  if (setPipeStatus) sh.pipeStatus = [status];
  if (trapped && sh.traps.size > 0 && trapApplies(sh, "ERR")) return failedWithTrap(sh, status);
  if (sh.options.errexit) sh.flow = Flow.Exit;
  return status;
}

function* failedWithTrap(sh: Shell, status: number): Run<number> {
  const step = runTrap(sh, "ERR");
  if (isRun(step)) yield* step;
  if (sh.leaving) return sh.status;
  if (sh.options.errexit) sh.flow = Flow.Exit;
  return sh.status = status;
}

function* longPipeline(sh: Shell, p: Pipeline): Run<number> {
  const started = p.timed === "" ? undefined : { now: sh.host.now(), cpu: sh.host.cpuTimes() };
  if (p.negated) sh.noErrexit++;
  let status: number;
  try {
    if (p.commands.length === 0) status = sh.status = 0;
    else if (p.commands.length === 1) {
      const step = command(sh, p.commands[0]);
      status = isRun(step) ? yield* step : step;
      sh.pipeStatus = [status];
    } else status = yield* pipeline(sh, p);
  } finally {
    if (p.negated) sh.noErrexit--;
  }
  if (started !== undefined) reportTime(sh, p, started);
  if (p.negated) return sh.flow === Flow.None ? sh.status = status === 0 ? 1 : 0 : sh.status;
  if (
    status !== 0 && sh.noErrexit === 0 && sh.flow === Flow.None &&
    (p.commands.length > 1 || (p.commands.length === 1 && checks(p.commands[0])))
  ) {
    const end = failed(sh, status, false);
    return isRun(end) ? yield* end : end;
  }
  return status;
}

function reportTime(sh: Shell, p: Pipeline, started: { now: number; cpu: [number, number] }): void {
  const real = (sh.host.now() - started.now) / 1000;
  const [user, system] = sh.host.cpuTimes();
  const u = (user - started.cpu[0]) / 1000;
  const s = (system - started.cpu[1]) / 1000;
  if (p.timed === "time -p") {
    sh.writeError(`real ${real.toFixed(2)}\nuser ${u.toFixed(2)}\nsys ${s.toFixed(2)}\n`);
    return;
  }
  const format = sh.vars.text("TIMEFORMAT") ?? "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS";
  if (format === "") return;
  const wrong = /%(?!%|P|[0-9]?l?[RUS])[0-9]?l?([\s\S]?)/.exec(format.replaceAll("%%", ""));
  if (wrong !== null) return sh.warn(`TIMEFORMAT: \`${wrong[1]}': invalid format character`);
  const text = format.replace(
    /%(?:%|([0-9])?(l)?([RUS])|P)/g,
    (all, digits: string | undefined, long: string | undefined, which: string | undefined) => {
      if (all === "%%") return "%";
      if (which === undefined) return real === 0 ? "0.00" : ((u + s) / real * 100).toFixed(2);
      const v = which === "R" ? real : which === "U" ? u : s;
      const n = Math.min(Number(digits ?? 3), 3);
      return long ? `${Math.floor(v / 60)}m${(v % 60).toFixed(n)}s` : v.toFixed(n);
    },
  );
  sh.writeError(text + "\n");
}

function command(sh: Shell, c: Command): Step<number> {
  if (c.kind === "simple") return simple(sh, c);
  if (c.redirects.length > 0) return begin(withRedirects(sh, c));
  return bare(sh, c);
}

function bare(sh: Shell, c: Command): Step<number> {
  if (c.kind !== "simple" && sh.traps.has("DEBUG") && debugged(c) && trapApplies(sh, "DEBUG")) {
    return begin(withDebug(sh, c));
  }
  return plain(sh, c);
}

/** Compound commands before which the DEBUG trap runs. */
function debugged(c: Command): boolean {
  return c.kind === "arith" || c.kind === "cond" || c.kind === "case";
}

function* withDebug(sh: Shell, c: Command): Run<number> {
  sh.line = c.line;
  sh.command = c;
  const trap = runTrap(sh, "DEBUG");
  if (isRun(trap)) yield* trap;
  if (sh.leaving) return sh.status;
  const step = plain(sh, c);
  return isRun(step) ? yield* step : step;
}

function plain(sh: Shell, c: Command): Step<number> {
  switch (c.kind) {
    case "simple":
      return simple(sh, c);
    case "group":
      return statements(sh, c.body);
    case "subshell":
      sh.line = c.line;
      if (sh.runningTraps.size === 0) sh.command = c;
      return subshell(sh, c.body);
    case "if":
      return quickIf(sh, c);
    case "for":
    case "select":
      return begin(runFor(sh, c));
    case "for_arith":
      return begin(runForArith(sh, c));
    case "while":
      return begin(runWhile(sh, c));
    case "case":
      return quickCase(sh, c);
    case "arith":
      return runArith(sh, c);
    case "cond":
      return begin(runCond(sh, c));
    case "function":
      return define(sh, c);
    case "coproc":
      return coproc(sh, c, printCommand(c));
  }
}

function* withRedirects(sh: Shell, c: Command): Run<number> {
  const changes: Undo = [];
  const held = sh.processFds.length;
  sh.line = c.line;
  let redirects = c.redirects;
  if (sh.session.gate !== undefined) {
    const [settled, touched] = yield* settleRedirects(sh, c.redirects);
    redirects = settled;
    const reason = touched.length === 0 ? undefined : yield* askGate(sh, {
      argv: [],
      kind: "none",
      program: undefined,
      redirects: touched,
      assignments: {},
      cwd: sh.cwd,
      line: c.line,
    });
    if (reason !== undefined) {
      sh.warn(`${touched[0].path}: ${reason}`);
      return sh.status = 126;
    }
  }
  if (!(yield* redirect(sh, redirects, changes))) {
    closeProcessFds(sh, held);
    sh.status = 1;
    if (sh.noErrexit > 0 || c.kind === "subshell" || checks(c)) return 1;
    const end = failed(sh, 1, true);
    return isRun(end) ? yield* end : end;
  }
  // A process substitution that was redirected from is held by the redirection.
  closeProcessFds(sh, held);
  try {
    const step = bare(sh, c);
    return isRun(step) ? yield* step : step;
  } finally {
    undo(sh, changes);
  }
}

function define(sh: Shell, c: FunctionDef): number {
  sh.line = c.line;
  const existing = sh.functions.get(c.name);
  if (sh.readonlyFunctions.has(c.name)) {
    sh.warn(`${c.name}: readonly function`);
    return sh.status = 1;
  }
  if (/[$'"\\`]|^$/.test(c.name) || (sh.options.posix && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(c.name))) {
    sh.warn(`\`${c.name}': not a valid identifier`);
    return sh.status = 1;
  }
  sh.setFunction(c.name, {
    name: c.name,
    body: c.body,
    source: sh.calls.length > 0 && sh.calls[sh.calls.length - 1].sourced
      ? sh.calls[sh.calls.length - 1].source
      : sh.source ?? "environment",
    line: c.line,
    exported: existing?.exported || sh.options.allexport,
    traced: false,
  });
  return sh.status = 0;
}
