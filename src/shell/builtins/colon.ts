/** `:`, `true`, `false`. */
import type { LanguageBuiltin } from "../run/shell.ts";

export const colon: LanguageBuiltin = { name: ":", special: true, run: () => 0 };
export const yes: LanguageBuiltin = { name: "true", run: () => 0 };
export const no: LanguageBuiltin = { name: "false", run: () => 1 };
