/**
 * Simple commands. The usual ones (words that expand at once, a builtin or a
 * function, no redirection) run without a generator; everything else takes
 * the long way: expand, redirect, assign, ask the gate, run.
 */
import { UnsupportedOption, type Utility } from "../builtin.ts";
import { ReadonlyError, type Run, wait } from "../expand/config.ts";
import { xtraceQuote } from "../expand/quote.ts";
import type { GateRedirect, GateRequest } from "../gate.ts";
import { HostError } from "../host.ts";
import type { Assign, Simple } from "../syntax/mod.ts";
import { assign, quickAssign, settledArray } from "./assign.ts";
import { runExternal } from "./external.ts";
import { firstLine } from "./first_line.ts";
import { askGate, callFunction, type Temporary } from "./functions.ts";
import { find, type Found } from "./lookup.ts";
import { begin, isRun, Killed, type Step } from "./process.ts";
import { keep, redirect, settleRedirects, type Undo, undo } from "./redirect.ts";
import { type BuiltinCall, Flow, type LanguageBuiltin, type Shell } from "./shell.ts";
import { runTrap, trapApplies } from "./traps.ts";
import { runUtility } from "./utility.ts";
import { trace, tracedValue } from "./xtrace.ts";

interface Memo {
  /** Some argument assigns (`declare x=…`). */
  readonly declares: boolean;
}

export function simple(sh: Shell, c: Simple): Step<number> {
  sh.line = c.line;
  if (sh.runningTraps.size === 0) sh.command = c;
  if (
    c.redirects.length === 0 && !sh.options.xtrace && sh.session.gate === undefined && !sh.traps.has("DEBUG")
  ) {
    const memo = (c.memo ??= memoOf(c)) as Memo;
    if (c.words.length === 0) {
      const n = c.assigns.length;
      for (let i = 0; i < n; i++) {
        if (!quickAssign(sh, c.assigns[i])) return begin(assignments(sh, c.assigns, i));
      }
      sh.lastArgument = "";
      return sh.status = 0;
    }
    if (c.assigns.length === 0) {
      const argv = memo.declares ? quickDeclaring(sh, c) : sh.expander.fields(c.words);
      if (argv === undefined) return begin(run(sh, c, undefined));
      if (!isRun(argv)) {
        if (argv.length === 0) return sh.status = 0;
        const step = quickly(sh, argv);
        if (step !== undefined) return step;
        return begin(run(sh, c, argv));
      }
      return begin(run(sh, c, argv));
    }
  }
  return begin(run(sh, c, undefined));
}

function memoOf(c: Simple): Memo {
  return { declares: c.words.some((w) => w.assign !== undefined) };
}

/** The words of a declaring command where all values are there at once and none is an array. */
function quickDeclaring(sh: Shell, c: Simple): string[] | undefined {
  for (const word of c.words) {
    const a = word.assign;
    if (a === undefined ? word.plain === undefined : a.value === undefined || a.index !== undefined) {
      return undefined;
    }
  }
  const argv: string[] = [];
  for (const word of c.words) {
    const a = word.assign;
    if (a === undefined) {
      argv.push(word.plain!);
      continue;
    }
    const value = sh.expander.quickText(a.value!);
    // What was worked out so far has no side effects but those of arithmetic, which plans keep apart.
    if (value === undefined) return undefined;
    argv.push(a.name + (a.append ? "+=" : "=") + value);
  }
  return argv;
}

/** Functions and builtins, without anything around them. */
function quickly(sh: Shell, argv: string[]): Step<number> | undefined {
  const name = argv[0];
  const fn = sh.functions.get(name);
  if (fn !== undefined && sh.options.posix) return undefined;
  if (fn !== undefined) return callFunction(sh, fn, argv);
  if (sh.disabled.size > 0 && sh.disabled.has(name)) return undefined;
  const builtin = sh.session.builtins.get(name);
  if (builtin === undefined) return undefined;
  sh.lastArgument = argv[argv.length - 1];
  return runBuiltin(sh, builtin, argv, { name });
}

