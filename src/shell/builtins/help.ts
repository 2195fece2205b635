import type { LanguageBuiltin } from "../run/shell.ts";
import { compilePattern } from "../expand/pattern.ts";
import { KEYWORDS } from "./shared/keywords.ts";
import { printed } from "./shared/print.ts";

/** `help [-dms] [pattern …]`: names what there is. */
export const help: LanguageBuiltin = {
  name: "help",
  run(sh, args) {
    const names = [...sh.session.builtins.keys(), ...KEYWORDS].sort();
    const wanted = args.filter((a) => !/^-[dms]*-?$/.test(a));
    if (wanted.length === 0) {
      return printed(
        sh,
        "These shell commands are defined internally.\n\n" + names.map((n) => ` ${n}\n`).join(""),
      );
    }
    let text = "";
    let status = 0;
    for (const w of wanted) {
      const pattern = compilePattern(w, true);
      const found = names.filter((n) => pattern.matches(n) || n.startsWith(w));
      if (found.length === 0) {
        sh.warn(`help: no help topics match \`${w}'.  Try \`help help' or \`man -k ${w}' or \`info ${w}'.`);
        status = 1;
      }
      for (const n of found) {
        text += `${n}: a ${
          KEYWORDS.includes(n) ? "word of the shell's grammar" : "builtin of the shell"
        }, as bash 5.2 describes it.\n`;
      }
    }
    return printed(sh, text, status);
  },
};
