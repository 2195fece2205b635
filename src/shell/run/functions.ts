/** Calling functions: frames, parameters, depth. */
import { ExpansionError, type Run } from "../expand/config.ts";
import type { GateRequest } from "../gate.ts";
import { breathe, due } from "./breath.ts";
import { SET_OPTIONS } from "./options.ts";
import { drive, isRun, type Step } from "./process.ts";
import { Flow, type FunctionEntry, type Shell } from "./shell.ts";
import { leaveTraps, runTrap, trapApplies } from "./traps.ts";

export type Temporary = readonly (readonly [name: string, value: string, append: boolean])[];

/** After so many nested calls evaluation goes on on a fresh stack. */
const STACK_STEP = 40;

/** Prints an expansion's error once, with the place it happened at. */
export function report(sh: Shell, error: ExpansionError): void {
  if (error.printed) return;
  error.printed = true;
  sh.warn(error.message);
}

export function callFunction(sh: Shell, fn: FunctionEntry, argv: readonly string[]): Step<number> {
  const limit = Number(sh.vars.text("FUNCNEST") ?? 0) || sh.session.limits.calls;
  if (sh.calls.length >= limit) {
    throw new ExpansionError(`${fn.name}: maximum function nesting level exceeded (${limit})`);
  }
  return due(sh) ? afterBreath(sh, fn, argv) : enter(sh, fn, argv);
}

/** Functions that call each other without end are a loop too. */
function* afterBreath(sh: Shell, fn: FunctionEntry, argv: readonly string[]): Run<number> {
  yield* breathe(sh);
  const step = enter(sh, fn, argv);
  return isRun(step) ? yield* step : step;
}

function enter(sh: Shell, fn: FunctionEntry, argv: readonly string[]): Step<number> {
  const call = new Call(sh, fn, argv);
  try {
    call.enter();
    if (sh.traps.has("DEBUG") && trapApplies(sh, "DEBUG")) return rest(call, debugged(sh, fn));
    if (sh.calls.length % STACK_STEP === 0) return onFreshStack(sh, fn, call);
    const step = sh.exec.command(sh, fn.body);
    if (isRun(step)) return rest(call, step);
  } catch (error) {
    call.leave(error);
    throw error;
  }
  return call.finish();
}

/** A traced function's body: the DEBUG trap runs before it as well as before its commands. */
function* debugged(sh: Shell, fn: FunctionEntry): Run<number> {
  sh.line = fn.body.line;
  const trap = runTrap(sh, "DEBUG");
  if (isRun(trap)) yield* trap;
  if (sh.flow !== Flow.None) return sh.status;
  const step = sh.exec.command(sh, fn.body);
  return isRun(step) ? yield* step : step;
}

function* rest(call: Call, step: Run<number>): Run<number> {
  try {
    yield* step;
  } catch (error) {
    call.leave(error);
    throw error;
  }
  const end = call.finish();
  return isRun(end) ? yield* end : end;
}

/**
 * Evaluates text that is nested so deep: now and then on a fresh stack, for
 * the engine's own has no room for the deepest nesting that is allowed.
 */
export function* nestedText(sh: Shell, depth: number, evaluate: () => Step<number>): Run<void> {
  if (depth % STACK_STEP === 0) {
    yield Promise.resolve().then(() => drive(evaluate(), sh.process.driver));
    return;
  }
  const step = evaluate();
  if (isRun(step)) yield* step;
}

function* onFreshStack(sh: Shell, fn: FunctionEntry, call: Call): Run<number> {
  try {
    yield Promise.resolve().then(() => drive(sh.exec.command(sh, fn.body), sh.process.driver));
  } catch (error) {
    call.leave(error);
    throw error;
  }
  const end = call.finish();
  return isRun(end) ? yield* end : end;
}

class Call {
  readonly #params: readonly string[];
  readonly #loopDepth: number;
  readonly #line: number;

  constructor(readonly sh: Shell, readonly fn: FunctionEntry, readonly argv: readonly string[]) {
    this.#params = sh.params;
    this.#loopDepth = sh.loopDepth;
    this.#line = sh.line;
  }

  enter(): void {
    const sh = this.sh;
    sh.vars.pushFrame();
    sh.calls.push({
      name: this.fn.name,
      source: this.fn.source,
      line: sh.line,
      sourced: false,
      traced: this.fn.traced,
    });
    sh.params = this.argv.slice(1);
    sh.loopDepth = 0;
  }

  finish(): Step<number> {
    const sh = this.sh;
    const returned = sh.flow === Flow.Return;
    if (returned) sh.flow = Flow.None;
    if (sh.traps.size > 0 && trapApplies(sh, "RETURN")) return this.#withTrap(returned);
    this.#restore();
    return sh.status;
  }

  *#withTrap(returned: boolean): Run<number> {
    const status = this.sh.status;
    if (returned) this.sh.status = this.sh.statusBeforeReturn;
    const step = runTrap(this.sh, "RETURN");
    if (isRun(step)) yield* step;
    this.sh.status = status;
    this.#restore();
    return status;
  }

  leave(error: unknown): void {
    if (error instanceof ExpansionError) report(this.sh, error);
    this.#restore();
  }

  #restore(): void {
    const sh = this.sh;
    const options = sh.calls.pop()?.options;
    if (sh.traps.size > 0) leaveTraps(sh);
    if (options !== undefined) { for (const [name] of SET_OPTIONS) sh.setOption(name, options[name]); }
    sh.lastArgument = this.argv[this.argv.length - 1];
    sh.vars.popFrame();
    sh.params = this.#params;
    sh.loopDepth = this.#loopDepth;
    sh.line = this.#line;
  }
}

/** Asks the gate about a command; the reason where it may not run. */
export function* askGate(sh: Shell, request: GateRequest): Run<string | undefined> {
  const gate = sh.session.gate;
  if (gate === undefined) return undefined;
  const answer = gate(request);
  const verdict = answer instanceof Promise ? (yield answer) as Awaited<typeof answer> : answer;
  return verdict.allow ? undefined : verdict.reason;
}
