/** The arguments of a shell: options as `bash` takes them, then a command string, a file, or nothing. */
import { isSetOption, isShopt, nameOfLetter, SET_OPTIONS, SHOPT_OPTIONS } from "./options.ts";
import type { Shell } from "./shell.ts";

export interface Invocation {
  readonly command: string | undefined;
  readonly file: string | undefined;
  readonly args: readonly string[];
  readonly version: boolean;
  /** Text that an option asked for. */
  readonly printed: readonly string[];
}

const IGNORED_LONG = new Set([
  "norc",
  "noprofile",
  "login",
  "noediting",
  "posix",
  "debugger",
  "restricted",
  "verbose",
]);

/** Sets the options on the shell; answers an exit status where the arguments are wrong (the message was printed). */
export function parseInvocation(sh: Shell, argv: readonly string[]): Invocation | number {
  const args = argv.slice(1);
  let wantsCommand = false;
  let fromStdin = false;
  const printed: string[] = [];
  let version = false;
  let i = 0;
  for (; i < args.length; i++) {
    const a = args[i];
    if (a === "--" || a === "-") {
      i++;
      break;
    }
    if (a.startsWith("--")) {
      const name = a.slice(2);
      if (name === "version") {
        printed.push("GNU bash, version 5.2.15(1)-release (myelin)\n");
        version = true;
      } else if (name === "help") {
        printed.push("Usage: bash [options] [script-file] [argument ...]\n");
        version = true;
      } else if (name === "rcfile" || name === "init-file") i++;
      else if (name === "posix") sh.setOption("posix", true);
      else if (name === "verbose") sh.setOption("verbose", true);
      else if (!IGNORED_LONG.has(name)) {
        sh.writeError(`${argv[0]}: ${a}: invalid option\n`);
        return 2;
      }
      continue;
    }
    if (!/^[-+]./.test(a)) break;
    const on = a[0] === "-";
    for (const letter of a.slice(1)) {
      if (letter === "c" && on) wantsCommand = true;
      else if (letter === "s") fromStdin = true;
      else if (letter === "i" || letter === "l" || letter === "r" || letter === "D") {
        if (letter === "i") {
          sh.interactive = true;
          sh.setOption("expand_aliases", true);
          sh.setOption("emacs", true);
        }
      } else if (letter === "o" || letter === "O") {
        const name = args[i + 1];
        if (name === undefined) {
          const list = letter === "o" ? SET_OPTIONS.map(([n]) => n) : SHOPT_OPTIONS.map(([n]) => n);
          printed.push(list.map((n) => `${n.padEnd(15)}\t${sh.options[n] ? "on" : "off"}\n`).join(""));
          version = true;
          continue;
        }
        i++;
        if (!(letter === "o" ? isSetOption(name) : isShopt(name))) {
          sh.writeError(
            `${argv[0]}: line 0: ${name}: invalid ${letter === "o" ? "option name" : "shell option name"}\n`,
          );
          return letter === "o" ? 2 : 1;
        }
        sh.setOption(name, on);
      } else {
        const name = nameOfLetter(letter);
        if (name === undefined) {
          sh.writeError(`${argv[0]}: -${letter}: invalid option\n`);
          return 2;
        }
        sh.setOption(name, on);
      }
    }
  }
  const rest = args.slice(i);
  if (wantsCommand) {
    if (rest.length === 0) {
      sh.writeError(`${argv[0]}: -c: option requires an argument\n`);
      return 2;
    }
    return { command: rest[0], file: undefined, args: rest.slice(1), version, printed };
  }
  if (fromStdin || rest.length === 0) {
    return { command: undefined, file: undefined, args: rest, version, printed };
  }
  return { command: undefined, file: rest[0], args: rest.slice(1), version, printed };
}
