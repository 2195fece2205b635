/**
 * Command lines: options as a table, from which parsing, help and error
 * messages are made. An option that is not in the table is an error that
 * names the nearest one; nothing is ignored.
 */
// @ts-types="../lib/std/parse_args.d.ts"
import { parseArgs } from "@std/cli/parse-args";
import { AppError } from "../lib/errors.ts";
import { nearest } from "../lib/text/nearest.ts";
import { wrapWords } from "../lib/text/width.ts";

export interface OptionSpec {
  readonly name: string;
  readonly short?: string;
  /** What stands for its value in the help; absent: the option is a switch. */
  readonly value?: string;
  /** May be given several times. */
  readonly repeat?: boolean;
  /** The only values it takes. */
  readonly choices?: readonly string[];
  readonly help: string;
}

export interface CommandSpec {
  /** Such as "run [options] [PROMPT…]". */
  readonly usage: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  /** Lines after the options: examples, exit statuses. */
  readonly more?: string;
  /** It judges its words itself, with better advice than that there are too many. */
  readonly ownWords?: true;
}

export interface Parsed {
  readonly positionals: readonly string[];
  has(name: string): boolean;
  /** The value; the last one where it was given several times. */
  get(name: string): string | undefined;
  all(name: string): readonly string[];
}

/** A command line that cannot be understood: exit status 2. */
export class UsageError extends AppError<"usage"> {
  override readonly name = "UsageError";
  constructor(message: string, hint?: string) {
    super("usage", message, { hint });
  }
}

export const HELP: OptionSpec = { name: "help", short: "h", help: "show this text" };

/** Parses; throws UsageError. */
export function parseCommand(spec: CommandSpec, argv: readonly string[]): Parsed {
  const options = [...spec.options, HELP];
  const byName = new Map(
    options.flatMap((option) => [[option.name, option], [option.short ?? option.name, option]]),
  );
  const raw = parseArgs(spelledOut(argv, options), {
    string: ["_", ...options.filter((option) => option.value !== undefined).map((option) => option.name)],
    boolean: options.filter((option) => option.value === undefined).map((option) => option.name),
    collect: options.filter((option) => option.value !== undefined).map((option) => option.name),
    alias: Object.fromEntries(
      options.flatMap((option) => option.short === undefined ? [] : [[option.short, option.name]]),
    ),
    unknown(argument, key) {
      if (key === undefined || byName.has(key)) return true;
      throw new UsageError(`Unknown option ${argument.split("=", 1)[0]}`, suggestion(key, options, spec));
    },
  });
  for (const option of options) {
    if (option.value === undefined) continue;
    const given = asList(raw[option.name]);
    const shown = `--${option.name}`;
    if (given.includes("")) throw new UsageError(`Option ${shown} needs a value: ${shown} ${option.value}`);
    if (given.length > 1 && !option.repeat) {
      throw new UsageError(`Option ${shown} is given ${given.length} times`);
    }
    for (const value of given) {
      if (option.choices !== undefined && !option.choices.includes(value)) {
        throw new UsageError(`Option ${shown}: "${value}" is not one of ${option.choices.join(", ")}`);
      }
    }
  }
  const positionals = raw._.map(String);
  const extra = positionals[mostWords(spec.usage)];
  if (extra !== undefined && !spec.ownWords && !asked(raw)) {
    throw new UsageError(`"${extra}" is one word too many`, `Usage: myelin ${spec.usage}`);
  }
  return {
    positionals,
    has: (name) => raw[name] === true || asList(raw[name]).length > 0,
    get: (name) => asList(raw[name]).at(-1),
    all: (name) => asList(raw[name]),
  };
}

/** "-ojson" and "--budget -1" in the form that leaves no doubt which the value is. */
function spelledOut(argv: readonly string[], options: readonly OptionSpec[]): string[] {
  const valued = options.filter((option) => option.value !== undefined);
  const out: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i];
    if (argument === "--") return [...out, ...argv.slice(i)];
    const joined = valued.find(({ short }) =>
      short !== undefined && argument.startsWith(`-${short}`) && argument.length > 2
    );
    const alone = valued.find(({ name, short }) => argument === `--${name}` || argument === `-${short}`);
    if (joined !== undefined && !argument.startsWith("--")) {
      out.push(`--${joined.name}=${argument.slice(2).replace(/^=/, "")}`);
    } else if (alone !== undefined && /^-\d/.test(argv[i + 1] ?? "")) {
      out.push(`--${alone.name}=${argv[++i]}`);
    } else out.push(argument);
  }
  return out;
}

