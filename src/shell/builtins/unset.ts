import { ASSOC, IndexedArray, NAMEREF } from "../expand/variable.ts";
import type { LanguageBuiltin, Shell } from "../run/shell.ts";
import { badOption, isName } from "./shared/errors.ts";
import { parseOptions } from "./shared/options.ts";

/** `unset [-f] [-v] [-n] name …` */
export const unset: LanguageBuiltin = {
  name: "unset",
  special: true,
  run(sh, args) {
    const o = parseOptions(args, "fvn");
    if (o.bad !== undefined) return badOption(sh, "unset", o.bad, "unset [-f] [-v] [-n] [name ...]");
    if (o.flags.has("f") && o.flags.has("v")) {
      sh.warn("unset: cannot simultaneously unset a function and a variable");
      return 1;
    }
    let status = 0;
    for (const arg of o.rest) {
      if (o.flags.has("f")) {
        if (sh.readonlyFunctions.has(arg)) {
          sh.warn(`unset: ${arg}: cannot unset: readonly function`);
          status = 1;
        } else sh.setFunction(arg, undefined);
        continue;
      }
      if (!one(sh, arg, o.flags.has("v"), o.flags.has("n"))) status = 1;
    }
    return status;
  },
};

function one(sh: Shell, arg: string, variable: boolean, nameref: boolean): boolean {
  const element = /^([A-Za-z_][A-Za-z0-9_]*)\[([\s\S]*)\]$/.exec(arg);
  if (element !== null) return unsetElement(sh, element[1], element[2]);
  if (!isName(arg)) {
    if (!variable && sh.functions.has(arg)) {
      sh.setFunction(arg, undefined);
      return true;
    }
    // Without -v it could have been a function's name: there is none.
    if (!variable) return true;
    sh.warn(`unset: \`${arg}': not a valid identifier`);
    return false;
  }
  const raw = sh.vars.raw(arg);
  let name = arg;
  if (raw !== undefined && (raw.flags & NAMEREF) !== 0 && !nameref) {
    name = sh.vars.target(arg);
    const inner = /^([A-Za-z_][A-Za-z0-9_]*)\[([\s\S]*)\]$/.exec(name);
    if (inner !== null) return unsetElement(sh, inner[1], inner[2]);
  }
  if (sh.vars.raw(name) === undefined && !variable && sh.functions.has(name)) {
    if (sh.readonlyFunctions.has(name)) {
      sh.warn(`unset: ${name}: cannot unset: readonly function`);
      return false;
    }
    sh.setFunction(name, undefined);
    return true;
  }
  if (sh.vars.unset(name, sh.options.localvar_unset)) return true;
  sh.warn(`unset: ${name}: cannot unset: readonly variable`);
  return false;
}

function unsetElement(sh: Shell, name: string, index: string): boolean {
  const target = sh.vars.target(name);
  const v = sh.vars.get(target);
  if (v === undefined) return true;
  if ((v.flags & 2) !== 0) {
    sh.warn(`unset: ${name}: cannot unset: readonly variable`);
    return false;
  }
  if (index === "") return true;
  if (index === "@" || index === "*") {
    if (v.value instanceof Map && v.value.has(index)) return sh.vars.unsetElement(target, index);
    if (v.value instanceof IndexedArray) {
      sh.vars.setValue(target, new IndexedArray());
      return true;
    }
    return sh.vars.unset(target, sh.options.localvar_unset);
  }
  if (v.value instanceof Map || (v.flags & ASSOC) !== 0) {
    return sh.vars.unsetElement(target, sh.vars.keyOf(index));
  }
  if (v.value instanceof IndexedArray) {
    const n = sh.vars.indexOf(index);
    if (n < 0 && n + v.value.end < 0) {
      sh.warn(`unset: [${index}]: bad array subscript`);
      return false;
    }
    return sh.vars.unsetElement(target, n);
  }
  const n = sh.vars.indexOf(index);
  if (n === 0 || n === -1) return sh.vars.unset(target, sh.options.localvar_unset);
  sh.warn(`unset: ${name}: not an array variable`);
  return false;
}
