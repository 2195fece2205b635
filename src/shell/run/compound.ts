/** Compound commands: loops, choices, conditions. Each answers the command's status and leaves `sh.flow` to its caller. */
import { ExpansionError, ReadonlyError, type Run } from "../expand/config.ts";
import { NAMEREF } from "../expand/variable.ts";
import { isZero } from "../expand/arith.ts";
import { characters } from "../expand/param.ts";
import { compilePattern, escapePattern } from "../expand/pattern.ts";
import type {
  ArithCommand,
  Case,
  CondCommand,
  For,
  ForArith,
  If,
  Statement,
  While,
  Word,
} from "../syntax/mod.ts";
import { breathe, due } from "./breath.ts";
import { BadRegex, evaluateCond } from "./cond.ts";
import { begin, isRun, type Step } from "./process.ts";
import { Flow, type Shell } from "./shell.ts";
import { runTrap, trapApplies } from "./traps.ts";
import { trace } from "./xtrace.ts";

/** Runs a list whose failure ends nothing: a condition. */
function* condition(sh: Shell, list: readonly Statement[]): Run<number> {
  sh.noErrexit++;
  try {
    const step = sh.exec.statements(sh, list);
    return isRun(step) ? yield* step : step;
  } finally {
    sh.noErrexit--;
  }
}

/** The same where nothing waits; else the rest of it. */
function quickCondition(sh: Shell, list: readonly Statement[]): Step<number> {
  sh.noErrexit++;
  let step: Step<number>;
  try {
    step = sh.exec.statements(sh, list);
  } catch (error) {
    sh.noErrexit--;
    throw error;
  }
  if (isRun(step)) return finishCondition(sh, step);
  sh.noErrexit--;
  return step;
}

function* finishCondition(sh: Shell, step: Run<number>): Run<number> {
  try {
    return yield* step;
  } finally {
    sh.noErrexit--;
  }
}

/** After a loop's body: whether the loop goes on. */
function goesOn(sh: Shell): boolean {
  if (sh.flow === Flow.None) return true;
  if (sh.flow !== Flow.Break && sh.flow !== Flow.Continue) return false;
  if (--sh.flowCount > 0) return false;
  const again = sh.flow === Flow.Continue;
  sh.flow = Flow.None;
  return again;
}

export function* runIf(sh: Shell, c: If): Run<number> {
  for (const arm of c.arms) {
    const status = yield* condition(sh, arm.test);
    if (sh.flow !== Flow.None) return sh.status;
    if (status === 0) {
      const step = sh.exec.statements(sh, arm.body);
      return isRun(step) ? yield* step : step;
    }
  }
  if (c.otherwise === undefined) return sh.status = 0;
  const step = sh.exec.statements(sh, c.otherwise);
  return isRun(step) ? yield* step : step;
}

/** `if` where the first test does not wait. */
export function quickIf(sh: Shell, c: If): Step<number> {
  const arm = c.arms[0];
  const status = quickCondition(sh, arm.test);
  if (isRun(status) || (status !== 0 && c.arms.length > 1)) return restOfIf(sh, c, status);
  if (sh.flow !== Flow.None) return sh.status;
  if (status === 0) return sh.exec.statements(sh, arm.body);
  return c.otherwise === undefined ? sh.status = 0 : sh.exec.statements(sh, c.otherwise);
}

function* restOfIf(sh: Shell, c: If, first: Step<number>): Run<number> {
  const status = isRun(first) ? yield* first : first;
  if (sh.flow !== Flow.None) return sh.status;
  if (status === 0) {
    const step = sh.exec.statements(sh, c.arms[0].body);
    return isRun(step) ? yield* step : step;
  }
  return yield* runIf(sh, { ...c, arms: c.arms.slice(1) });
}

/** The DEBUG trap inside a loop's head. */
function* debug(sh: Shell, line: number): Run<void> {
  if (!trapApplies(sh, "DEBUG")) return;
  sh.line = line;
  const step = runTrap(sh, "DEBUG");
  if (isRun(step)) yield* step;
}

export function* runWhile(sh: Shell, c: While): Run<number> {
  let last = 0;
  sh.loopDepth++;
  try {
    for (;;) {
      if (due(sh)) yield* breathe(sh);
      const test = quickCondition(sh, c.test);
      const status = isRun(test) ? yield* test : test;
      if (sh.flow !== Flow.None) {
        if (goesOn(sh)) continue;
        if (!sh.leaving) last = 0;
        break;
      }
      if ((status === 0) === c.until) break;
      const step = sh.exec.statements(sh, c.body);
      last = isRun(step) ? yield* step : step;
      if (sh.flow !== Flow.None && !goesOn(sh)) break;
    }
  } finally {
    sh.loopDepth--;
  }
  return sh.flow === Flow.None ? sh.status = last : sh.status;
}

