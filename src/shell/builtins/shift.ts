import type { LanguageBuiltin } from "../run/shell.ts";

/** `shift [n]` */
export const shift: LanguageBuiltin = {
  name: "shift",
  special: true,
  run(sh, args) {
    const arg = args[0] === "--" ? args[1] : args[0];
    if (arg !== undefined && !/^\s*[+-]?[0-9]+\s*$/.test(arg)) {
      sh.warn(`shift: ${arg}: numeric argument required`);
      return 1;
    }
    if (args.length > (args[0] === "--" ? 2 : 1)) {
      sh.warn("shift: too many arguments");
      return 1;
    }
    const n = arg === undefined ? 1 : Number(arg);
    if (n < 0) {
      sh.warn(`shift: ${arg}: shift count out of range`);
      return 1;
    }
    if (n > sh.params.length) {
      if (sh.options.shift_verbose) {
        sh.warn(`shift: ${arg === undefined ? "" : `${arg}: `}shift count out of range`);
      }
      return 1;
    }
    if (n > 0) sh.params = sh.params.slice(n);
    return 0;
  },
};
