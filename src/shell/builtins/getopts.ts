import type { LanguageBuiltin, Shell } from "../run/shell.ts";
import { ExpansionError } from "../expand/config.ts";
import { isName } from "./shared/errors.ts";

/** `getopts optstring name [arg …]` */
export const getopts: LanguageBuiltin = {
  name: "getopts",
  run(sh, given) {
    const args = given[0] === "--" ? given.slice(1) : given;
    if (args.length < 2) {
      sh.writeError("getopts: usage: getopts optstring name [arg ...]\n");
      return 2;
    }
    const [spec, name] = args;
    const list = args.length > 2 ? args.slice(2) : sh.params;
    const silent = spec.startsWith(":");
    const at = sh.getoptsAt;
    const optind = Number(sh.vars.text("OPTIND") ?? 1);
    if (optind !== at.index) {
      at.index = Math.max(1, optind || 1);
      at.offset = 0;
    }
    const end = (): number => {
      sh.vars.unset("OPTARG");
      at.index = Math.min(at.index, list.length + 1);
      assignIndex(sh, at.index);
      if (isName(name)) sh.vars.assign(name, "?");
      return isName(name) ? 1 : invalid(sh, name);
    };
    const word = list[at.index - 1];
    // Other arguments than at the last call: the place within the word is none of this one's.
    if (word !== undefined && at.offset >= word.length) at.offset = 0;
    if (at.offset === 0) {
      if (word === undefined || !word.startsWith("-") || word === "-") return end();
      if (word === "--") {
        at.index++;
        return end();
      }
      at.offset = 1;
    } else if (word === undefined) return end();
    const letter = String.fromCodePoint(word.codePointAt(at.offset)!);
    at.offset += letter.length;
    const place = letter === ":" ? -1 : spec.indexOf(letter, silent ? 1 : 0);
    const next = () => {
      if (at.offset >= word.length) {
        at.index++;
        at.offset = 0;
      }
    };
    const quiet = silent || sh.vars.text("OPTERR") === "0";
    if (place === -1) {
      next();
      if (!quiet) sh.writeError(`${sh.name0}: illegal option -- ${letter}\n`);
      return finish(sh, name, "?", silent ? letter : undefined);
    }
    if (spec[place + letter.length] !== ":") {
      next();
      return finish(sh, name, letter, undefined);
    }
    if (at.offset < word.length) {
      const value = word.slice(at.offset);
      at.index++;
      at.offset = 0;
      return finish(sh, name, letter, value);
    }
    at.index++;
    at.offset = 0;
    if (at.index > list.length) {
      if (!quiet) sh.writeError(`${sh.name0}: option requires an argument -- ${letter}\n`);
      return finish(sh, name, silent ? ":" : "?", silent ? letter : undefined);
    }
    const value = list[at.index - 1];
    at.index++;
    return finish(sh, name, letter, value);
  },
};

function assignIndex(sh: Shell, index: number): void {
  const keep = { ...sh.getoptsAt };
  sh.vars.assign("OPTIND", String(index));
  sh.getoptsAt = keep;
}

function invalid(sh: Shell, name: string): number {
  sh.warn(`getopts: \`${name}': not a valid identifier`);
  return 1;
}

function finish(sh: Shell, name: string, value: string, argument: string | undefined): number {
  assignIndex(sh, sh.getoptsAt.index);
  if (argument === undefined) sh.vars.unset("OPTARG");
  else sh.vars.assign("OPTARG", argument);
  if (!isName(name)) return invalid(sh, name);
  try {
    sh.vars.assign(name, value);
  } catch (error) {
    if (!(error instanceof ExpansionError)) throw error;
    sh.warn(error.message);
    return 2;
  }
  return 0;
}
