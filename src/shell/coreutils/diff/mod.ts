/** diff: how files and folders differ. */
import type { UtilityContext } from "../../builtin.ts";
import type { FileStat } from "../../host.ts";
import { decodeBytes } from "../../../lib/text/bytes.ts";
import { readAll } from "../shared/blocks.ts";
import { compileGlob } from "../shared/glob.ts";
import { type Options, parseOptions, UnsupportedOption, UsageError } from "../shared/options.ts";
import { baseName, isStream, joinPath } from "../shared/paths.ts";
import { cite, complain, quote, reason } from "../shared/report.ts";
import { diffLines, internLines } from "../shared/text_diff.ts";
import { zoneOf } from "../../../lib/dates/zone.ts";
import { formatDate } from "../../../lib/dates/format.ts";
import { contextText, dropBlank, edText, normalText, rcsText, type Sides, unifiedText } from "./format.ts";
import { posixBasic } from "../../../lib/regex.ts";

const TABLE = {
  options: [
    "normal",
    "q|brief",
    "s|report-identical-files",
    "c",
    "C|context=?",
    "u",
    "U|unified=?",
    "label=",
    "L=",
    "r|recursive",
    "N|new-file",
    "x|exclude=",
    "i|ignore-case",
    "E|ignore-tab-expansion",
    "Z|ignore-trailing-space",
    "b|ignore-space-change",
    "w|ignore-all-space",
    "B|ignore-blank-lines",
    "I|ignore-matching-lines=",
    "strip-trailing-cr",
    "a|text",
    "d|minimal",
    "H|speed-large-files",
    "color=?",
    "no-dereference",
    "horizon-lines=",
    "p|show-c-function",
    "S|starting-file=",
    "e|ed",
    "n|rcs",
  ],
  unsupported: [
    "y|side-by-side",
    "W|width=",
    "left-column",
    "suppress-common-lines",
    "D|ifdef=",
    "t|expand-tabs",
    "T|initial-tab",
    "l|paginate",
    "P|unidirectional-new-file",
    "F|show-function-line=",
    "X|exclude-from=",
    "from-file=",
    "to-file=",
    "line-format=",
    "GTYPE-group-format=",
    "palette=",
    "ignore-file-name-case",
    "no-ignore-file-name-case",
  ],
  usageStatus: 2,
  usage: "[OPTION]... FILES",
};

export async function run(context: UtilityContext): Promise<number> {
  // -U and -C take their number apart as well.
  const args: string[] = [];
  for (let i = 0; i < context.args.length; i++) {
    const arg = context.args[i];
    if (/^-[a-zA-Z]*[UC]$/.test(arg) && !arg.startsWith("--") && i + 1 < context.args.length) {
      args.push(arg + context.args[++i]);
    } else if (arg === "-L" && i + 1 < context.args.length) args.push(`--label=${context.args[++i]}`);
    else args.push(arg);
  }
  const options = parseOptions(context, TABLE, args);
  if (options.has("p")) throw new UnsupportedOption("-p");
  if (options.has("color") && !["never", "auto", "no", ""].includes(options.value("color")!)) {
    throw new UnsupportedOption("--color");
  }
  const { operands } = options;
  if (operands.length < 2) {
    throw new UsageError(`missing operand after ${cite(operands[0] ?? context.name)}`, 2);
  }
  if (operands.length > 2) throw new UsageError(`extra operand ${cite(operands[2])}`, 2);
  const differ = new Differ(context, options);
  return await differ.top(operands[0], operands[1]);
}

interface Side {
  readonly name: string;
  readonly path: string;
  /** Undefined: not there, to be taken as empty (-N). */
  readonly stat: FileStat | undefined;
}

class Differ {
  #status = 0;
  readonly #excluded: ((name: string) => boolean)[];
  readonly #style: "normal" | "unified" | "context" | "ed" | "rcs";
  readonly #context: number;
  /** The options as they are shown in front of the names of files in folders. */
  readonly #shownOptions: string;

  constructor(readonly context: UtilityContext, readonly options: Options) {
    this.#excluded = options.values("x").map((pattern) => compileGlob(pattern));
    const style = options.last("u", "U", "c", "C", "normal", "e", "n");
    this.#style = style === "u" || style === "U"
      ? "unified"
      : style === "c" || style === "C"
      ? "context"
      : style === "e"
      ? "ed"
      : style === "n"
      ? "rcs"
      : "normal";
    const number = options.value("U") || options.value("C") || "3";
    if (!/^\d+$/.test(number)) throw new UsageError(`invalid context length ${cite(number)}`, 2);
    this.#context = Number(number);
    const shown = [...context.args];
    for (const operand of [...options.operands].reverse()) shown.splice(shown.lastIndexOf(operand), 1);
    this.#shownOptions = shown.map((arg) => /^[\w@%+:,.\/-]+$/.test(arg) ? arg : quote(arg)).join(" ");
  }

