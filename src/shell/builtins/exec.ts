import type { Run } from "../expand/config.ts";
import { find } from "../run/lookup.ts";
import { isRun } from "../run/process.ts";
import { Flow, type LanguageBuiltin, type Shell } from "../run/shell.ts";
import { badOption } from "./shared/errors.ts";
import { parseOptions } from "./shared/options.ts";

/** `exec [-cl] [-a name] [command …]`: with a command, it takes the shell's place; without, redirections stay. */
export const exec: LanguageBuiltin = {
  name: "exec",
  special: true,
  run(sh, args) {
    const o = parseOptions(args, "cla:");
    if (o.bad !== undefined) {
      return badOption(sh, "exec", o.bad, "exec [-cl] [-a name] [command [argument ...]] [redirection ...]");
    }
    if (o.rest.length === 0) return 0;
    return replace(sh, o.rest, o.flags.has("c"), o.values.get("a"));
  },
};

function* replace(
  sh: Shell,
  argv: readonly string[],
  clear: boolean,
  argv0: string | undefined,
): Run<number> {
  const found = find(sh, argv[0], {});
  if (found.kind === "none") {
    const reason = found.denied ?? "not found";
    sh.warn(
      `exec: ${argv[0]}: ${argv[0].includes("/") || found.denied !== undefined ? reason : "not found"}`,
    );
    if (!sh.options.execfail) sh.flow = Flow.Exit;
    return found.denied === undefined || found.denied === "No such file or directory" ? 127 : 126;
  }
  if (clear) { for (const name of sh.vars.exports().keys()) sh.vars.setFlags(name, 0, 1); }
  const step = sh.exec.invoke(sh, argv, { functions: false, builtins: false, argv0 });
  const status = isRun(step) ? yield* step : step;
  sh.traps = new Map([...sh.traps].filter(([name]) => name !== "EXIT"));
  sh.flow = Flow.Exit;
  return status;
}
