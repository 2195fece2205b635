/** `break [n]`, `continue [n]`. */
import { tooMany } from "./shared/errors.ts";
import { Flow, type LanguageBuiltin, type Shell } from "../run/shell.ts";

function leave(sh: Shell, name: string, args: readonly string[], flow: Flow): number {
  if (sh.loopDepth === 0) {
    sh.warn(`${name}: only meaningful in a \`for', \`while', or \`until' loop`);
    return 0;
  }
  const arg = args[0] === "--" ? args[1] : args[0];
  let n = 1;
  if (arg !== undefined) {
    if (!/^[+-]?[0-9]+$/.test(arg)) {
      sh.warn(`${name}: ${arg}: numeric argument required`);
      sh.flow = Flow.Exit;
      return 128;
    }
    if (args.length > (args[0] === "--" ? 2 : 1)) {
      return tooMany(sh, name);
    }
    n = Number(arg);
    if (n < 1) {
      sh.warn(`${name}: ${arg}: loop count out of range`);
      sh.flow = Flow.Break;
      sh.flowCount = sh.loopDepth;
      return 1;
    }
  }
  sh.flow = flow;
  sh.flowCount = Math.min(n, sh.loopDepth);
  return 0;
}

export const breakLoop: LanguageBuiltin = {
  name: "break",
  special: true,
  run: (sh, args) => leave(sh, "break", args, Flow.Break),
};
export const continueLoop: LanguageBuiltin = {
  name: "continue",
  special: true,
  run: (sh, args) => leave(sh, "continue", args, Flow.Continue),
};
