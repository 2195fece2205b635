/** `history`, `fc`, `bind`: there is no line editor and so nothing to remember; they succeed where bash without a terminal does. */
import type { LanguageBuiltin } from "../run/shell.ts";

export const history: LanguageBuiltin = { name: "history", run: () => 0 };
export const fc: LanguageBuiltin = { name: "fc", run: () => 0 };
export const bind: LanguageBuiltin = {
  name: "bind",
  run(sh) {
    sh.warn("bind: warning: line editing not enabled");
    return 0;
  },
};
