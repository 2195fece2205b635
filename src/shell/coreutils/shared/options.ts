/**
 * Reads the options of a utility as getopt_long does: clusters of letters,
 * values attached or apart, long names that may be shortened, operands and
 * options in any order. An option is declared by a short text, see
 * {@link OptionTable}; one that the original has and we do not must be listed
 * as unsupported and is refused, never ignored.
 */
import { UnsupportedOption, type UtilityContext } from "../../builtin.ts";

export { UnsupportedOption };

/** Wrong use: printed with a pointer to --help. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  constructor(message: string, readonly status?: number, readonly hint = true) {
    super(message);
  }
}

/** Ends a utility with one message and a status. */
export class Failure extends Error {
  override readonly name = "Failure";
  constructor(message: string, readonly status = 1) {
    super(message);
  }
}

/** Ends a utility with a text on stdout and status 0 (--help, --version). */
export class Answer extends Error {
  override readonly name = "Answer";
}

export interface OptionTable {
  /**
   * One entry per option: `"n|number"` is a flag, `"c|bytes="` takes a value,
   * `"color=?"` takes one only if attached. The first name is its key.
   */
  readonly options: readonly string[];
  /** Options of the original that are refused here, in the same form. */
  readonly unsupported?: readonly string[];
  /** Operands end the options (env, xargs, timeout). */
  readonly stopAtOperand?: boolean;
  /** Status of a usage error; default 1. */
  readonly usageStatus?: number;
  /** `-5` is the option with this key and the value 5. */
  readonly numeric?: string;
  /** Errors of use show the usage line as well. */
  readonly showUsage?: boolean;
  /** A text for --help, after the usage line. */
  readonly usage?: string;
  /** No --help and --version. */
  readonly bare?: boolean;
}

export class Options {
  readonly operands: string[] = [];
  /** All options in the order of the command line. */
  readonly list: [key: string, value: string][] = [];

  has(...keys: string[]): boolean {
    return this.list.some(([key]) => keys.includes(key));
  }

  /** Value of the last use of an option. */
  value(key: string): string | undefined {
    for (let i = this.list.length - 1; i >= 0; i--) if (this.list[i][0] === key) return this.list[i][1];
    return undefined;
  }

  values(key: string): string[] {
    return this.list.filter(([name]) => name === key).map(([, value]) => value);
  }

  /** Which of these options stands last, if any. */
  last(...keys: string[]): string | undefined {
    for (let i = this.list.length - 1; i >= 0; i--) {
      if (keys.includes(this.list[i][0])) return this.list[i][0];
    }
    return undefined;
  }

  count(key: string): number {
    return this.list.filter(([name]) => name === key).length;
  }
}

interface Option {
  readonly key: string;
  readonly argument: "none" | "required" | "optional";
  readonly unsupported: boolean;
}

interface Names {
  readonly short: Map<string, Option>;
  readonly long: Map<string, Option>;
}

const tables = new WeakMap<OptionTable, Names>();

/** Reads the arguments of a utility. Throws UsageError, UnsupportedOption, Answer. */
export function parseOptions(
  context: UtilityContext,
  table: OptionTable,
  args: readonly string[] = context.args,
): Options {
  try {
    return readOptions(context, table, args);
  } catch (error) {
    if (!(error instanceof UsageError) || !table.showUsage) throw error;
    throw new UsageError(`${error.message}\nUsage: ${context.name} ${table.usage}`, error.status);
  }
}