function* assignments(sh: Shell, list: readonly Assign[], from: number): Run<number> {
  sh.substitutionStatus = undefined;
  for (let i = from; i < list.length; i++) {
    yield* assign(sh, list[i]);
  }
  sh.lastArgument = "";
  return sh.status = sh.substitutionStatus ?? 0;
}

function* run(sh: Shell, c: Simple, fields: string[] | Run<string[]> | undefined): Run<number> {
  const heldFds = sh.processFds.length;
  sh.substitutionStatus = undefined;
  if (sh.traps.has("DEBUG") && trapApplies(sh, "DEBUG")) {
    const step = runTrap(sh, "DEBUG");
    const verdict = isRun(step) ? yield* step : step;
    if (sh.flow !== 0) return sh.status;
    if (verdict !== 0 && sh.options.extdebug) return sh.status = 1;
  }
  const changes: Undo = [];
  try {
    let arrays: Map<number, Assign> | undefined;
    let argv: string[];
    if (fields === undefined) {
      const memo = (c.memo ??= memoOf(c)) as Memo;
      if (memo.declares) [argv, arrays] = yield* declaring(sh, c);
      else {
        const step = sh.expander.fields(c.words);
        argv = isRun(step) ? yield* step : step;
      }
    } else argv = isRun(fields) ? yield* fields : fields;
    sh.line = c.line;
    let redirects = c.redirects;
    let touched: readonly GateRedirect[] = [];
    if (sh.session.gate !== undefined) {
      // Asked before anything is opened or set.
      [redirects, touched] = yield* settleRedirects(sh, c.redirects);
      const found = argv.length === 0 ? { kind: "none" as const } : find(sh, argv[0]);
      const assigned: [string, string, boolean][] = [];
      for (const a of c.assigns) {
        if (a.value !== undefined && a.index === undefined) {
          assigned.push([a.name, sh.expander.quickText(a.value) ?? a.value.text, a.append]);
        }
      }
      const reason = argv.length + touched.length + assigned.length === 0
        ? undefined
        : yield* askGate(sh, request(sh, argv, found, touched, assigned));
      if (reason !== undefined) return denied(sh, argv[0] ?? c.assigns[0]?.name ?? touched[0].path, reason);
    }
    if (argv.length === 0 && c.assigns.length > 0 && redirects.length > 0) {
      // Without a command the values are worked out before anything is redirected.
      const status = yield* assignments(sh, c.assigns, 0);
      return sh.status = (yield* redirect(sh, redirects, changes)) ? status : 1;
    }
    if (redirects.length > 0 && !(yield* redirect(sh, redirects, changes))) {
      sh.lastArgument = argv[argv.length - 1] ?? "";
      if (sh.options.posix && argv.length > 0 && sh.session.builtins.get(argv[0])?.special) {
        sh.flow = Flow.Exit;
      }
      return sh.status = 1;
    }
    if (argv.length === 0) {
      const status: number = sh.substitutionStatus ?? 0;
      if (c.assigns.length === 0) return sh.status = status;
      return yield* assignments(sh, c.assigns, 0);
    }
    const temporary = c.assigns.length === 0 ? [] : yield* temporaries(sh, c.assigns);
    if (sh.options.xtrace) {
      if (arrays !== undefined) {
        for (const [i, a] of arrays) {
          const settled = yield* settledArray(sh, a, argv.some((w) => /^-[a-zA-Z]*A/.test(w)));
          arrays.set(i, settled);
          trace(sh, settled.text);
        }
      }
      trace(sh, argv.map((w, i) => arrays?.has(i) ? arrays.get(i)!.name : xtraceQuote(w)).join(" "));
      if (argv[0] === "export" || argv[0] === "readonly") {
        for (const w of argv.slice(1)) {
          const m = /^([A-Za-z_][A-Za-z0-9_]*\+?=)([\s\S]*)$/.exec(w);
          if (m !== null && !w.startsWith("-") && ![...arrays?.keys() ?? []].some((i) => argv[i] === w)) {
            trace(sh, m[1] + tracedValue(m[2]));
          }
        }
      }
    }
    return yield* dispatch(
      sh,
      argv,
      temporary,
      { functions: true, builtins: true, judged: true },
      changes,
      arrays,
    );
  } finally {
    undo(sh, changes);
    closeProcessFds(sh, heldFds);
  }
}

