/**
 * grep, egrep, fgrep: finds lines. Patterns run over whole blocks of lines,
 * not line by line; see search.ts.
 */
import type { UtilityContext } from "../../builtin.ts";
import { decodeBytes } from "../../../lib/text/bytes.ts";
import type { ByteSource } from "../../host.ts";
import { readAll } from "../shared/blocks.ts";
import { compileGlob } from "../shared/glob.ts";
import { Failure, type Options, parseOptions, UnsupportedOption, UsageError } from "../shared/options.ts";
import { baseName, isStream, joinPath } from "../shared/paths.ts";
import { cite, complain, reason } from "../shared/report.ts";
import { compilePatterns } from "./pattern.ts";
import { Search, type SearchPlan } from "./search.ts";

const TABLE = {
  options: [
    "E|extended-regexp",
    "F|fixed-strings",
    "G|basic-regexp",
    "P|perl-regexp",
    "e|regexp=",
    "f|file=",
    "i|y|ignore-case",
    "no-ignore-case",
    "v|invert-match",
    "w|word-regexp",
    "x|line-regexp",
    "c|count",
    "color|colour=?",
    "L|files-without-match",
    "l|files-with-matches",
    "m|max-count=",
    "o|only-matching",
    "q|quiet|silent",
    "s|no-messages",
    "b|byte-offset",
    "H|with-filename",
    "h|no-filename",
    "label=",
    "n|line-number",
    "Z|null",
    "A|after-context=",
    "B|before-context=",
    "C|context=",
    "group-separator=",
    "no-group-separator",
    "a|text",
    "binary-files=",
    "D|devices=",
    "d|directories=",
    "exclude=",
    "exclude-from=",
    "exclude-dir=",
    "I",
    "include=",
    "r|recursive",
    "R|dereference-recursive",
    "line-buffered",
    "U|binary",
    "u|unix-byte-offsets",
    "z|null-data",
  ],
  unsupported: ["T|initial-tab"],
  usageStatus: 2,
  showUsage: true,
  numeric: "C",
  usage: "[OPTION]... PATTERNS [FILE]...",
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const operands = [...options.operands];
  const sources: string[] = [];
  for (const [key, value] of options.list) {
    if (key === "e") sources.push(value);
    else if (key === "f") sources.push(...await patternFile(context, value));
  }
  if (!options.has("e", "f")) {
    if (operands.length === 0) {
      await context.stderr.print(
        `Usage: ${context.name} [OPTION]... PATTERNS [FILE]...\nTry '${context.name} --help' for more information.\n`,
      );
      return 2;
    }
    sources.push(operands.shift()!);
  }
  const color = options.value("color");
  if (color !== undefined && !["never", "auto", "no", "none", "tty", "if-tty", ""].includes(color)) {
    throw new UnsupportedOption(`--color=${color}`);
  }
  const kind = options.last("E", "F", "G", "P") ??
    (context.name === "egrep" ? "E" : context.name === "fgrep" ? "F" : "G");
  const records = options.has("z");
  const regexes = compilePatterns(sources.flatMap((source) => kind === "P" ? [source] : source.split("\n")), {
    kind: kind === "E" ? "extended" : kind === "F" ? "fixed" : kind === "P" ? "perl" : "basic",
    ignoreCase: options.last("i", "no-ignore-case") === "i",
    word: options.has("w") && !options.has("x"),
    whole: options.has("x"),
    records,
    exists: !options.has("o"),
    poll: () => context.poll(),
  });
  const recursive = options.has("r", "R") || options.value("d") === "recurse";
  const names = options.last("H", "h");
  const plan: SearchPlan = {
    regexes,
    invert: options.has("v"),
    mode: options.has("q")
      ? "quiet"
      : options.last("L", "l") === "L"
      ? "without"
      : options.has("l")
      ? "with"
      : options.has("c")
      ? "count"
      : options.has("o")
      ? "matches"
      : "lines",
    limit: limitOf(options),
    names: names === "H" ||
      (names === undefined &&
        (recursive ? !(operands.length === 1 && isPlainFile(context, operands[0])) : operands.length > 1)),
    nullNames: options.has("Z"),
    numbers: options.has("n"),
    offsets: options.has("b"),
    before: contextOf(options, "B"),
    after: contextOf(options, "A"),
    separator: options.has("no-group-separator") ? undefined : options.value("group-separator") ?? "--",
    binary: binaryOf(options),
    delimiter: records ? 0 : 10,
    flushEach: options.has("line-buffered"),
  };
  return await new Grep(context, options, plan, recursive).run(operands);
}

class Grep {
  #failed = false;
  #found = false;
  readonly #search: Search;
  readonly #include: ((name: string) => boolean)[];
  readonly #exclude: ((name: string) => boolean)[];
  readonly #excludeDir: ((name: string) => boolean)[];