/** Whether only the help is wanted. */
const asked = (raw: Readonly<Record<string, unknown>>) => raw[HELP.name] === true;

/** How many words a usage line has room for: "…" stands for any number. */
function mostWords(usage: string): number {
  if (usage.includes("…")) return Infinity;
  return usage.replaceAll(/\[(?:options|-[^\]]*)\]/g, "").split(" ").filter((word) => /^\[?[A-Z]/.test(word))
    .length;
}

function asList(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === "string" ? [value] : [];
}

function suggestion(key: string, options: readonly OptionSpec[], spec: CommandSpec): string {
  const near = key.length > 1 ? nearest(key, options.map((option) => option.name)) : undefined;
  const [command] = spec.usage.split(" ", 1);
  const help = command.startsWith("[") ? "myelin --help" : `myelin ${command} --help`;
  return near === undefined ? `Options: ${help}` : `Did you mean --${near}? Options: ${help}`;
}

/** The help text of a command. */
export function helpText(spec: CommandSpec): string {
  const rows = [...spec.options, HELP].map((option): [string, string] => {
    const short = option.short === undefined ? "    " : `-${option.short}, `;
    const value = option.choices?.join("|") ?? option.value;
    return [`  ${short}--${option.name}${value === undefined ? "" : ` ${value}`}`, option.help];
  });
  const more = spec.more === undefined ? "" : `\n${wrapped(spec.more.trimEnd())}\n`;
  const usage = wrapWords(`Usage: myelin ${spec.usage}`, COLUMNS - 7).join("\n       ");
  return `${usage}\n\n${wrapped(sentence(spec.summary))}\n\nOptions:\n${columns(rows, 34)}\n${more}`;
}

/** What the narrowest usual terminal has. */
const COLUMNS = 80;

/** Rows of a term, at most `most` wide unless it needs a line of its own, and what is said of it. */
export function columns(rows: readonly (readonly [string, string])[], most: number): string {
  const width = Math.min(most, Math.max(...rows.map(([left]) => left.length)) + 2);
  const indent = `\n${" ".repeat(width)}`;
  return rows.map(([left, right]) => {
    const lines = wrapWords(right, COLUMNS - width).join(indent);
    return left.length + 2 <= width ? left.padEnd(width) + lines : `${left}${indent}${lines}`;
  }).join("\n");
}

/** Text in lines that fit. A line ends where a sentence does, or a paragraph; what is indented stays as it is. */
export function wrapped(text: string): string {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const before = lines.at(-1);
    const goesOn = before !== undefined && /^\S/.test(line) && /^\S.*[^.:?]$/.test(before);
    if (goesOn) lines[lines.length - 1] = `${before} ${line}`;
    else lines.push(line);
  }
  return lines.flatMap((line) => /^\S/.test(line) ? wrapWords(line, COLUMNS) : [line]).join("\n");
}

/** A summary is written as a list has it; alone it is a sentence. */
function sentence(text: string): string {
  const ended = text.includes("\n") || /[.:?]$/.test(text);
  return `${text[0].toUpperCase()}${text.slice(1)}${ended ? "" : "."}`;
}

/** "90s" and the like in milliseconds; throws UsageError. */
export function durationOption(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim());
  if (match === null) {
    throw new UsageError(`Option --${name}: "${text}" is not a duration such as 90s, 5m or 2h`);
  }
  const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match[2] ?? "s"] ?? 1000;
  return Number(match[1]) * unit;
}

/** A number of at least `least`; throws UsageError. */
export function numberOption(
  name: string,
  text: string | undefined,
  least: number,
  whole: boolean,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < least || (whole && !Number.isInteger(value))) {
    throw new UsageError(
      `Option --${name}: "${text}" is not a ${whole ? "whole " : ""}number of at least ${least}`,
    );
  }
  return value;
}