/** The values of `a=1 b=$a command`: each sees those before it. */
function* temporaries(sh: Shell, assigns: readonly Assign[]): Run<[string, string, boolean][]> {
  const out: [string, string, boolean][] = [];
  const several = assigns.length > 1;
  if (several) sh.vars.pushTemporary();
  try {
    for (const a of assigns) {
      const value = a.array !== undefined
        ? a.text.slice(a.text.indexOf("("))
        : yield* sh.expander.assigned(a.value!);
      if (a.index !== undefined) continue;
      out.push([a.name, value, a.append]);
      if (sh.options.xtrace) trace(sh, `${a.name}${a.append ? "+=" : "="}${tracedValue(value)}`);
      if (!several) continue;
      try {
        sh.vars.setTemporary(a.name, value, a.append);
      } catch (error) {
        // Complained about when the command is about to run.
        if (!(error instanceof ReadonlyError)) throw error;
      }
    }
  } finally {
    if (several) sh.vars.popTemporary();
  }
  return out;
}

export function closeProcessFds(sh: Shell, from: number): void {
  while (sh.processFds.length > from) sh.fds.set(sh.processFds.pop()!, undefined);
}

/** The words of a declaring command: assignments are expanded as such, arrays are handed over as nodes. */
function* declaring(sh: Shell, c: Simple): Run<[string[], Map<number, Assign>]> {
  const argv: string[] = [];
  const arrays = new Map<number, Assign>();
  for (const word of c.words) {
    const a = word.assign;
    if (a === undefined) {
      const step = sh.expander.fields([word]);
      argv.push(...(isRun(step) ? yield* step : step));
    } else if (a.array !== undefined) {
      arrays.set(argv.length, a);
      argv.push(a.text);
    } else {
      const value = yield* sh.expander.assigned(a.value!);
      const index = a.index === undefined ? "" : `[${a.index.word.text}]`;
      argv.push(`${a.name}${index}${a.append ? "+=" : "="}${value}`);
    }
  }
  return [argv, arrays];
}

export interface DispatchOptions {
  readonly functions: boolean;
  readonly builtins: boolean;
  readonly defaultPath?: boolean;
  /** The command takes this shell's place (`exec`). */
  readonly replace?: boolean;
  /** The gate was asked already. */
  readonly judged?: boolean;
  /** Another argv[0]. */
  readonly argv0?: string;
  readonly missing?: (why: string) => string;
}

/** Runs an argument vector. */
export function* dispatch(
  sh: Shell,
  argv: string[],
  temporary: Temporary,
  options: DispatchOptions,
  changes: Undo = [],
  arrays?: ReadonlyMap<number, Assign>,
): Run<number> {
  const name = argv[0];
  const found = find(sh, name, options);
  if (sh.session.gate !== undefined && !options.judged) {
    const reason = yield* askGate(sh, request(sh, argv, found, [], temporary));
    if (reason !== undefined) return denied(sh, name, reason);
  }
  if (temporary.length === 0) return yield* target(sh, argv, found, options, changes, arrays);
  if (sh.options.posix && options.functions && found.kind === "builtin" && found.builtin.special) {
    // POSIX: what is assigned before a special builtin stays.
    for (const [n, value, append] of temporary) sh.vars.assign(n, value, append);
    return yield* target(sh, argv, found, options, changes, arrays);
  }
  sh.vars.pushTemporary();
  try {
    for (const [n, value, append] of temporary) {
      try {
        sh.vars.setTemporary(n, value, append);
      } catch (error) {
        // The command runs all the same.
        if (!(error instanceof ReadonlyError)) throw error;
        sh.warn(error.message);
      }
    }
    // A PATH given for the command is where it is looked for; what the gate was asked about stays.
    const moved = sh.session.gate === undefined && temporary.some(([n]) => n === "PATH");
    return yield* target(sh, argv, moved ? find(sh, name, options) : found, options, changes, arrays);
  } finally {
    sh.vars.popTemporary();
  }
}

