/** The options of `set` and `shopt`: names, letters, defaults. An options record is never changed, only replaced. */

export type Options = Readonly<Record<string, boolean>>;

/** `set -o` names with their letters, in the order in which bash lists them. */
export const SET_OPTIONS: readonly (readonly [name: string, letter: string])[] = [
  ["allexport", "a"],
  ["braceexpand", "B"],
  ["emacs", ""],
  ["errexit", "e"],
  ["errtrace", "E"],
  ["functrace", "T"],
  ["hashall", "h"],
  ["histexpand", "H"],
  ["history", ""],
  ["ignoreeof", ""],
  ["interactive-comments", ""],
  ["keyword", "k"],
  ["monitor", "m"],
  ["noclobber", "C"],
  ["noexec", "n"],
  ["noglob", "f"],
  ["nolog", ""],
  ["notify", "b"],
  ["nounset", "u"],
  ["onecmd", "t"],
  ["physical", "P"],
  ["pipefail", ""],
  ["posix", ""],
  ["privileged", "p"],
  ["verbose", "v"],
  ["vi", ""],
  ["xtrace", "x"],
];

/** `shopt` names and their defaults in a shell that is not interactive, in bash's order. */
export const SHOPT_OPTIONS: readonly (readonly [name: string, initial: boolean])[] = [
  ["autocd", false],
  ["assoc_expand_once", false],
  ["cdable_vars", false],
  ["cdspell", false],
  ["checkhash", false],
  ["checkjobs", false],
  ["checkwinsize", true],
  ["cmdhist", true],
  ["compat31", false],
  ["compat32", false],
  ["compat40", false],
  ["compat41", false],
  ["compat42", false],
  ["compat43", false],
  ["compat44", false],
  ["complete_fullquote", true],
  ["direxpand", false],
  ["dirspell", false],
  ["dotglob", false],
  ["execfail", false],
  ["expand_aliases", false],
  ["extdebug", false],
  ["extglob", false],
  ["extquote", true],
  ["failglob", false],
  ["force_fignore", true],
  ["globasciiranges", true],
  ["globskipdots", true],
  ["globstar", false],
  ["gnu_errfmt", false],
  ["histappend", false],
  ["histreedit", false],
  ["histverify", false],
  ["hostcomplete", true],
  ["huponexit", false],
  ["inherit_errexit", false],
  ["interactive_comments", true],
  ["lastpipe", false],
  ["lithist", false],
  ["localvar_inherit", false],
  ["localvar_unset", false],
  ["login_shell", false],
  ["mailwarn", false],
  ["no_empty_cmd_completion", false],
  ["nocaseglob", false],
  ["nocasematch", false],
  ["noexpand_translation", false],
  ["nullglob", false],
  ["patsub_replacement", true],
  ["progcomp", true],
  ["progcomp_alias", false],
  ["promptvars", true],
  ["restricted_shell", false],
  ["shift_verbose", false],
  ["sourcepath", true],
  ["varredir_close", false],
  ["xpg_echo", false],
];

const LETTERS = new Map(
  SET_OPTIONS.filter(([, letter]) => letter !== "").map(([name, letter]) => [letter, name]),
);
const SET_NAMES = new Set(SET_OPTIONS.map(([name]) => name));
const SHOPT_NAMES = new Set(SHOPT_OPTIONS.map(([name]) => name));

export function defaultOptions(): Options {
  const out: Record<string, boolean> = {};
  for (const [name] of SET_OPTIONS) out[name] = false;
  for (const [name, initial] of SHOPT_OPTIONS) out[name] = initial;
  out.braceexpand = true;
  out.hashall = true;
  out["interactive-comments"] = true;
  return out;
}

export function nameOfLetter(letter: string): string | undefined {
  return LETTERS.get(letter);
}
export function isSetOption(name: string): boolean {
  return SET_NAMES.has(name);
}
export function isShopt(name: string): boolean {
  return SHOPT_NAMES.has(name);
}

/** `$-` without the letters of how the shell was started. */
export function letters(options: Options): string {
  return SET_OPTIONS.filter(([name, letter]) => letter !== "" && options[name]).map(([, letter]) => letter)
    .sort((a, b) => {
      // bash lists small letters first, then capitals.
      const small = (c: string) => c >= "a" ? 0 : 1;
      return small(a) - small(b) || (a < b ? -1 : 1);
    }).join("");
}
