/**
 * The last step before a confined program: a fixed script of the system's
 * `sh`, inside of the sandbox, that gives the program its environment and its
 * arguments. Why not hand them to the wrapper: its environment would act on
 * the wrapper itself (`LD_PRELOAD`), its arguments are shown to every user of
 * the machine for as long as it runs, and bubblewrap takes no more than 9,000
 * of them. So variables travel under names that mean nothing to anybody, and
 * very many arguments, and those with bytes that are no text, in variables.
 *
 * The script holds names and numbers only; texts reach it as variables and
 * positional parameters, and are never read as code but where they were quoted
 * here.
 */
import type { Command } from "./wrapper.ts";

/** The environment that a wrapper itself starts with, beside the carriers of the command's. */
export const WRAPPER_ENV: Readonly<Record<string, string>> = { PATH: "/usr/bin:/bin" };

const SHELL = "/bin/sh";

/** More arguments than this are carried in variables. */
const MANY = 2000;
/** Length of what one carrier holds of them: one text may have 128 KiB, and a letter up to three bytes. */
const CARRIER = 30_000;

/** Names that a shell sets, keeps or forbids by itself, and all that it would not take for a name: left to `env`. */
const SPECIAL =
  /^(_|PPID|UID|EUID|GROUPS|SHLVL|PWD|OLDPWD|IFS|OPT\w+|RANDOM|SECONDS|LINENO|POSIX\w*|BASH\w*|SHELLOPTS|FUNCNAME|DIRSTACK|HIST\w*|PIPESTATUS|SRANDOM|EPOCH\w*|COMP_\w*|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE|KSH\w*)$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const NOT_MOUNTED =
  'echo "myelin: a folder was swapped while the sandbox was being made; not started" >&2; exit 126';

interface Launch {
  /** What the wrapper starts inside. */
  readonly argv: readonly string[];
  /** The environment to start the wrapper with. */
  readonly env: Readonly<Record<string, string>>;
}

/** What is done between the wrapper and the program. */
export interface LaunchOptions {
  /** Descriptors that the program must not inherit. */
  readonly close?: readonly number[];
  /** A variable of the environment to whose value the program's number is added. */
  readonly numbered?: string;
  /** Texts that must stand in the program's list of mounts; it is not started where one is missing. */
  readonly mounted?: readonly string[];
}

/** Wraps a command's environment and arguments. */
export function launch(command: Command, options: LaunchOptions = {}): Launch {
  const own = variables(command.env);
  const prefix = freePrefix(own);
  const env: Record<string, string> = { ...WRAPPER_ENV };
  const script: string[] = [];
  if (options.close?.length) script.push(`exec ${options.close.map((fd) => `${fd}<&-`).join(" ")}`);
  if (options.mounted?.length) {
    script.push(
      "m=$(cat /proc/self/mountinfo)",
      ...options.mounted.map((text) => `case $m in *${quote(text)}*) ;; *) ${NOT_MOUNTED} ;; esac`),
      "unset m",
    );
  }
  if (own.every(([name]) => name !== "PATH")) script.push("unset PATH");
  const carriers: string[] = [];
  const carry = (value: string) => {
    const name = `${prefix}${carriers.length}`;
    carriers.push(name);
    env[name] = value;
    return name;
  };

  const forEnv: string[] = [];
  const exports: string[] = [];
  for (const [name, value] of own) {
    const carrier = carry(value);
    const text = name === options.numbered ? `"\${${carrier}}$$"` : `"\${${carrier}}"`;
    if (NAME.test(name) && !SPECIAL.test(name)) exports.push(`${name}=${text}`);
    else forEnv.push(`${quote(name)}=${text}`);
  }
  if (exports.length > 0) script.push(`export ${exports.join(" ")}`);

  const { program } = command;
  const rest = command.argv.slice(1);
  const many = rest.length > MANY || rest.some((word) => RAW.test(word)) ? pack(rest).map(carry) : [];
  // Values are put in before the carriers go.
  if (forEnv.length > 0) {
    // `env` would take a program with a "=" in its path for one more variable.
    const between = program.includes("=") ? [SHELL, "-c", 'exec "$0" "$@"'].map(quote) : [];
    script.push(`set -- /usr/bin/env ${[...forEnv, ...between].join(" ")} "$0" "$@"`);
  }
  if (many.length > 0) script.push(`eval "set -- \\"\\$@\\" ${many.map((name) => `$${name}`).join(" ")}"`);
  if (carriers.length > 0) script.push(`unset ${carriers.join(" ")}`);
  script.push(forEnv.length > 0 ? 'exec "$@"' : 'exec "$0" "$@"');
  return {
    argv: [SHELL, "-c", script.join("\n"), program, ...(many.length > 0 ? [] : rest)],
    env,
  };
}

/** What of an environment can be handed over: no system call takes a name without letters or with a `=`. */
function variables(env: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(env).filter(([name]) => name !== "" && !name.includes("="));
}

function freePrefix(own: readonly (readonly [string, string])[]): string {
  let prefix = "myelin_";
  while (own.some(([name]) => name.startsWith(prefix))) prefix = `m${prefix}`;
  return prefix;
}

/** Quoted words in as few texts as they fit in. A word that is too long for its quotes travels alone and fails as it would by itself. */
function pack(words: readonly string[]): string[] {
  const texts: string[] = [];
  let text = "";
  for (const word of words) {
    const quoted = quote(word).replace(RAW_RUNS, printed);
    if (text !== "" && text.length + quoted.length > CARRIER) {
      texts.push(text);
      text = "";
    }
    text += ` ${quoted}`;
  }
  return [...texts, text];
}

/** Bytes that are no letters of UTF-8: a command line of the runtime cannot hold them, a printing shell can. */
const RAW = /[\udc80-\udcff](?<![\ud800-\udbff][\udc80-\udcff])/;
const RAW_RUNS = new RegExp(`(?:${RAW.source})+`, "g");

/** Inside of single quotes. */
function printed(run: string): string {
  const octal = Array.from(run, (char) => `\\${(char.charCodeAt(0) - 0xdc00).toString(8)}`).join("");
  return `'"$(printf '${octal}')"'`;
}

/** A word as `sh` reads it back. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
