import type { LanguageBuiltin } from "../run/shell.ts";
import { printed } from "./shared/print.ts";

/** `caller [n]` */
export const caller: LanguageBuiltin = {
  name: "caller",
  run(sh, args) {
    const n = args[0];
    if (n !== undefined && !/^[0-9]+$/.test(n)) {
      sh.warn(`caller: ${n}: invalid number`);
      sh.writeError("caller: usage: caller [expr]\n");
      return 2;
    }
    const at = sh.calls.length - 1 - Number(n ?? 0);
    if (at < 0) return 1;
    const frame = sh.calls[at];
    const outer = sh.calls[at - 1];
    const file = outer?.source ?? sh.source ?? "NULL";
    // Where the script came from the command line, its file has no name.
    if (n !== undefined && outer === undefined && sh.source === undefined) return 1;
    if (n === undefined) return printed(sh, `${frame.line} ${file}\n`);
    return printed(sh, `${frame.line} ${outer?.name ?? "main"} ${outer?.source ?? sh.source ?? sh.name0}\n`);
  },
};
