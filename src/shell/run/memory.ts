/**
 * What a shell between two scripts remembers, as plain data of which a new one
 * is made: the folder, the mask, exported variables, plain ones. There is none
 * where the shell holds anything beyond that (functions, arrays, jobs, open
 * files, traps, options): told by a comparison with the shell that the data
 * would make. What clock and chance say, and where programs were found, is not
 * compared.
 */
import { EXPORT, IndexedArray, type Value, type Variable } from "../expand/variable.ts";
import { DYNAMIC_NAMES, type Shell } from "./shell.ts";

export interface ShellMemory {
  readonly cwd: string;
  readonly umask: number;
  /** Exported variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that are not exported. */
  readonly plain: Readonly<Record<string, string>>;
}

/** `make`: a new shell with that memory. */
export function memoryOf(sh: Shell, make: (memory: ShellMemory) => Shell): ShellMemory | undefined {
  if (!isPlain(sh)) return undefined;
  const env = Object.fromEntries(sh.vars.exports());
  // A new shell counts itself.
  if (env.SHLVL !== undefined) env.SHLVL = String(Number(env.SHLVL) - 1);
  const plain: Record<string, string> = {};
  for (const [name, { flags, value, frame }] of variablesOf(sh)) {
    if (flags === 0 && frame === 0 && typeof value === "string") plain[name] = value;
  }
  const memory = { cwd: sh.cwd, umask: sh.umask, env, plain };
  const twin = make(memory);
  try {
    return isSame(sh, twin) ? memory : undefined;
  } finally {
    twin.fds.closeAll();
  }
}

function isPlain(sh: Shell): boolean {
  const parts = [sh.functions, sh.aliases, sh.traps, sh.disabled, sh.readonlyFunctions, sh.session.ulimits];
  const lists = [sh.params, sh.dirStack, sh.jobs.all, sh.coprocs];
  return parts.every((part) => part.size === 0) && lists.every((list) => list.length === 0) &&
    sh.lastBackground === undefined && sh.getoptsAt.offset === 0 &&
    sh.fds.entries().every(([fd]) => fd <= 2);
}

function isSame(a: Shell, b: Shell): boolean {
  const options = Object.entries(a.options).every(([name, on]) => b.options[name] === on);
  const [mine, others] = [variablesOf(a), variablesOf(b)];
  const named = a.vars.allNames().length === b.vars.allNames().length;
  return options && named && a.cwd === b.cwd && mine.size === others.size &&
    [...mine].every(([name, variable]) => isSameVariable(variable, others.get(name)));
}

function isSameVariable(a: Variable, b: Variable | undefined): boolean {
  return b !== undefined && a.flags === b.flags && a.frame === b.frame && isSameValue(a.value, b.value);
}

function isSameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (a instanceof IndexedArray && b instanceof IndexedArray) {
    if (a.count !== b.count || a.end !== b.end || a.end > MOST_ELEMENTS) return false;
    for (let at = 0; at < a.end; at++) if (a.get(at) !== b.get(at)) return false;
    return true;
  }
  return a === b;
}

/** No array that every shell begins with is longer. */
const MOST_ELEMENTS = 100;

/** All but those whose value is worked out. */
function variablesOf(sh: Shell): Map<string, Variable> {
  const found = new Map<string, Variable>();
  for (const name of sh.vars.allNames()) {
    if (LEFT_OUT.has(name)) continue;
    const variable = sh.vars.raw(name);
    if (variable !== undefined) found.set(name, variable);
  }
  return found;
}

const LEFT_OUT: ReadonlySet<string> = new Set([...DYNAMIC_NAMES, "SHELLOPTS", "BASHOPTS"]);

/** Puts plain variables into a new shell. */
export function remember(sh: Shell, plain: ShellMemory["plain"]): void {
  for (const [name, value] of Object.entries(plain)) {
    // What every shell begins with may be exported here, and was not.
    if ((sh.vars.raw(name)?.flags ?? 0) & EXPORT) sh.vars.setFlags(name, 0, EXPORT);
    sh.vars.assign(name, value);
  }
}
