/**
 * ls: lists folders. Output is as GNU's when it does not go to a terminal: one
 * name a line, no quotes, unless columns are asked for.
 */
import type { UtilityContext } from "../../builtin.ts";
import type { FileStat } from "../../host.ts";
import { compileGlob } from "../shared/glob.ts";
import { humanSize } from "../shared/numbers.ts";
import { type Options, parseOptions, UsageError } from "../shared/options.ts";
import { joinPath } from "../shared/paths.ts";
import { cite, complain, quote, reason } from "../shared/report.ts";
import { compareVersions } from "../shared/version.ts";
import { readOwners } from "../shared/owners.ts";
import { zoneOf } from "../../../lib/dates/zone.ts";
import { columns, type Entry, type Format, longLines, nameText } from "./format.ts";

const TABLE = {
  options: [
    "a|all",
    "A|almost-all",
    "author",
    "b|escape",
    "block-size=",
    "B|ignore-backups",
    "c",
    "C",
    "color=?",
    "d|directory",
    "f",
    "F|classify=?",
    "file-type",
    "format=",
    "full-time",
    "g",
    "group-directories-first",
    "G|no-group",
    "h|human-readable",
    "si",
    "H|dereference-command-line",
    "hide=",
    "i|inode",
    "I|ignore=",
    "indicator-style=",
    "k|kibibytes",
    "l",
    "L|dereference",
    "m",
    "n|numeric-uid-gid",
    "N|literal",
    "o",
    "p",
    "q|hide-control-chars",
    "Q|quote-name",
    "quoting-style=",
    "r|reverse",
    "R|recursive",
    "s|size",
    "S",
    "show-control-chars",
    "sort=",
    "t",
    "T|tabsize=",
    "time=",
    "time-style=",
    "u",
    "U",
    "v",
    "w|width=",
    "x",
    "X",
    "1",
    "zero",
  ],
  unsupported: ["D|dired", "hyperlink=?", "Z|context", "dereference-command-line-symlink-to-dir"],
  usageStatus: 2,
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const listing = new Listing(context, options);
  await listing.prepare();
  return await listing.run();
}

class Listing {
  readonly format: Format;
  #status = 0;
  #printed = false;
  #owners: Awaited<ReturnType<typeof readOwners>> | undefined;
  readonly #all: "all" | "almost" | "no";
  readonly #ignored: ((name: string) => boolean)[] = [];
  readonly #sort: string;
  readonly #time: "mtimeMs" | "atimeMs" | "ctimeMs";
  readonly #needStat: boolean;
  /** What ends a line. */
  readonly #end: string;

