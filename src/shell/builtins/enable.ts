import type { LanguageBuiltin } from "../run/shell.ts";
import { badOption } from "./shared/errors.ts";
import { parseOptions } from "./shared/options.ts";
import { printed } from "./shared/print.ts";

/** `enable [-anps] [name …]` */
export const enable: LanguageBuiltin = {
  name: "enable",
  run(sh, args) {
    const o = parseOptions(args, "anpsdf:");
    if (o.bad !== undefined) {
      return badOption(sh, "enable", o.bad, "enable [-a] [-dnps] [-f filename] [name ...]");
    }
    if (o.rest.length === 0 || o.flags.has("p")) {
      let names = [...sh.session.builtins.keys()].sort();
      if (o.flags.has("s")) names = names.filter((n) => sh.session.builtins.get(n)!.special);
      if (o.flags.has("n")) names = names.filter((n) => sh.disabled.has(n));
      else if (!o.flags.has("a")) names = names.filter((n) => !sh.disabled.has(n));
      return printed(sh, names.map((n) => `enable ${sh.disabled.has(n) ? "-n " : ""}${n}\n`).join(""));
    }
    let status = 0;
    const disabled = new Set(sh.disabled);
    for (const name of o.rest) {
      if (!sh.session.builtins.has(name)) {
        sh.warn(`enable: ${name}: not a shell builtin`);
        status = 1;
      } else if (o.flags.has("n")) disabled.add(name);
      else disabled.delete(name);
    }
    sh.disabled = disabled;
    return status;
  },
};