function* target(
  sh: Shell,
  argv: string[],
  found: Found,
  options: DispatchOptions,
  changes: Undo,
  arrays: ReadonlyMap<number, Assign> | undefined,
): Run<number> {
  const name = argv[0];
  switch (found.kind) {
    case "function": {
      const step = callFunction(sh, found.fn, argv);
      return isRun(step) ? yield* step : step;
    }
    case "builtin": {
      if (
        name === "exec" && found.builtin.name === "exec" && argv.every((a, i) => i === 0 || a === "--") &&
        argv.length <= 2
      ) keep(changes);
      sh.lastArgument = argv[argv.length - 1];
      const shifted = arrays === undefined ? undefined : new Map([...arrays].map(([i, a]) => [i - 1, a]));
      const step = runBuiltin(sh, found.builtin, argv, { name, arrays: shifted });
      return isRun(step) ? yield* step : step;
    }
    case "utility":
      sh.lastArgument = argv[argv.length - 1];
      return sh.status = yield* utility(sh, found.utility, argv, found.path);
    case "shell": {
      const called = options.argv0 === undefined ? argv : [options.argv0, ...argv.slice(1)];
      const step = sh.exec.nested(sh, called, undefined);
      sh.lastArgument = argv[argv.length - 1];
      return sh.status = isRun(step) ? yield* step : step;
    }
    case "external": {
      sh.lastArgument = argv[argv.length - 1];
      const script = scriptKind(sh, found.path);
      if (script === "binary") {
        sh.warn(`${found.path}: cannot execute binary file: Exec format error`);
        return sh.status = 126;
      }
      if (script === "shell") {
        // Nobody else is asked about it: no program starts.
        const reason = sh.session.gate === undefined
          ? undefined
          : yield* askGate(sh, request(sh, argv, { kind: "shell", path: found.path }, [], []));
        if (reason !== undefined) return denied(sh, name, reason);
        const step = sh.exec.nested(sh, argv, found.path);
        return sh.status = isRun(step) ? yield* step : step;
      }
      return sh.status = yield* runExternal(
        sh,
        found.path,
        options.argv0 === undefined ? argv : [options.argv0, ...argv.slice(1)],
      );
    }
  }
  sh.lastArgument = argv[argv.length - 1];
  return yield* notFound(sh, argv, found.kind === "none" ? found.denied : undefined, options.missing);
}

function* utility(sh: Shell, u: Utility, argv: string[], path: string): Run<number> {
  let status: number;
  try {
    status = yield* wait(runUtility(sh, u, argv));
  } catch (error) {
    if (!(error instanceof UnsupportedOption)) throw error;
    status = yield* hostProgram(sh, argv, path, error);
  }
  sh.poll();
  return status;
}

/** The host's own program, for an option that the utility does not have; where it may not run, the utility's message. */
function* hostProgram(sh: Shell, argv: string[], path: string, error: UnsupportedOption): Run<number> {
  if (sh.session.external && sh.host.spawn !== undefined && runnable(sh, path)) {
    const asked = sh.session.gate === undefined
      ? undefined
      : yield* askGate(sh, request(sh, argv, { kind: "external", path }, [], []));
    if (asked === undefined) return yield* runExternal(sh, path, argv);
  }
  sh.writeError(`${argv[0]}: ${error.message}\n`);
  return 2;
}

function runnable(sh: Shell, path: string): boolean {
  try {
    return sh.fs.stat(sh.absolute(path)).kind === "file" && sh.fs.access(sh.absolute(path), "x");
  } catch {
    // Not there, or hidden from this shell.
    return false;
  }
}

