/** `command`, `builtin`: running by name past functions. */
import { singleQuote } from "../expand/quote.ts";
import { find } from "../run/lookup.ts";
import type { LanguageBuiltin, Shell } from "../run/shell.ts";
import { printFunction } from "../syntax/mod.ts";
import { badOption } from "./shared/errors.ts";
import { isKeyword } from "./shared/keywords.ts";
import { parseOptions } from "./shared/options.ts";
import { printed } from "./shared/print.ts";

export const command: LanguageBuiltin = {
  name: "command",
  run(sh, args) {
    const o = parseOptions(args, "pvV");
    if (o.bad !== undefined) return badOption(sh, "command", o.bad, "command [-pVv] command [arg ...]");
    if (o.flags.has("v") || o.flags.has("V")) return describe(sh, o.rest, o.flags.has("V"));
    if (o.rest.length === 0) return 0;
    return sh.exec.invoke(sh, o.rest, { functions: false, builtins: true, defaultPath: o.flags.has("p") });
  },
};

function describe(sh: Shell, names: readonly string[], long: boolean): number | Promise<number> {
  let text = "";
  let any = false;
  for (const name of names) {
    const alias = sh.options.expand_aliases ? sh.aliases.get(name) : undefined;
    if (alias !== undefined) {
      text += long ? `${name} is aliased to \`${alias}'\n` : `alias ${name}=${singleQuote(alias)}\n`;
    } else if (isKeyword(name)) text += long ? `${name} is a shell keyword\n` : `${name}\n`;
    else {
      const found = find(sh, name);
      switch (found.kind) {
        case "none":
          if (long) sh.warn(`command: ${name}: not found`);
          continue;
        case "function":
          text += long ? `${name} is a function\n${printFunction(name, found.fn.body)}` : `${name}\n`;
          break;
        case "builtin":
          text += long ? `${name} is a shell builtin\n` : `${name}\n`;
          break;
        default:
          text += long ? `${name} is ${found.path}\n` : `${name.includes("/") ? name : found.path}\n`;
      }
    }
    any = true;
  }
  return printed(sh, text, any ? 0 : 1);
}

export const builtin: LanguageBuiltin = {
  name: "builtin",
  run(sh, given, call) {
    const args = given[0] === "--" ? given.slice(1) : given;
    if (args.length === 0) return 0;
    const found = sh.session.builtins.get(args[0]);
    if (found === undefined) {
      sh.warn(`builtin: ${args[0]}: not a shell builtin`);
      return 1;
    }
    const skipped = given.length - args.length + 1;
    const arrays = call.arrays === undefined
      ? undefined
      : new Map([...call.arrays].map(([i, a]) => [i - skipped, a]));
    return found.run(sh, args.slice(1), { name: args[0], arrays });
  },
};
