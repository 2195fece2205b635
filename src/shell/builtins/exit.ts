/** `exit [n]`, `return [n]`, `logout`. */
import { tooMany } from "./shared/errors.ts";
import { Flow, type LanguageBuiltin, type Shell } from "../run/shell.ts";

function status(sh: Shell, name: string, args: readonly string[]): { value: number; ok: boolean } {
  const arg = args[0] === "--" ? args[1] : args[0];
  if (arg === undefined) {
    // In a trap it is the status from before.
    return { value: sh.statusBeforeTrap ?? sh.status, ok: true };
  }
  if (!/^\s*[+-]?[0-9]+\s*$/.test(arg)) {
    sh.warn(`${name}: ${arg}: numeric argument required`);
    return { value: 2, ok: true };
  }
  if (args.length > (args[0] === "--" ? 2 : 1)) {
    return { value: tooMany(sh, name), ok: false };
  }
  return { value: Number(BigInt(arg.trim()) & 255n), ok: true };
}

export const exit: LanguageBuiltin = {
  name: "exit",
  special: true,
  run(sh, args) {
    const s = status(sh, "exit", args);
    if (!s.ok) return s.value;
    sh.flow = Flow.Exit;
    return s.value;
  },
};

export const logout: LanguageBuiltin = {
  name: "logout",
  run(sh) {
    sh.warn("logout: not login shell: use `exit'");
    return 1;
  },
};

export const returns: LanguageBuiltin = {
  name: "return",
  special: true,
  run(sh, args) {
    const s = status(sh, "return", args);
    if (sh.calls.length === 0) {
      sh.warn("return: can only `return' from a function or sourced script");
      return 2;
    }
    if (!s.ok) return s.value;
    sh.statusBeforeReturn = sh.status;
    sh.flow = Flow.Return;
    return s.value;
  },
};
