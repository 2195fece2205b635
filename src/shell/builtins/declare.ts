/** `declare`, `typeset`, `local`, `export`, `readonly`: attributes and values of variables and functions. */
import { ExpansionError, type Run } from "../expand/config.ts";
import {
  ARRAY,
  ASSOC,
  CAPITAL,
  EXPORT,
  IndexedArray,
  INTEGER,
  LOWER,
  NAMEREF,
  READONLY,
  TRACE,
  UPPER,
  type Variable,
} from "../expand/variable.ts";
import { assignArray } from "../run/assign.ts";
import type { BuiltinCall, LanguageBuiltin, Shell } from "../run/shell.ts";
import { type Assign, closingBracket, parse, printFunction, ShellSyntaxError } from "../syntax/mod.ts";
import { assignment, declaration } from "./shared/declared.ts";
import { isName, showUsage } from "./shared/errors.ts";

const FLAGS: Readonly<Record<string, number>> = {
  a: ARRAY,
  A: ASSOC,
  i: INTEGER,
  l: LOWER,
  u: UPPER,
  c: CAPITAL,
  n: NAMEREF,
  r: READONLY,
  t: TRACE,
  x: EXPORT,
};
const USAGE = "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]";

interface Request {
  readonly name: string;
  set: number;
  clear: number;
  functions: boolean;
  functionNames: boolean;
  global: boolean;
  print: boolean;
  inherit: boolean;
  rest: string[];
  /** Place of the first of `rest` among the arguments. */
  offset: number;
}

