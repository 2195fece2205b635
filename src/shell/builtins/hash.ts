import { find } from "../run/lookup.ts";
import type { LanguageBuiltin } from "../run/shell.ts";
import { badOption } from "./shared/errors.ts";
import { parseOptions } from "./shared/options.ts";
import { printed } from "./shared/print.ts";

/** `hash [-lr] [-p path] [-dt] [name …]` */
export const hash: LanguageBuiltin = {
  name: "hash",
  run(sh, args) {
    const o = parseOptions(args, "lrp:dt");
    if (o.bad !== undefined) return badOption(sh, "hash", o.bad, "hash [-lr] [-p pathname] [-dt] [name ...]");
    if (o.flags.has("r")) sh.hashed = new Map();
    if (o.rest.length === 0) {
      if (o.flags.has("r")) return 0;
      if (sh.hashed.size === 0) return printed(sh, o.flags.has("l") ? "" : "hash: hash table empty\n");
      const lines = [...sh.hashed].map(([name, h]) =>
        o.flags.has("l")
          ? `builtin hash -p ${h.path} ${name}\n`
          : `${String(h.hits).padStart(4)}\t${h.path}\n`
      );
      return printed(sh, (o.flags.has("l") ? "" : "hits\tcommand\n") + lines.join(""));
    }
    let status = 0;
    let text = "";
    for (const name of o.rest) {
      const path = o.values.get("p");
      if (path !== undefined) sh.hashed.set(name, { path, hits: 0 });
      else if (o.flags.has("d")) {
        if (!sh.hashed.delete(name)) {
          sh.warn(`hash: ${name}: not found`);
          status = 1;
        }
      } else if (o.flags.has("t")) {
        const h = sh.hashed.get(name);
        if (h === undefined) {
          sh.warn(`hash: ${name}: not found`);
          status = 1;
        } else text += (o.rest.length > 1 ? `${name}\t` : "") + h.path + "\n";
      } else if (!name.includes("/") && !sh.session.builtins.has(name) && !sh.functions.has(name)) {
        sh.hashed.delete(name);
        const found = find(sh, name, {});
        if (found.kind === "none") {
          sh.warn(`hash: ${name}: not found`);
          status = 1;
        } else if ("path" in found) sh.hashed.set(name, { path: found.path, hits: 0 });
      }
    }
    return printed(sh, text, status);
  },
};
