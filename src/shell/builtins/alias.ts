/** `alias`, `unalias`. */
import { plainQuote } from "../expand/quote.ts";
import type { LanguageBuiltin } from "../run/shell.ts";
import { badOption } from "./shared/errors.ts";
import { parseOptions } from "./shared/options.ts";
import { printed } from "./shared/print.ts";

export const alias: LanguageBuiltin = {
  name: "alias",
  run(sh, args) {
    const o = parseOptions(args, "p");
    if (o.bad !== undefined) return badOption(sh, "alias", o.bad, "alias [-p] [name[=value] ... ]");
    const show = (name: string) =>
      `alias ${name.startsWith("-") ? "-- " : ""}${name}=${plainQuote(sh.aliases.get(name)!)}\n`;
    if (o.rest.length === 0 || o.flags.has("p")) {
      const text = [...sh.aliases.keys()].sort().map(show).join("");
      if (o.rest.length === 0) return printed(sh, text);
    }
    let status = 0;
    let text = "";
    for (const a of o.rest) {
      const eq = a.indexOf("=");
      if (eq > 0) {
        const name = a.slice(0, eq);
        if (/[\s/$`'"\\|&;()<>]/.test(name)) {
          sh.warn(`alias: \`${name}': invalid alias name`);
          status = 1;
          continue;
        }
        sh.aliases = new Map([...sh.aliases, [name, a.slice(eq + 1)]]);
      } else if (sh.aliases.has(a)) text += show(a);
      else {
        sh.warn(`alias: ${a}: not found`);
        status = 1;
      }
    }
    return printed(sh, text, status);
  },
};

export const unalias: LanguageBuiltin = {
  name: "unalias",
  run(sh, args) {
    const o = parseOptions(args, "a");
    if (o.bad !== undefined) return badOption(sh, "unalias", o.bad, "unalias [-a] name [name ...]");
    if (o.flags.has("a")) {
      sh.aliases = new Map();
      return 0;
    }
    if (o.rest.length === 0) {
      sh.writeError("unalias: usage: unalias [-a] name [name ...]\n");
      return 2;
    }
    let status = 0;
    for (const name of o.rest) {
      if (!sh.aliases.has(name)) {
        sh.warn(`unalias: ${name}: not found`);
        status = 1;
        continue;
      }
      const next = new Map(sh.aliases);
      next.delete(name);
      sh.aliases = next;
    }
    return status;
  },
};
