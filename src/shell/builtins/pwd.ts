import { HostError } from "../host.ts";
import type { LanguageBuiltin } from "../run/shell.ts";
import { badOption } from "./shared/errors.ts";
import { parseOptions } from "./shared/options.ts";
import { printed } from "./shared/print.ts";

/** `pwd [-LP]` */
export const pwd: LanguageBuiltin = {
  name: "pwd",
  run(sh, args) {
    const o = parseOptions(args, "LP");
    if (o.bad !== undefined) return badOption(sh, "pwd", o.bad, "pwd [-LP]");
    const physical = o.flags.has("P") || (sh.options.physical && !o.flags.has("L"));
    if (!physical) return printed(sh, sh.cwd + "\n");
    try {
      return printed(sh, sh.fs.realPath(sh.cwd) + "\n");
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      sh.warn(
        `pwd: error retrieving current directory: getcwd: cannot access parent directories: ${error.message}`,
      );
      return 1;
    }
  },
};