function readOptions(context: UtilityContext, table: OptionTable, args: readonly string[]): Options {
  const names = namesOf(table);
  const out = new Options();
  let i = 0;
  for (; i < args.length; i++) {
    const arg = args[i];
    if (arg === "--") {
      i++;
      break;
    }
    if (arg.length < 2 || arg[0] !== "-") {
      if (table.stopAtOperand) break;
      out.operands.push(arg);
      continue;
    }
    if (arg.startsWith("--")) {
      const equals = arg.indexOf("=");
      const written = equals < 0 ? arg.slice(2) : arg.slice(2, equals);
      const option = long(names, written, table);
      if (option.unsupported) throw new UnsupportedOption(`--${written}`);
      if (option.argument === "none" && equals >= 0) {
        throw new UsageError(`option '--${option.key}' doesn't allow an argument`, table.usageStatus);
      }
      let value = equals < 0 ? "" : arg.slice(equals + 1);
      if (option.argument === "required" && equals < 0) {
        if (++i >= args.length) {
          throw new UsageError(`option '--${written}' requires an argument`, table.usageStatus);
        }
        value = args[i];
      }
      if (option.key === "help" && !names.long.has("help")) throw new Answer(help(context.name, table));
      if (option.key === "version" && !names.long.has("version")) {
        throw new Answer(`${context.name} (GNU compatible, myelin)\n`);
      }
      out.list.push([option.key, value]);
      continue;
    }
    if (table.numeric !== undefined && /^-\d+$/.test(arg)) {
      out.list.push([table.numeric, arg.slice(1)]);
      continue;
    }
    for (let at = 1; at < arg.length; at++) {
      const letter = arg[at];
      const option = names.short.get(letter);
      if (!option) throw new UsageError(`invalid option -- '${letter}'`, table.usageStatus);
      if (option.unsupported) throw new UnsupportedOption(`-${letter}`);
      if (option.argument === "none") {
        out.list.push([option.key, ""]);
        continue;
      }
      let value = arg.slice(at + 1);
      if (value === "" && option.argument === "required") {
        if (++i >= args.length) {
          throw new UsageError(`option requires an argument -- '${letter}'`, table.usageStatus);
        }
        value = args[i];
      }
      out.list.push([option.key, value]);
      break;
    }
  }
  out.operands.push(...args.slice(i));
  return out;
}

function namesOf(table: OptionTable): Names {
  let names = tables.get(table);
  if (names) return names;
  names = { short: new Map(), long: new Map() };
  const add = (entry: string, unsupported: boolean) => {
    const argument = entry.endsWith("=?") ? "optional" : entry.endsWith("=") ? "required" : "none";
    const all = entry.replace(/=\??$/, "").split("|");
    const option: Option = { key: all[0], argument, unsupported };
    for (const name of all) (name.length === 1 ? names!.short : names!.long).set(name, option);
  };
  for (const entry of table.options) add(entry, false);
  for (const entry of table.unsupported ?? []) add(entry, true);
  tables.set(table, names);
  return names;
}

function long(names: Names, written: string, table: OptionTable): Option {
  const exact = names.long.get(written);
  if (exact) return exact;
  const found = [...names.long].filter(([name]) => name.startsWith(written));
  const different = new Set(found.map(([, option]) => option));
  if (different.size === 1) return found[0][1];
  if (!table.bare && found.length === 0) {
    if (written.length > 0 && "help".startsWith(written)) {
      return { key: "help", argument: "none", unsupported: false };
    }
    if (written.length > 0 && "version".startsWith(written)) {
      return { key: "version", argument: "none", unsupported: false };
    }
  }
  if (found.length > 1) {
    throw new UsageError(
      `option '--${written}' is ambiguous; possibilities: ${found.map(([name]) => `'--${name}'`).join(" ")}`,
      table.usageStatus,
    );
  }
  throw new UsageError(`unrecognized option '--${written}'`, table.usageStatus);
}

function help(name: string, table: OptionTable): string {
  const lines = table.options.map((entry) => {
    const value = entry.endsWith("=?") ? "[=VALUE]" : entry.endsWith("=") ? "=VALUE" : "";
    const all = entry.replace(/=\??$/, "").split("|").map((each) =>
      each.length === 1 ? `-${each}` : `--${each}`
    );
    return `  ${all.join(", ")}${value}\n`;
  });
  return `Usage: ${name} ${table.usage ?? "[OPTION]... [FILE]..."}\n` +
    (lines.length > 0 ? "\nOptions:\n" + lines.join("") : "");
}
