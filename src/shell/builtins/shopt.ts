import { isSetOption, isShopt, SET_OPTIONS, SHOPT_OPTIONS } from "../run/options.ts";
import type { LanguageBuiltin } from "../run/shell.ts";
import { badOption } from "./shared/errors.ts";
import { parseOptions } from "./shared/options.ts";
import { printed } from "./shared/print.ts";

/** `shopt [-pqsu] [-o] [name …]` */
export const shopt: LanguageBuiltin = {
  name: "shopt",
  run(sh, args) {
    const p = parseOptions(args, "pqsuo");
    if (p.bad !== undefined) return badOption(sh, "shopt", p.bad, "shopt [-pqsu] [-o] [optname ...]");
    const ofSet = p.flags.has("o");
    const known = ofSet ? isSetOption : isShopt;
    const setting = p.flags.has("s") || p.flags.has("u");
    if (p.flags.has("s") && p.flags.has("u")) {
      sh.warn("shopt: cannot set and unset shell options simultaneously");
      return 1;
    }
    const show = (name: string) =>
      p.flags.has("p")
        ? ofSet
          ? `set ${sh.options[name] ? "-" : "+"}o ${name}\n`
          : `shopt -${sh.options[name] ? "s" : "u"} ${name}\n`
        : `${name.padEnd(ofSet ? 15 : 15)}\t${sh.options[name] ? "on" : "off"}\n`;
    if (p.rest.length === 0) {
      if (p.flags.has("q")) return 0;
      const names = (ofSet ? SET_OPTIONS : SHOPT_OPTIONS).map(([name]) => name as string);
      const on = p.flags.has("s");
      return printed(sh, names.filter((n) => !setting || sh.options[n] === on).map(show).join(""));
    }
    let status = 0;
    let text = "";
    for (const name of p.rest) {
      if (!known(name)) {
        sh.warn(`shopt: ${name}: invalid ${ofSet ? "option name" : "shell option name"}`);
        status = ofSet && setting ? status : 1;
        continue;
      }
      if (setting) {
        sh.setOption(name, p.flags.has("s"));
        continue;
      }
      if (!sh.options[name]) status = 1;
      if (!p.flags.has("q")) text += show(name);
    }
    return printed(sh, text, status);
  },
};
