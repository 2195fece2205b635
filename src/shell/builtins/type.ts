import { find, findAll, type Found } from "../run/lookup.ts";
import type { LanguageBuiltin, Shell } from "../run/shell.ts";
import { printFunction } from "../syntax/mod.ts";
import { badOption } from "./shared/errors.ts";
import { parseOptions } from "./shared/options.ts";
import { printed } from "./shared/print.ts";
import { isKeyword } from "./shared/keywords.ts";

/** `type [-afptP] name …` */
export const type: LanguageBuiltin = {
  name: "type",
  run(sh, args) {
    const o = parseOptions(
      args.map((a) => a === "-all" ? "-a" : a === "-type" ? "-t" : a === "-path" ? "-p" : a),
      "afptP",
    );
    if (o.bad !== undefined) return badOption(sh, "type", o.bad, "type [-afptP] name [name ...]");
    let status = 0;
    let text = "";
    for (const name of o.rest) {
      const all = o.flags.has("a");
      const words = o.flags.has("P") ? [] : [...languageWords(sh, name)];
      let found = all || o.flags.has("P") ? findAll(sh, name) : words.length > 0 ? [] : [find(sh, name)];
      if (!all && o.flags.has("P")) found = found.filter((f) => "path" in f).slice(0, 1);
      if (o.flags.has("P")) found = found.filter((f) => "path" in f);
      if (o.flags.has("f")) found = found.filter((f) => f.kind !== "function");
      found = found.filter((f) => f.kind !== "none");
      const lines: string[] = [];
      for (const [kind, line] of words) {
        if (o.flags.has("t")) lines.push(kind);
        else if (!o.flags.has("p")) lines.push(line);
      }
      for (const f of found) {
        if (o.flags.has("t")) lines.push(kindOf(f));
        else if (o.flags.has("p") || o.flags.has("P")) {
          if ("path" in f) lines.push(f.path);
        } else lines.push(sentence(name, f));
      }
      if (words.length + found.length === 0) {
        status = 1;
        if (!o.flags.has("t") && !o.flags.has("p") && !o.flags.has("P")) sh.warn(`type: ${name}: not found`);
        continue;
      }
      const shown = all ? lines : lines.slice(0, 1);
      for (const line of shown) text += line.endsWith("\n") ? line : line + "\n";
    }
    return printed(sh, text, status);
  },
};

function* languageWords(sh: Shell, name: string): Generator<[string, string]> {
  const alias = sh.aliases.get(name);
  if (alias !== undefined && sh.options.expand_aliases) yield ["alias", `${name} is aliased to \`${alias}'`];
  if (isKeyword(name)) yield ["keyword", `${name} is a shell keyword`];
}

function kindOf(f: Found): string {
  return f.kind === "function" ? "function" : f.kind === "builtin" ? "builtin" : "file";
}

function sentence(name: string, f: Found): string {
  switch (f.kind) {
    case "function":
      return `${name} is a function\n${printFunction(name, f.fn.body)}`;
    case "builtin":
      return `${name} is a ${f.builtin.special ? "special " : ""}shell builtin`.replace(
        "special shell",
        "shell",
      );
    case "none":
      return "";
  }
  return `${name} is ${f.path}`;
}