  constructor(readonly context: UtilityContext, readonly options: Options) {
    const layout = options.last("l", "g", "o", "n", "full-time", "C", "m", "x", "1", "zero", "format");
    const word = options.value("format");
    const long =
      options.has("l", "g", "o", "n", "full-time") && !["C", "m", "x", "format"].includes(layout ?? "") ||
      (layout === "format" && (word === "long" || word === "verbose"));
    this.#end = options.has("zero") ? "\0" : "\n";
    const all = options.last("a", "A", "f");
    this.#all = all === undefined ? "no" : all === "A" ? "almost" : "all";
    if (options.has("B")) this.#ignored.push((name) => name.endsWith("~"));
    for (const pattern of options.values("I")) this.#ignored.push(compileGlob(pattern));
    if (this.#all === "no") {
      for (const pattern of options.values("hide")) this.#ignored.push(compileGlob(pattern));
    }
    const time = options.value("time");
    this.#time = options.has("c") || time === "ctime" || time === "status"
      ? "ctimeMs"
      : options.has("u") || ["atime", "access", "use"].includes(time ?? "")
      ? "atimeMs"
      : "mtimeMs";
    const order = options.last("t", "S", "U", "v", "X", "f", "sort");
    const sortWord = options.value("sort");
    if (order === "sort" && !["none", "time", "size", "extension", "version", "name"].includes(sortWord!)) {
      throw new UsageError(`invalid argument ${cite(sortWord!)} for '--sort'`, 2);
    }
    this.#sort = order === undefined
      ? (options.has("c", "u") && !long ? "time" : "name")
      : order === "sort"
      ? sortWord!
      : { t: "time", S: "size", U: "none", v: "version", X: "extension", f: "none" }[order]!;
    const human = options.last("h", "si", "block-size", "k");
    const style = options.last("F", "p", "file-type", "indicator-style");
    const indicator = style === undefined
      ? "none"
      : style === "F"
      ? (options.value("F") === "never" || options.value("F") === "auto" ? "none" : "classify")
      : style === "p"
      ? "slash"
      : style === "file-type"
      ? "file-type"
      : options.value("indicator-style")!;
    const quoting = options.last("Q", "b", "N", "quoting-style", "zero");
    this.format = {
      layout: long
        ? "long"
        : layout === "C" || word === "vertical"
        ? "vertical"
        : layout === "x" || word === "across" || word === "horizontal"
        ? "across"
        : layout === "m" || word === "commas"
        ? "commas"
        : "single",
      human: human === "h" ? 1024 : human === "si" ? 1000 : undefined,
      indicator: indicator as Format["indicator"],
      inode: options.has("i"),
      blocks: options.has("s"),
      owner: !options.has("g"),
      group: !options.has("o", "G"),
      author: options.has("author"),
      numeric: options.has("n"),
      quoting: quoting === "Q"
        ? "c"
        : quoting === "b"
        ? "escape"
        : quoting === "quoting-style"
        ? options.value("quoting-style")!
        : "literal",
      hideControl: options.has("q") && !options.has("show-control-chars"),
      time: this.#time,
      timeStyle: options.has("full-time")
        ? "full-iso"
        : options.value("time-style") ?? context.env.get("TIME_STYLE") ?? "locale",
      width: Number(options.value("w") ?? context.env.get("COLUMNS") ?? 80) || 80,
      color: !options.has("zero") &&
        ["always", "yes", "force", ""].includes(options.value("color") ?? "never"),
    };
    this.#needStat = long || this.format.blocks || this.format.inode || this.#sort === "time" ||
      this.#sort === "size" || indicator === "classify" || options.has("L") || this.format.color;
  }

  async prepare(): Promise<void> {
    if (this.format.layout === "long" && !this.format.numeric) this.#owners = await readOwners(this.context);
  }

  async run(): Promise<number> {
    const { context, options } = this;
    const names = options.operands.length === 0 ? ["."] : options.operands;
    const files: Entry[] = [];
    const folders: Entry[] = [];
    const follow = options.has("L", "H") || !(this.format.layout === "long" || options.has("d", "F"));
    for (const name of names) {
      try {
        const path = context.path(name);
        let stat = context.fs.lstat(path);
        if (stat.kind === "symlink" && (follow || name.endsWith("/"))) {
          try {
            const target = context.fs.stat(path);
            if (target.kind === "dir" || options.has("L", "H") || name.endsWith("/")) stat = target;
          } catch (error) {
            if (options.has("L", "H")) throw error;
          }
        }
        const entry = this.#entry(name, path, stat);
        if (stat.kind === "dir" && !options.has("d")) folders.push(entry);
        else files.push(entry);
      } catch (error) {
        await complain(context, `cannot access ${quote(name)}: ${reason(error)}`);
        this.#status = 2;
      }
    }
    if (files.length > 0) await this.#show(this.#sorted(files));
    const headers = names.length > 1 || options.has("R");
    for (const folder of this.#sorted(folders)) {
      await this.#list(folder.path, folder.name, headers, new Set());
    }
    return this.#status;
  }