export function* runFor(sh: Shell, c: For): Run<number> {
  const step = c.words === undefined ? [...sh.params] : sh.expander.fields(c.words);
  const items = isRun(step) ? yield* step : step;
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(c.name)) {
    sh.warn(`\`${c.name}': not a valid identifier`);
    return sh.status = 1;
  }
  if (c.kind === "select") return yield* runSelect(sh, c, items);
  let last = 0;
  sh.loopDepth++;
  try {
    for (const item of items) {
      if (due(sh)) yield* breathe(sh);
      sh.line = c.line;
      if (sh.options.xtrace) {
        trace(
          sh,
          `for ${c.name} in ${(c.words ?? []).map((w) => w.text).join(" ") || '"$@"'}`,
        );
      }
      if (sh.traps.has("DEBUG")) {
        sh.command = `for ${c.name} in ${(c.words ?? []).map((w) => w.text).join(" ") || '"$@"'}`;
        yield* debug(sh, c.line);
      }
      if (!bind(sh, c.name, item)) return sh.status = 1;
      const body = sh.exec.statements(sh, c.body);
      last = isRun(body) ? yield* body : body;
      if (sh.flow !== Flow.None && !goesOn(sh)) break;
    }
  } finally {
    sh.loopDepth--;
  }
  return sh.flow === Flow.None ? sh.status = last : sh.status;
}

/** Gives a loop's variable its next value; a reference is pointed at the next name. */
function bind(sh: Shell, name: string, item: string): boolean {
  const raw = sh.vars.raw(name);
  if (raw !== undefined && (raw.flags & NAMEREF) !== 0) {
    sh.vars.declare(name).value = item;
    return true;
  }
  try {
    sh.vars.assign(name, item);
    return true;
  } catch (error) {
    if (!(error instanceof ExpansionError) || error.exits) throw error;
    sh.warn(error.message);
    return false;
  }
}

function* runSelect(sh: Shell, c: For, items: readonly string[]): Run<number> {
  if (items.length === 0) return sh.status = 0;
  if (sh.options.xtrace) {
    trace(sh, `select ${c.name} in ${(c.words ?? []).map((w) => w.text).join(" ") || '"$@"'}`);
  }
  if (sh.traps.has("DEBUG")) {
    sh.command = `select ${c.name} in ${(c.words ?? []).map((w) => w.text).join(" ") || '"$@"'}`;
    yield* debug(sh, c.line);
  }
  const menu = menuOf(items, Number(sh.vars.text("COLUMNS")) || 80);
  sh.writeError(menu);
  let last = 0;
  sh.loopDepth++;
  try {
    for (;;) {
      sh.writeError(sh.vars.text("PS3") ?? "#? ");
      const step = sh.exec.invoke(sh, ["read", "-r", "REPLY"], { functions: false, builtins: true });
      const status = isRun(step) ? yield* step : step;
      if (status !== 0) {
        const line = sh.print("\n");
        if (line instanceof Promise) yield line;
        last = 1;
        break;
      }
      const reply = sh.vars.text("REPLY") ?? "";
      if (reply === "") {
        sh.writeError(menu);
        continue;
      }
      const n = /^\s*[0-9]+\s*$/.test(reply) ? Number(reply) : 0;
      sh.vars.assign(c.name, n >= 1 && n <= items.length ? items[n - 1] : "");
      const body = sh.exec.statements(sh, c.body);
      last = isRun(body) ? yield* body : body;
      if (sh.flow !== Flow.None && !goesOn(sh)) break;
    }
  } finally {
    sh.loopDepth--;
  }
  return sh.flow === Flow.None ? sh.status = last : sh.status;
}

/** The choices in columns, read downwards. */
function menuOf(items: readonly string[], width: number): string {
  const digits = String(items.length).length;
  const widths = items.map((item) => characters(item));
  const column = Math.max(...widths) + digits + 4;
  let columns = Math.max(1, Math.floor(width / column));
  let rows = Math.ceil(items.length / columns);
  columns = Math.ceil(items.length / rows);
  if (rows === 1) [rows, columns] = [columns, 1];
  let out = "";
  for (let row = 0; row < rows; row++) {
    let start = 0;
    for (let i = row; i < items.length; i += rows) {
      const room = start === 0 ? String(rows).length : digits;
      out += `${String(i + 1).padStart(room)}) ${items[i]}`;
      if (i + rows >= items.length) break;
      // Blanks up to the next column, tabs where one fits.
      let at = start + widths[i] + room + 2;
      start += column;
      while (at < start) {
        const tab = Math.floor(start / 8) > Math.floor(at / 8);
        out += tab ? "\t" : " ";
        at += tab ? 8 - at % 8 : 1;
      }
    }
    out += "\n";
  }
  return out;
}

export function* runForArith(sh: Shell, c: ForArith): Run<number> {
  let last = 0;
  sh.loopDepth++;
  try {
    if (c.init.text.trim() !== "") yield* arithmetic(sh, c.init, c.line);
    for (;;) {
      if (due(sh)) yield* breathe(sh);
      if (c.test.text.trim() !== "" && isZero(yield* arithmetic(sh, c.test, c.line))) break;
      const body = sh.exec.statements(sh, c.body);
      last = isRun(body) ? yield* body : body;
      if (sh.flow !== Flow.None && !goesOn(sh)) break;
      if (c.step.text.trim() !== "") yield* arithmetic(sh, c.step, c.line);
    }
  } catch (error) {
    return wrongExpression(sh, error);
  } finally {
    sh.loopDepth--;
  }
  return sh.flow === Flow.None ? sh.status = last : sh.status;
}