  constructor(
    readonly context: UtilityContext,
    readonly options: Options,
    readonly plan: SearchPlan,
    readonly recursive: boolean,
  ) {
    this.#search = new Search(context, plan);
    this.#include = options.values("include").map((pattern) => compileGlob(pattern));
    this.#exclude = options.values("exclude").map((pattern) => compileGlob(pattern));
    this.#excludeDir = options.values("exclude-dir").map((pattern) =>
      compileGlob(pattern.replace(/(.)\/+$/, "$1"))
    );
  }

  async run(operands: readonly string[]): Promise<number> {
    const { context, options } = this;
    const list = options.value("exclude-from");
    if (list !== undefined) {
      const source = await context.open(list);
      const lines = decodeBytes(await readAll(source, () => context.poll(), 1 << 24)).split("\n");
      if (source !== context.stdin) source.close();
      this.#exclude.push(...lines.filter((line) => line !== "").map((pattern) => compileGlob(pattern)));
    }
    if (operands.length === 0 && this.recursive) await this.#folder(context.cwd, "", true);
    for (const name of operands.length === 0 && !this.recursive ? ["-"] : operands) {
      if (this.#done()) break;
      await this.#operand(name);
    }
    if (this.#found && this.plan.mode === "quiet") return 0;
    return this.#failed ? 2 : this.#found ? 0 : 1;
  }

  #done(): boolean {
    return this.plan.mode === "quiet" && this.#found;
  }

  async #operand(name: string): Promise<void> {
    if (name === "-") {
      await this.#source(this.context.stdin, this.options.value("label") ?? "(standard input)");
      return;
    }
    if (isStream(name)) {
      await this.#file(name, name);
      return;
    }
    const path = this.context.path(name);
    try {
      if (this.context.fs.stat(path).kind === "dir") {
        if (this.recursive) {
          if (!this.#excludeDir.some((fits) => fits(baseName(name)) || fits(name))) {
            await this.#folder(path, name, true);
          }
          return;
        }
        if (this.options.value("d") === "skip") return;
        await this.#complain(name, "Is a directory");
        return;
      }
    } catch (error) {
      await this.#complain(name, reason(error));
      return;
    }
    if (this.#named(name)) await this.#file(name, name);
  }

  #named(name: string): boolean {
    const base = baseName(name);
    const fits = (list: ((text: string) => boolean)[]) => list.some((each) => each(base) || each(name));
    return (this.#include.length === 0 || fits(this.#include)) && !fits(this.#exclude);
  }

  async #folder(path: string, shown: string, top: boolean): Promise<void> {
    this.context.poll();
    let entries;
    try {
      entries = this.context.fs.readDir(path);
    } catch (error) {
      await this.#complain(top && shown === "" ? "." : shown, reason(error));
      return;
    }
    for (const entry of entries) {
      if (this.#done()) return;
      const full = joinPath(path, entry.name);
      const name = shown === "" ? entry.name : joinPath(shown, entry.name);
      let kind: string = entry.kind;
      try {
        if (kind === "symlink") {
          if (!this.options.has("R")) continue;
          kind = this.context.fs.stat(full).kind;
        } else if (kind === "unknown") kind = this.context.fs.lstat(full).kind;
      } catch (error) {
        await this.#complain(name, reason(error));
        continue;
      }
      if (kind === "dir") {
        if (!this.#excludeDir.some((fits) => fits(entry.name))) await this.#folder(full, name, false);
      } else if (kind === "file" && this.#named(entry.name)) await this.#file(full, name);
    }
  }

  async #file(path: string, shown: string): Promise<void> {
    let source: ByteSource;
    try {
      const opened = this.context.open(path);
      source = opened instanceof Promise ? await opened : opened;
    } catch (error) {
      await this.#complain(shown, reason(error));
      return;
    }
    try {
      await this.#source(source, shown);
    } finally {
      source.close();
    }
  }

  async #source(source: ByteSource, shown: string): Promise<void> {
    try {
      if (await this.#search.run(source, shown)) this.#found = true;
    } catch (error) {
      await this.#complain(shown, reason(error));
    }
  }

  async #complain(name: string, why: string): Promise<void> {
    this.#failed = true;
    if (!this.options.has("s")) await complain(this.context, `${name}: ${why}`);
  }
}

async function patternFile(context: UtilityContext, name: string): Promise<string[]> {
  try {
    const source = name === "-" ? context.stdin : await context.open(name);
    const text = decodeBytes(await readAll(source, () => context.poll(), 1 << 26));
    if (source !== context.stdin) source.close();
    return text === "" ? [] : text.replace(/\n$/, "").split("\n");
  } catch (error) {
    throw new Failure(`${name}: ${reason(error)}`, 2);
  }
}

function isPlainFile(context: UtilityContext, name: string): boolean {
  try {
    return context.fs.stat(context.path(name)).kind !== "dir";
  } catch {
    return true;
  }
}

function limitOf(options: Options): number {
  const text = options.value("m");
  if (text === undefined) return Infinity;
  if (!/^-?\d+$/.test(text)) throw new UsageError("invalid max count", 2, false);
  return Number(text) < 0 ? Infinity : Number(text);
}

function contextOf(options: Options, key: string): number {
  const text = options.value(key) ?? options.value("C");
  if (text === undefined) return -1;
  if (!/^\d+$/.test(text)) throw new UsageError(`${text}: invalid context length argument`, 2, false);
  return Number(text);
}

function binaryOf(options: Options): SearchPlan["binary"] {
  const last = options.last("a", "I", "binary-files");
  const word = last === "binary-files"
    ? options.value("binary-files")
    : last === "a"
    ? "text"
    : last === "I"
    ? "without-match"
    : "binary";
  if (word !== "text" && word !== "without-match" && word !== "binary") {
    throw new UsageError(`invalid argument ${cite(word ?? "")} for '--binary-files'`, 2);
  }
  return word;
}