function* notFound(
  sh: Shell,
  argv: string[],
  reason: string | undefined,
  missingText: DispatchOptions["missing"],
): Run<number> {
  const name = argv[0];
  if (missingText !== undefined) {
    // As execve(2) says it of a folder.
    const why = reason === "Is a directory" ? "Permission denied" : reason ?? "No such file or directory";
    sh.writeError(missingText(why) + "\n");
    return sh.status = why === "No such file or directory" ? 127 : 126;
  }
  if (reason === undefined) {
    const handle = sh.functions.get("command_not_found_handle");
    if (handle !== undefined) {
      const step = callFunction(sh, handle, ["command_not_found_handle", ...argv]);
      return isRun(step) ? yield* step : step;
    }
    sh.warn(`${name}: command not found`);
    return sh.status = 127;
  }
  const missing = reason === "No such file or directory" || reason === "Not a directory";
  sh.warn(`${name}: ${name.includes("/") ? reason : "Permission denied"}`);
  return sh.status = missing && reason !== "Not a directory" ? 127 : 126;
}

function denied(sh: Shell, name: string, reason: string): number {
  sh.warn(`${name}: ${reason}`);
  return sh.status = 126;
}

function request(
  sh: Shell,
  argv: readonly string[],
  found: Found | { kind: "none" },
  redirects: readonly GateRedirect[],
  temporary: Temporary,
): GateRequest {
  return {
    argv,
    kind: found.kind,
    ...(found.kind === "utility" ? { name: found.utility.name } : {}),
    program: found.kind === "external" ? sh.absolute(found.path) : undefined,
    redirects,
    assignments: Object.fromEntries(temporary.map(([n, v]) => [n, v])),
    cwd: sh.cwd,
    line: sh.line,
  };
}

/** Whether a program file is a script for a shell (then it runs in-process). */
function scriptKind(sh: Shell, path: string): "shell" | "program" | "binary" {
  // A batch file is a text, but none for this shell.
  if (sh.windows && /\.(?:exe|com|cmd|bat)$/i.test(path)) return "program";
  try {
    const file = sh.fs.open(sh.absolute(path), { read: true });
    if (file instanceof Promise) return "program";
    const head = new Uint8Array(256);
    const n = file.read(head);
    file.close();
    if (n instanceof Promise) return "program";
    const text = String.fromCharCode(...head.subarray(0, n));
    if (text.startsWith("#!")) {
      const which = firstLine(text)?.[0].split("/").pop();
      return which === "bash" || which === "sh" || which === "dash" ? "shell" : "program";
    }
    // A text without a magic number is a script, too.
    if (n === 0) return "shell";
    if (text.startsWith("MZ") || text.startsWith("\x7fELF") || head[0] > 0xc0) return "program";
    const line = text.indexOf("\n");
    return text.slice(0, line === -1 ? n : line).includes("\0") ? "binary" : "shell";
  } catch {
    return "program";
  }
}

export function runBuiltin(
  sh: Shell,
  builtin: LanguageBuiltin,
  argv: readonly string[],
  call: BuiltinCall,
): Step<number> {
  try {
    const step = builtin.run(sh, argv.slice(1), call);
    if (typeof step === "number") return sh.status = step;
    return builtinLater(sh, argv[0], step);
  } catch (error) {
    return sh.status = failed(sh, argv[0], error);
  }
}

function* builtinLater(sh: Shell, name: string, step: Promise<number> | Run<number>): Run<number> {
  try {
    return sh.status = step instanceof Promise ? (yield step) as number : yield* step;
  } catch (error) {
    return sh.status = failed(sh, name, error);
  }
}

function failed(sh: Shell, name: string, error: unknown): number {
  if (!(error instanceof HostError)) throw error;
  if (error.code === "EPIPE") {
    if (sh.traps.get("PIPE") === undefined) {
      sh.process.kill("SIGPIPE");
      throw new Killed(sh.process, "SIGPIPE");
    }
    sh.warn(`${name}: write error: Broken pipe`);
    return 1;
  }
  sh.warn(`${name}: ${error.path === undefined ? "write error" : error.path}: ${error.message}`);
  return 1;
}