  #entry(name: string, path: string, stat: FileStat): Entry {
    if (stat.kind !== "symlink" || !(this.format.layout === "long" || this.format.color)) {
      return { name, path, stat, kind: stat.kind };
    }
    let target: FileStat | undefined;
    try {
      target = this.context.fs.stat(path);
    } catch (error) {
      // A dangling link is shown as it is.
      reason(error);
    }
    return {
      name,
      path,
      stat,
      kind: stat.kind,
      link: { target: this.context.fs.readLink(path), stat: target },
    };
  }

  async #list(path: string, shown: string, header: boolean, above: Set<string>): Promise<void> {
    const { context } = this;
    context.poll();
    let entries;
    try {
      entries = context.fs.readDir(path);
    } catch (error) {
      await complain(context, `cannot open directory ${quote(shown)}: ${reason(error)}`);
      this.#status = Math.max(this.#status, above.size > 0 ? 1 : 2);
      return;
    }
    const names: { name: string; kind: string }[] = entries.filter(({ name }) => this.#shows(name));
    if (this.#all === "all") names.unshift({ name: ".", kind: "dir" }, { name: "..", kind: "dir" });
    const found: Entry[] = [];
    for (const { name, kind } of names) {
      const full = joinPath(path, name);
      if (!this.#needStat && kind !== "unknown") {
        found.push({ name, path: full, stat: undefined, kind });
        continue;
      }
      try {
        let stat = context.fs.lstat(full);
        if (this.options.has("L") && stat.kind === "symlink") stat = context.fs.stat(full);
        found.push(this.#entry(name, full, stat));
      } catch (error) {
        await complain(context, `cannot access ${quote(joinPath(shown, name))}: ${reason(error)}`);
        this.#status = Math.max(this.#status, 1);
        found.push({ name, path: full, stat: undefined, kind: "unknown" });
      }
    }
    const sorted = this.#sorted(found);
    if (this.#printed) await context.stdout.print("\n");
    if (header) await context.stdout.print(`${nameText({ name: shown } as Entry, this.format)}:\n`);
    this.#printed = true;
    if (this.format.layout === "long" || this.format.blocks) {
      const blocks = sorted.reduce((sum, entry) => sum + (entry.stat?.blocks ?? 0), 0);
      await context.stdout.print(`total ${totalText(blocks * 512, this.format)}${this.#end}`);
    }
    await this.#show(sorted);
    if (!this.options.has("R")) return;
    for (const entry of sorted) {
      if (entry.kind !== "dir" || entry.name === "." || entry.name === "..") continue;
      const id = entry.stat ? `${entry.stat.dev}:${entry.stat.ino}` : entry.path;
      if (above.has(id)) continue;
      await this.#list(entry.path, joinPath(shown, entry.name), true, new Set([...above, id]));
    }
  }

  #shows(name: string): boolean {
    if (this.#all === "no" && name.startsWith(".")) return false;
    return !this.#ignored.some((fits) => fits(name));
  }

  #sorted(entries: Entry[]): Entry[] {
    const byName = (a: Entry, b: Entry) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
    const time = (entry: Entry) => entry.stat?.[this.#time] ?? 0;
    const extension = (name: string) => name.lastIndexOf(".") > 0 ? name.slice(name.lastIndexOf(".")) : "";
    const orders: Record<string, (a: Entry, b: Entry) => number> = {
      name: byName,
      none: () => 0,
      time: (a, b) => time(b) - time(a) || byName(a, b),
      size: (a, b) => (b.stat?.size ?? 0) - (a.stat?.size ?? 0) || byName(a, b),
      version: (a, b) => compareVersions(a.name, b.name),
      extension: (a, b) => {
        const [x, y] = [extension(a.name), extension(b.name)];
        return x < y ? -1 : x > y ? 1 : byName(a, b);
      },
    };
    const order = orders[this.#sort];
    const sorted = this.#sort === "none"
      ? entries
      : [...entries].sort(this.options.has("r") ? (a, b) => order(b, a) : order);
    if (this.options.has("group-directories-first")) {
      const folder = (entry: Entry) => entry.kind === "dir" || entry.link?.stat?.kind === "dir" ? 0 : 1;
      sorted.sort((a, b) => folder(a) - folder(b));
    }
    return sorted;
  }

  async #show(entries: Entry[]): Promise<void> {
    if (entries.length === 0) return;
    this.#printed = true;
    const zone = zoneOf(this.context.env);
    const named = this.#end === "\n" ? entries : entries.map(withoutBreaks);
    const text = this.format.layout === "long"
      ? longLines(named, this.format, this.#owners, zone, this.context.host.now())
      : columns(named, this.format);
    const done = this.context.stdout.print(
      this.#end === "\n" ? text : text.replaceAll("\n", this.#end).replaceAll(BREAK, "\n"),
    );
    if (done) await done;
  }
}

/** Stands for a line break in a name, while lines are told apart by those. */
const BREAK = "\ue012";

function withoutBreaks(entry: Entry): Entry {
  const kept = (text: string) => text.replaceAll("\n", BREAK);
  const { link } = entry;
  return {
    ...entry,
    name: kept(entry.name),
    ...(link === undefined ? {} : { link: { ...link, target: kept(link.target) } }),
  };
}

function totalText(bytes: number, format: Format): string {
  if (format.human === undefined) return String(Math.ceil(bytes / 1024));
  return bytes === 0 ? "0" : humanSize(bytes, format.human);
}
