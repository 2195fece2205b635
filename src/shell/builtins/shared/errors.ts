/** How builtins complain. */
import { ExpansionError } from "../../expand/config.ts";
import { Flow, type Shell } from "../../run/shell.ts";

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

/** One argument too many for a builtin that takes one: ends the line, and a `-c` script as a whole. */
export function tooMany(sh: Shell, name: string): number {
  if (sh.executionString !== undefined) {
    sh.warn(`${name}: too many arguments`);
    sh.flow = Flow.Exit;
    return 1;
  }
  throw new ExpansionError(`${name}: too many arguments`);
}

export function showUsage(sh: Shell, name: string, usage: string): number {
  sh.writeError(`${name}: usage: ${usage}\n`);
  return 2;
}

export const isName = (text: string) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