  async #trouble(message: string): Promise<void> {
    await complain(this.context, message);
    this.#status = 2;
  }

  #side(name: string): Side | string {
    if (name === "-" || isStream(name)) return { name, path: "-", stat: undefined };
    const path = this.context.path(name);
    try {
      return {
        name,
        path,
        stat: this.options.has("no-dereference") ? this.context.fs.lstat(path) : this.context.fs.stat(path),
      };
    } catch (error) {
      const why = reason(error);
      if (this.options.has("N") && (error as { code?: string }).code === "ENOENT") {
        return { name, path, stat: undefined };
      }
      return `${name}: ${why}`;
    }
  }

  async top(first: string, second: string): Promise<number> {
    let a = this.#side(first), b = this.#side(second);
    for (const side of [a, b]) if (typeof side === "string") await this.#trouble(side);
    if (typeof a === "string" || typeof b === "string") return 2;
    const folderA = a.stat?.kind === "dir", folderB = b.stat?.kind === "dir";
    if (
      folderA !== folderB &&
      !(this.options.has("N") && (a.stat === undefined || b.stat === undefined) && a.path !== "-" &&
        b.path !== "-")
    ) {
      // A file beside a folder is compared with the file of that name in it.
      const inner = this.#side(
        folderA ? joinPath(first, baseName(second)) : joinPath(second, baseName(first)),
      );
      if (typeof inner === "string") {
        await this.#trouble(inner);
        return 2;
      }
      if (folderA) a = inner;
      else b = inner;
    }
    await this.#pair(a, b, true);
    return this.#status;
  }

  async #pair(a: Side, b: Side, top: boolean): Promise<void> {
    this.context.poll();
    if (a.stat?.kind === "dir" || b.stat?.kind === "dir") {
      if ((a.stat?.kind ?? "dir") === "dir" && (b.stat?.kind ?? "dir") === "dir") {
        await this.#folders(a, b, top);
        return;
      }
      const kind = (side: Side) =>
        ({ dir: "directory", file: side.stat?.size === 0 ? "regular empty file" : "regular file" } as Record<
          string,
          string
        >)[side.stat!.kind] ?? side.stat!.kind;
      await this.context.stdout.print(
        `File ${a.name} is a ${kind(a)} while file ${b.name} is a ${kind(b)}\n`,
      );
      this.#status = Math.max(this.#status, 1);
      return;
    }
    await this.#files(a, b, top);
  }

  async #folders(a: Side, b: Side, top: boolean): Promise<void> {
    if (!top && !this.options.has("r")) {
      await this.context.stdout.print(`Common subdirectories: ${a.name} and ${b.name}\n`);
      return;
    }
    const list = async (side: Side): Promise<Set<string>> => {
      if (!side.stat) return new Set();
      try {
        return new Set(
          this.context.fs.readDir(side.path).map(({ name }) => name).filter((name) =>
            !this.#excluded.some((fits) => fits(name))
          ),
        );
      } catch (error) {
        await this.#trouble(`${side.name}: ${reason(error)}`);
        return new Set();
      }
    };
    const inA = await list(a), inB = await list(b);
    for (const name of [...new Set([...inA, ...inB])].sort()) {
      const child = (side: Side, there: boolean): Side | string =>
        there
          ? this.#side(joinPath(side.name, name))
          : { name: joinPath(side.name, name), path: joinPath(side.path, name), stat: undefined };
      if ((!inA.has(name) || !inB.has(name)) && !this.options.has("N")) {
        await this.context.stdout.print(`Only in ${(inA.has(name) ? a : b).name}: ${name}\n`);
        this.#status = Math.max(this.#status, 1);
        continue;
      }
      const x = child(a, inA.has(name)), y = child(b, inB.has(name));
      for (const side of [x, y]) if (typeof side === "string") await this.#trouble(side);
      if (typeof x === "string" || typeof y === "string") continue;
      const folder = x.stat?.kind === "dir" || y.stat?.kind === "dir";
      if (folder && (!x.stat || !y.stat) && !this.options.has("r")) continue;
      await this.#pair(x, y, false);
    }
  }

  async #read(side: Side): Promise<Uint8Array> {
    const poll = () => this.context.poll();
    if (side.path !== "-" && !side.stat) return new Uint8Array();
    const source = side.name === "-" ? this.context.stdin : await this.context.open(side.name);
    try {
      return await readAll(source, poll);
    } finally {
      if (source !== this.context.stdin) source.close();
    }
  }

  async #files(a: Side, b: Side, top: boolean): Promise<void> {
    let x: Uint8Array, y: Uint8Array;
    try {
      x = await this.#read(a);
      y = a.name === "-" && b.name === "-" ? x : await this.#read(b);
    } catch (error) {
      await this.#trouble(`${(error as { path?: string }).path ?? a.name}: ${reason(error)}`);
      return;
    }
    const same = x.length === y.length && x.every((byte, i) => byte === y[i]);
    if (same) return await this.#identical(a, b);
    const binary = !this.options.has("a") &&
      (x.subarray(0, 8192).includes(0) || y.subarray(0, 8192).includes(0));
    if (binary) {
      await this.context.stdout.print(
        `${this.options.has("q") ? "Files" : "Binary files"} ${a.name} and ${b.name} differ\n`,
      );
      this.#status = Math.max(this.#status, 1);
      return;
    }
    const sides = this.#split(x, y);
    const [m, n] = internLines([sides.keysA, sides.keysB], () => this.context.poll());
    let changes = diffLines(m, n, () => this.context.poll());
    const ignored = this.options.values("I").map((source) => posixBasic(source));
    if (this.options.has("B") || ignored.length > 0) {
      const blank = (line: string) =>
        (this.options.has("B") && line.trim() === "") || ignored.some((regex) => regex.test(line));
      changes = dropBlank(changes, sides, blank);
    }
    if (changes.length === 0) return await this.#identical(a, b);
    this.#status = Math.max(this.#status, 1);
    if (this.options.has("q")) {
      await this.context.stdout.print(`Files ${a.name} and ${b.name} differ\n`);
      return;
    }
    const labels = this.options.list.filter(([key]) => key === "label" || key === "L").map(([, value]) =>
      value
    );
    const options = this.#shownOptions === "" ? "" : this.#shownOptions + " ";
    const head = top ? "" : `diff ${options}${labels[0] ?? a.name} ${labels[1] ?? b.name}\n`;
    let text: string;
    if (this.#style === "normal") text = normalText(changes, sides);
    else if (this.#style === "ed") {
      text = edText(changes, sides);
      // An editor always ends a line, so what the script makes is another file.
      for (const [side, open] of [[a, sides.openA], [b, sides.openB]] as const) {
        if (open) await this.#trouble(`${side.name}: No newline at end of file\n`);
      }
    } else if (this.#style === "rcs") text = rcsText(changes, sides);
    else {
      const label = (side: Side, i: number) => labels[i] ?? `${side.name}\t${this.#time(side)}`;
      text = (this.#style === "unified" ? unifiedText : contextText)(
        changes,
        sides,
        this.#context,
        label(a, 0),
        label(b, 1),
      );
    }
    await this.context.stdout.print(head + text);
  }

  async #identical(a: Side, b: Side): Promise<void> {
    if (this.options.has("s")) {
      await this.context.stdout.print(`Files ${a.name} and ${b.name} are identical\n`);
    }
  }

  #time(side: Side): string {
    const ms = side.stat?.mtimeMs ?? (side.path === "-" ? this.context.host.now() : 0);
    const zone = zoneOf(this.context.env);
    const locale = this.context.env.get("LC_ALL") || this.context.env.get("LC_TIME") ||
      this.context.env.get("LANG") || "C";
    const old = this.#style === "context" && /^(C|POSIX)$/.test(locale);
    return formatDate(old ? "%a %b %e %H:%M:%S %Y" : "%Y-%m-%d %H:%M:%S.%N %z", ms, zone);
  }

  #split(x: Uint8Array, y: Uint8Array): Sides {
    const split = (bytes: Uint8Array): { lines: string[]; open: boolean } => {
      let text = decodeBytes(bytes);
      if (this.options.has("strip-trailing-cr")) text = text.replaceAll("\r\n", "\n");
      const lines = text.split("\n");
      const open = lines[lines.length - 1] !== "";
      if (!open) lines.pop();
      return { lines, open };
    };
    const a = split(x), b = split(y);
    // A missing newline is a difference, unless blanks do not count.
    const loose = this.options.has("b", "w", "Z");
    const keys = ({ lines, open }: { lines: string[]; open: boolean }) =>
      lines.map((line, i) => this.#key(line) + (open && !loose && i === lines.length - 1 ? "\n\\" : ""));
    return { linesA: a.lines, linesB: b.lines, openA: a.open, openB: b.open, keysA: keys(a), keysB: keys(b) };
  }

  /** A line as it is compared. */
  #key(line: string): string {
    let key = line;
    if (this.options.has("i")) key = key.toLowerCase();
    if (this.options.has("E")) {
      key = key.replace(
        /[^\t]*\t/g,
        (part) => part.slice(0, -1).padEnd(Math.floor((part.length - 1) / 8) * 8 + 8),
      );
    }
    if (this.options.has("w")) key = key.replace(/[ \t\r\v\f]+/g, "");
    else if (this.options.has("b")) key = key.replace(/[ \t\r\v\f]+$/, "").replace(/[ \t\r\v\f]+/g, " ");
    else if (this.options.has("Z")) key = key.replace(/[ \t\r\v\f]+$/, "");
    return key;
  }
}
