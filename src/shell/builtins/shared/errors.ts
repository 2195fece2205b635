/** How builtins complain. */
import type { Shell } from "../../run/shell.ts";

/** `bash: line 1: cd: text` */
export function complain(sh: Shell, name: string, text: string): number {
  sh.warn(`${name}: ${text}`);
  return 1;
}

/** An option that is none: message, usage line, status 2. */
export function badOption(sh: Shell, name: string, option: string, usage: string): number {
  sh.warn(`${name}: ${option}: invalid option`);
  return showUsage(sh, name, usage);
}

export function showUsage(sh: Shell, name: string, usage: string): number {
  sh.writeError(`${name}: usage: ${usage}\n`);
  return 2;
}

export const isName = (text: string) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