export const declare: LanguageBuiltin = {
  name: "declare",
  run: (sh, args, call) => run(sh, args, call, "declare"),
};
export const typeset: LanguageBuiltin = {
  name: "typeset",
  run: (sh, args, call) => run(sh, args, call, "typeset"),
};
export const local: LanguageBuiltin = {
  name: "local",
  run(sh, args, call) {
    if (!sh.inFunction()) {
      sh.warn("local: can only be used in a function");
      return 1;
    }
    return quickLocal(sh, args, call) ? 0 : run(sh, args, call, "local");
  },
};
const PLAIN_LOCAL = /^[A-Za-z_][A-Za-z0-9_]*(?:=(?!\()|$)/;

/** `local name name=value` without options: the usual case. */
function quickLocal(sh: Shell, args: readonly string[], call: BuiltinCall): boolean {
  if (args.length === 0 || call.arrays !== undefined || sh.options.localvar_inherit) return false;
  for (const a of args) {
    if (!PLAIN_LOCAL.test(a)) return false;
    const eq = a.indexOf("=");
    const v = sh.vars.raw(eq === -1 ? a : a.slice(0, eq));
    if (v !== undefined && (v.flags & (READONLY | NAMEREF)) !== 0) return false;
  }
  for (const a of args) {
    const eq = a.indexOf("=");
    const name = eq === -1 ? a : a.slice(0, eq);
    sh.vars.makeLocal(name, false);
    if (eq !== -1) sh.vars.assign(name, a.slice(eq + 1));
  }
  return true;
}

export const exports: LanguageBuiltin = {
  name: "export",
  special: true,
  run: (sh, args, call) => run(sh, args, call, "export"),
};
export const readonly: LanguageBuiltin = {
  name: "readonly",
  special: true,
  run: (sh, args, call) => run(sh, args, call, "readonly"),
};

function* run(sh: Shell, args: readonly string[], call: BuiltinCall, name: string): Run<number> {
  const r = parseArguments(sh, name, args);
  if (typeof r === "number") return r;
  if (name === "export" && (r.clear & 1) === 0) r.set |= EXPORT;
  if (name === "readonly") r.set |= READONLY;
  if (r.functions || r.functionNames) return yield* functions(sh, r);
  if (r.print || r.rest.length === 0) return yield* list(sh, r);
  let status = 0;
  for (let i = 0; i < r.rest.length; i++) {
    try {
      const array = call.arrays?.get(i + r.offset);
      if (!(yield* one(sh, r, r.rest[i], array))) status = 1;
    } catch (error) {
      if (!(error instanceof ExpansionError)) throw error;
      sh.warn(
        `${
          name === "local" || name === "declare" || name === "typeset" || name === "export" ||
            name === "readonly"
            ? name + ": "
            : ""
        }${error.message}`,
      );
      status = 1;
    }
  }
  return status;
}

function parseArguments(sh: Shell, name: string, args: readonly string[]): Request | number {
  const r: Request = {
    name,
    set: 0,
    clear: 0,
    functions: false,
    functionNames: false,
    global: false,
    print: false,
    inherit: false,
    rest: [],
    offset: 0,
  };
  let i = 0;
  for (; i < args.length; i++) {
    const a = args[i];
    if (a === "--") {
      i++;
      break;
    }
    if (!/^[-+]./.test(a)) break;
    for (const c of a.slice(1)) {
      const allowed = name === "export" ? "fnp" : name === "readonly" ? "aAfp" : "aAfFgiIlnrtuxpc";
      if (!allowed.includes(c)) {
        sh.warn(`${name}: ${a[0]}${c}: invalid option`);
        return showUsage(
          sh,
          name,
          name === "export"
            ? "export [-fn] [name[=value] ...] or export -p"
            : name === "readonly"
            ? "readonly [-aAf] [name[=value] ...] or readonly -p"
            : name === "local"
            ? "local [option] name[=value] ..."
            : USAGE.replaceAll("declare", name),
        );
      }
      if (c === "f") r.functions = true;
      else if (c === "F") r.functionNames = true;
      else if (c === "g") r.global = true;
      else if (c === "p") r.print = true;
      else if (c === "I") r.inherit = true;
      else if (name === "export" && c === "n") r.clear |= EXPORT;
      else if (a[0] === "-") r.set |= FLAGS[c];
      else r.clear |= FLAGS[c];
    }
  }
  if ((r.set & LOWER) !== 0) r.clear |= UPPER | CAPITAL;
  if ((r.set & UPPER) !== 0) r.clear |= LOWER | CAPITAL;
  r.rest = args.slice(i);
  r.offset = i;
  return r;
}

function* one(sh: Shell, r: Request, arg: string, array: Assign | undefined): Run<boolean> {
  if (arg === "-" && r.name === "local") {
    // The options come back when the function ends.
    sh.calls[sh.calls.length - 1].options ??= sh.options;
    return true;
  }
  let name: string;
  let index: string | undefined;
  let append = false;
  let value: string | undefined;
  if (array !== undefined) {
    name = array.name;
    append = array.append;
  } else {
    const m = split(arg);
    if (m === null) {
      sh.warn(`${r.name}: \`${arg}': not a valid identifier`);
      return false;
    }
    name = m[1];
    index = m[2]?.slice(1, -1);
    if (index !== undefined && (r.name === "export" || r.name === "readonly")) {
      sh.warn(`${r.name}: \`${arg}': not a valid identifier`);
      return false;
    }
    append = m[3] === "+";
    value = m[4];
    if (value !== undefined && /^\([\s\S]*\)$/.test(value) && index === undefined) {
      const variable = sh.vars.get(name);
      const isArray = (r.set & (ARRAY | ASSOC)) !== 0 ||
        (variable !== undefined && variable.value !== undefined && typeof variable.value !== "string") ||
        (variable !== undefined && (variable.flags & (ARRAY | ASSOC)) !== 0);
      if (isArray) array = arrayOf(`${name}${append ? "+" : ""}=${value}`);
    }
  }
  const work = function* (): Run<boolean> {
    return yield* define(sh, r, name, index, append, value, array);
  };
  const toGlobal = r.global && sh.vars.depth > 0;
  if (toGlobal) {
    // The generator is finished inside: only array literals with substitutions could wait.
    return sh.vars.withGlobal(name, () => {
      const run = work();
      const step = run.next();
      return step.done === true ? step.value : false;
    });
  }
  if (sh.inFunction() && r.name !== "export" && r.name !== "readonly") {
    sh.vars.makeLocal(name, r.inherit || sh.options.localvar_inherit);
  }
  return yield* work();
}

/** `name[subscript]+=value` taken apart. */
function split(arg: string): (string | undefined)[] & { 1: string } | null {
  const name = /^[A-Za-z_][A-Za-z0-9_]*/.exec(arg)?.[0];
  if (name === undefined) return null;
  let at = name.length;
  let index: string | undefined;
  if (arg[at] === "[") {
    const end = closingBracket(arg, at);
    if (end === -1) return null;
    index = arg.slice(at, end + 1);
    at = end + 1;
  }
  const m = /^(\+?)=([\s\S]*)$/.exec(arg.slice(at));
  if (m === null) {
    return at === arg.length ? [arg, name, index] as (string | undefined)[] & { 1: string } : null;
  }
  return [arg, name, index, m[1], m[2]] as (string | undefined)[] & { 1: string };
}

function arrayOf(text: string): Assign | undefined {
  try {
    const c = parse(text)[0]?.first.commands[0];
    return c?.kind === "simple" && c.assigns.length === 1 && c.words.length === 0 ? c.assigns[0] : undefined;
  } catch (error) {
    if (error instanceof ShellSyntaxError) return undefined;
    throw error;
  }
}

function* define(
  sh: Shell,
  r: Request,
  name: string,
  index: string | undefined,
  append: boolean,
  value: string | undefined,
  array: Assign | undefined,
): Run<boolean> {
  const vars = sh.vars;
  const before = vars.raw(name);
  let target = name;
  if (before !== undefined && (before.flags & NAMEREF) !== 0 && ((r.set | r.clear) & NAMEREF) === 0) {
    target = vars.target(name);
    if (!isName(target)) target = name;
  }
  const existing = vars.raw(target);
  if (existing !== undefined && (existing.flags & READONLY) !== 0) {
    if (
      value !== undefined || array !== undefined || (r.clear & READONLY) !== 0 ||
      ((r.set & ~(READONLY | EXPORT)) !== 0 && (r.set & ~existing.flags & ~ARRAY) !== 0)
    ) {
      const named = r.name === "export" || r.name === "readonly" ? "" : `${r.name}: `;
      sh.warn(`${named}${target}: readonly variable`);
      return false;
    }
  }
  if ((r.set & NAMEREF) !== 0) {
    if (value !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*(\[.*\])?$/.test(value)) {
      sh.warn(`${r.name}: \`${value}': invalid variable name for name reference`);
      return false;
    }
    if (value === name && !sh.inFunction()) {
      sh.warn(`${r.name}: ${name}: nameref variable self references not allowed`);
      return false;
    }
    const v = vars.declare(name);
    v.flags = v.flags & ~r.clear | r.set;
    if (value !== undefined) v.value = value;
    vars.touchExports();
    return true;
  }
  if ((r.set & ASSOC) !== 0 && existing?.value instanceof IndexedArray) {
    sh.warn(`${r.name}: ${target}: cannot convert indexed to associative array`);
    return false;
  }
  if ((r.set & ARRAY) !== 0 && existing !== undefined && (existing.flags & ASSOC) !== 0) {
    sh.warn(`${r.name}: ${target}: cannot convert associative to indexed array`);
    return false;
  }
  if (
    (r.clear & (ARRAY | ASSOC)) !== 0 && existing?.value !== undefined && typeof existing.value !== "string"
  ) {
    sh.warn(`${r.name}: ${target}: cannot destroy array variables in this way`);
    return false;
  }
  // The constant is set last.
  const late = r.set & READONLY;
  if ((r.set & ~READONLY) !== 0 || r.clear !== 0 || existing === undefined || late !== 0) {
    vars.setFlags(target, r.set & ~READONLY, r.clear);
    const v = vars.declare(target);
    if ((r.set & ASSOC) !== 0 && typeof v.value === "string") v.value = new Map([["0", v.value]]);
    if ((r.set & ARRAY) !== 0 && typeof v.value === "string") v.value = new IndexedArray([v.value]);
  }
  if (array !== undefined) yield* assignArray(sh, { ...array, name: target });
  else if (value !== undefined) {
    if (index !== undefined) vars.assignElementText(target, index, value, 0, append);
    else vars.assign(target, value, append);
  } else if (index !== undefined && existing === undefined) vars.setFlags(target, ARRAY);
  if (late !== 0) vars.setFlags(target, late);
  vars.touchExports();
  return true;
}

function* out(sh: Shell, text: string): Run<void> {
  const later = sh.print(text);
  if (later instanceof Promise) yield later;
}

function matches(v: Variable, wanted: number): boolean {
  if ((wanted & ARRAY) !== 0 && !(v.value instanceof IndexedArray || (v.flags & ARRAY) !== 0)) return false;
  if ((wanted & ASSOC) !== 0 && !(v.value instanceof Map || (v.flags & ASSOC) !== 0)) return false;
  const rest = wanted & ~(ARRAY | ASSOC);
  return (v.flags & rest) === rest;
}

function* list(sh: Shell, r: Request): Run<number> {
  let status = 0;
  let text = "";
  if (r.rest.length > 0) {
    for (const name of r.rest) {
      const v = sh.vars.raw(name);
      if (v === undefined || (r.name === "local" && !sh.vars.isLocal(name))) {
        sh.warn(`${r.name}: ${name}: not found`);
        status = 1;
      } else yield* out(sh, printed(sh, r, name, v) + "\n");
    }
    return status;
  }
  const names = (r.name === "local" ? sh.vars.localNames() : sh.vars.allNames()).sort();
  for (const name of names) {
    const v = sh.vars.raw(name);
    if (v === undefined || !matches(v, r.set)) continue;
    if (r.set === 0 && !r.print && r.name !== "local") {
      const shown = assignment(name, v);
      if (shown !== undefined) text += shown + "\n";
    } else text += printed(sh, r, name, v) + "\n";
  }
  yield* out(sh, text);
  if (r.set === 0 && !r.print && r.name !== "local") {
    for (const fn of sortedFunctions(sh)) yield* out(sh, printFunction(fn.name, fn.body));
  }
  return status;
}

/** A declaration that reads back; in POSIX mode under the builtin's own name. */
function printed(sh: Shell, r: Request, name: string, v: Variable): string {
  const text = declaration(name, v);
  if (!sh.options.posix || (r.name !== "export" && r.name !== "readonly")) return text;
  return text.replace(/^declare -\S+/, r.name);
}

function sortedFunctions(sh: Shell) {
  return [...sh.functions.values()].sort((a, b) => a.name < b.name ? -1 : 1);
}

function* functions(sh: Shell, r: Request): Run<number> {
  let status = 0;
  const setting = r.set & (EXPORT | READONLY | TRACE);
  if (r.rest.length === 0) {
    for (const fn of sortedFunctions(sh)) {
      if ((setting & EXPORT) !== 0 && !fn.exported) continue;
      yield* out(
        sh,
        r.functionNames
          ? `declare -f${fn.exported ? "x" : ""} ${fn.name}\n`
          : printFunction(fn.name, fn.body) + (fn.exported ? `declare -fx ${fn.name}\n` : ""),
      );
    }
    return 0;
  }
  for (const name of r.rest) {
    const fn = sh.functions.get(name);
    if (fn === undefined) {
      if (setting !== 0 || r.clear !== 0) sh.warn(`${r.name}: ${name}: not a function`);
      status = 1;
      continue;
    }
    if (setting !== 0 || r.clear !== 0) {
      if ((setting & READONLY) !== 0) sh.readonlyFunctions = new Set([...sh.readonlyFunctions, name]);
      sh.setFunction(name, {
        ...fn,
        exported: (setting & EXPORT) !== 0 || (fn.exported && (r.clear & EXPORT) === 0),
        traced: fn.traced || (setting & TRACE) !== 0,
      });
      continue;
    }
    if (r.functionNames) {
      yield* out(sh, sh.options.extdebug ? `${name} ${fn.line} ${fn.source}\n` : `${name}\n`);
    } else yield* out(sh, printFunction(name, fn.body));
  }
  return status;
}
