import { isSetOption, nameOfLetter, SET_OPTIONS } from "../run/options.ts";
import type { LanguageBuiltin, Shell } from "../run/shell.ts";
import { printFunction } from "../syntax/mod.ts";
import { assignment } from "./shared/declared.ts";
import { printed } from "./shared/print.ts";

const USAGE = "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]";

/** `set`: options, positional parameters; without arguments the variables. */
export const set: LanguageBuiltin = {
  name: "set",
  special: true,
  run(sh, args) {
    if (args.length === 0) return printed(sh, everything(sh));
    let i = 0;
    let text = "";
    for (; i < args.length; i++) {
      const a = args[i];
      if (a === "--") {
        replace(sh, args.slice(i + 1));
        return printed(sh, text);
      }
      if (a === "-" || a === "+") {
        if (a === "-") {
          sh.setOption("xtrace", false);
          sh.setOption("verbose", false);
          if (i + 1 < args.length) replace(sh, args.slice(i + 1));
          return printed(sh, text);
        }
        continue;
      }
      if (!/^[-+]./.test(a)) break;
      const on = a[0] === "-";
      for (const c of a.slice(1)) {
        if (c === "o") {
          const name = args[i + 1];
          if (name === undefined || /^[-+]/.test(name)) {
            text += list(sh, on);
            continue;
          }
          i++;
          if (!isSetOption(name)) {
            sh.warn(`set: ${name}: invalid option name`);
            return 2;
          }
          apply(sh, name, on);
          continue;
        }
        const name = nameOfLetter(c);
        if (name === undefined) {
          sh.warn(`set: ${a[0]}${c}: invalid option`);
          sh.writeError(`set: usage: ${USAGE}\n`);
          return 2;
        }
        apply(sh, name, on);
      }
    }
    if (i < args.length) replace(sh, args.slice(i));
    return printed(sh, text);
  },
};

function replace(sh: Shell, params: readonly string[]): void {
  sh.params = params;
  sh.paramsReplaced = true;
}

function apply(sh: Shell, name: string, on: boolean): void {
  sh.setOption(name, on);
  if (name === "vi" && on) sh.setOption("emacs", false);
  if (name === "emacs" && on) sh.setOption("vi", false);
  if (name === "posix") sh.setOption("expand_aliases", on || sh.options.expand_aliases);
}

function list(sh: Shell, table: boolean): string {
  return SET_OPTIONS.map(([name]) =>
    table
      ? `${name.padEnd(15)}\t${sh.options[name] ? "on" : "off"}\n`
      : `set ${sh.options[name] ? "-" : "+"}o ${name}\n`
  ).join("");
}

function everything(sh: Shell): string {
  let out = "";
  for (const name of sh.vars.names().sort()) {
    const v = sh.vars.raw(name);
    const line = v === undefined ? undefined : assignment(name, v);
    if (line !== undefined) out += line + "\n";
  }
  if (sh.options.posix) return out;
  for (const fn of [...sh.functions.values()].sort((a, b) => a.name < b.name ? -1 : 1)) {
    out += printFunction(fn.name, fn.body);
  }
  return out;
}
