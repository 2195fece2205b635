import type { LanguageBuiltin } from "../run/shell.ts";
import { ECHO, joinBytes, unescape } from "../syntax/mod.ts";
import { printed } from "./shared/print.ts";

/** `echo [-neE] [word …]` */
export const echo: LanguageBuiltin = {
  name: "echo",
  run(sh, args) {
    let i = 0;
    let newline = true;
    let escapes = sh.options.xpg_echo;
    for (; i < args.length && /^-[neE]+$/.test(args[i]); i++) {
      for (const c of args[i].slice(1)) {
        if (c === "n") newline = false;
        else escapes = c === "e";
      }
    }
    let text = i === 0 ? args.join(" ") : args.slice(i).join(" ");
    if (escapes) {
      const e = unescape(text, ECHO);
      text = joinBytes(e.value);
      if (e.stop) newline = false;
    }
    if (newline) text += "\n";
    if (text === "") {
      if (sh.fd(1) === undefined) return printed(sh, " ");
      return 0;
    }
    return printed(sh, text);
  },
};