function* arithmetic(sh: Shell, word: Word, line: number): Run<number | bigint> {
  sh.line = line;
  if (sh.traps.has("DEBUG")) {
    sh.command = `((${word.text.trimStart()}))`;
    yield* debug(sh, line);
  }
  if (sh.options.xtrace) trace(sh, `(( ${word.text} ))`);
  return sh.expander.quickArith(word) ?? (yield* sh.expander.arith(word));
}

export function runArith(sh: Shell, c: ArithCommand): Step<number> {
  sh.line = c.line;
  if (sh.runningTraps.size === 0) sh.command = c;
  if (sh.options.xtrace) trace(sh, `(( ${c.expr.text} ))`);
  try {
    const quick = sh.expander.quickArith(c.expr);
    if (quick !== undefined) return sh.status = isZero(quick) ? 1 : 0;
  } catch (error) {
    return wrongExpression(sh, error);
  }
  return arithLater(sh, c);
}

function* arithLater(sh: Shell, c: ArithCommand): Run<number> {
  try {
    return sh.status = isZero(yield* sh.expander.arith(c.expr)) ? 1 : 0;
  } catch (error) {
    return wrongExpression(sh, error);
  }
}

/** An expression that cannot be worked out makes `((…))` fail; the line goes on. */
function wrongExpression(sh: Shell, error: unknown): number {
  if (!(error instanceof ExpansionError) || error.exits) throw error;
  sh.warn(error instanceof ReadonlyError ? error.message : `((: ${error.message}`);
  return sh.status = 1;
}

export function* runCond(sh: Shell, c: CondCommand): Run<number> {
  sh.line = c.line;
  if (sh.runningTraps.size === 0) sh.command = c;
  try {
    return sh.status = (yield* evaluateCond(sh, c.expr)) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof BadRegex)) throw error;
    return sh.status = 2;
  }
}

interface PatternMemo {
  /** Text of a pattern in which nothing expands; null where something does. */
  fixed?: string | null;
}

/** The pattern of a word in which nothing has to be expanded. */
function fixedPattern(word: Word): string | undefined {
  const memo = (word.memo ??= {}) as PatternMemo;
  if (memo.fixed === undefined) {
    memo.fixed = word.parts.every((p) => (p.kind === "lit" && !p.text.startsWith("~")) || p.kind === "quoted")
      ? word.parts.map((p) => p.kind === "quoted" ? escapePattern(p.text) : (p as { text: string }).text)
        .join("")
      : null;
  }
  return memo.fixed ?? undefined;
}

/** `case` whose subject and patterns need no expansion that could wait. */
export function quickCase(sh: Shell, c: Case): Step<number> {
  if (sh.options.xtrace) return begin(runCase(sh, c));
  sh.line = c.line;
  const subject = sh.expander.quickText(c.subject);
  if (subject === undefined) return begin(runCase(sh, c));
  for (const arm of c.arms) {
    for (const word of arm.patterns) {
      if (fixedPattern(word) === undefined) return begin(runCase(sh, c, subject));
    }
  }
  const fold = sh.options.nocasematch;
  for (const arm of c.arms) {
    for (const word of arm.patterns) {
      if (!compilePattern(fixedPattern(word)!, sh.options.extglob, fold).matches(subject)) continue;
      if (arm.end !== ";;") return begin(runCase(sh, c, subject));
      return arm.body.length === 0 ? sh.status = 0 : sh.exec.statements(sh, arm.body);
    }
  }
  return sh.status = 0;
}

export function* runCase(sh: Shell, c: Case, given?: string): Run<number> {
  sh.line = c.line;
  if (sh.options.xtrace) trace(sh, `case ${c.subject.text} in`);
  const subject = given ?? sh.expander.quickText(c.subject) ?? (yield* sh.expander.text(c.subject));
  const fold = sh.options.nocasematch;
  let status = 0;
  for (let i = 0; i < c.arms.length; i++) {
    let hit = false;
    for (const word of c.arms[i].patterns) {
      const plain = word.plain;
      if (
        plain !== undefined && !fold
          ? plain === subject
          : compilePattern(yield* sh.expander.pattern(word), sh.options.extglob, fold).matches(subject)
      ) {
        hit = true;
        break;
      }
    }
    while (hit) {
      const step = sh.exec.statements(sh, c.arms[i].body);
      status = isRun(step) ? yield* step : step;
      if (c.arms[i].body.length === 0) status = 0;
      if (sh.flow !== Flow.None || c.arms[i].end === ";;") {
        return sh.status = sh.flow === Flow.None ? status : sh.status;
      }
      if (c.arms[i].end === ";;&") break;
      if (++i >= c.arms.length) return sh.status = status;
    }
  }
  return sh.status = status;
}
