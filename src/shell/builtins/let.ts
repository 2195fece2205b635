import { evaluate, isZero } from "../expand/arith.ts";
import { ExpansionError, ReadonlyError } from "../expand/config.ts";
import type { LanguageBuiltin } from "../run/shell.ts";

/** `let expression …` */
export const lets: LanguageBuiltin = {
  name: "let",
  run(sh, given) {
    const args = given[0] === "--" ? given.slice(1) : given;
    if (args.length === 0) {
      sh.warn("let: expression expected");
      return 1;
    }
    let last: number | bigint = 0;
    for (const a of args) {
      try {
        last = evaluate(a, sh.vars);
      } catch (error) {
        if (!(error instanceof ExpansionError)) throw error;
        sh.warn(error instanceof ReadonlyError ? error.message : `let: ${error.message}`);
        return 1;
      }
    }
    return isZero(last) ? 1 : 0;
  },
};
