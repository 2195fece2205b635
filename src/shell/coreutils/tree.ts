/** tree: folders as a drawing. */
import type { UtilityContext } from "../builtin.ts";
import { compileGlob } from "./shared/glob.ts";
import { modeText } from "./shared/modes.ts";
import { humanSize } from "./shared/numbers.ts";
import { type Options, parseOptions } from "./shared/options.ts";
import { joinPath } from "./shared/paths.ts";
import { reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "a",
    "d",
    "f",
    "F",
    "h",
    "i",
    "I=",
    "L=",
    "n",
    "N",
    "P=",
    "p",
    "r",
    "s",
    "t",
    "dirsfirst",
    "filesfirst",
    "noreport",
    "charset=",
    "prune",
    "matchdirs",
    "ignore-case",
    "filelimit=",
  ],
  unsupported: [
    "C",
    "D",
    "H=",
    "J",
    "X",
    "o=",
    "g",
    "u",
    "l",
    "x",
    "v",
    "c",
    "U",
    "R",
    "Q",
    "q",
    "A",
    "S",
    "inodes",
    "device",
    "du",
    "si",
    "gitignore",
    "fromfile",
    "timefmt=",
    "sort=?",
  ],
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const level = options.value("L");
  if (level !== undefined && !/^[1-9]\d*$/.test(level)) {
    await context.stderr.print(`${context.name}: Invalid level, must be greater than 0.\n`);
    return 1;
  }
  const drawing = new Drawing(context, options, level === undefined ? Infinity : Number(level));
  for (const name of options.operands.length === 0 ? ["."] : options.operands) await drawing.root(name);
  if (!options.has("noreport")) {
    const { folders, files } = drawing;
    const one = `${folders} director${folders === 1 ? "y" : "ies"}`;
    await context.stdout.print(
      `\n${one}${options.has("d") ? "" : `, ${files} file${files === 1 ? "" : "s"}`}\n`,
    );
  }
  return drawing.failed ? 2 : 0;
}

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly folder: boolean;
  readonly link: string | undefined;
  readonly children: Entry[];
  readonly error?: string;
}

class Drawing {
  folders = 0;
  files = 0;
  failed = false;
  readonly #ignored: ((name: string) => boolean)[];
  readonly #wanted: ((name: string) => boolean)[];
  readonly #ascii: boolean;

  constructor(readonly context: UtilityContext, readonly options: Options, readonly level: number) {
    const globs = (key: string) =>
      options.values(key).flatMap((text) => text.split("|")).map((pattern) =>
        compileGlob(pattern, { ignoreCase: options.has("ignore-case") })
      );
    this.#ignored = globs("I");
    this.#wanted = globs("P");
    const charset = options.value("charset")?.toLowerCase();
    const locale = context.env.get("LC_ALL") || context.env.get("LC_CTYPE") || context.env.get("LANG") || "";
    this.#ascii = charset === undefined ? !/utf-?8/i.test(locale) : !/utf-?8/.test(charset);
  }

  async root(name: string): Promise<void> {
    const path = this.context.path(name);
    let kind: string;
    try {
      kind = this.context.fs.stat(path).kind;
    } catch (error) {
      reason(error);
      this.failed = true;
      await this.context.stdout.print(`${name}  [error opening dir]\n`);
      return;
    }
    if (kind !== "dir") {
      await this.context.stdout.print(`${name}  [error opening dir]\n`);
      this.failed = true;
      return;
    }
    this.folders++;
    const children = this.#read(path, 1);
    await this.context.stdout.print(this.#info(path) + name + "\n");
    await this.#draw(children, name, "");
  }

  #read(path: string, depth: number): Entry[] {
    this.context.poll();
    const out: Entry[] = [];
    for (const entry of this.context.fs.readDir(path)) {
      if (!this.options.has("a") && entry.name.startsWith(".")) continue;
      if (this.#ignored.some((fits) => fits(entry.name))) continue;
      const full = joinPath(path, entry.name);
      let folder = entry.kind === "dir";
      let link: string | undefined;
      if (entry.kind === "symlink") link = this.context.fs.readLink(full);
      else if (entry.kind === "unknown") folder = this.context.fs.lstat(full).kind === "dir";
      if (this.options.has("d") && !folder) continue;
      const matched = this.#wanted.length === 0 || this.#wanted.some((fits) => fits(entry.name));
      if (!folder && !matched) continue;
      let children: Entry[] = [];
      let failure: string | undefined;
      if (folder && depth < this.level) {
        try {
          children = this.#read(full, depth + 1);
        } catch (error) {
          failure = reason(error);
        }
      }
      if (folder && this.options.has("prune") && children.length === 0) continue;
      out.push({
        name: entry.name,
        path: full,
        folder,
        link,
        children,
        ...(failure ? { error: failure } : {}),
      });
    }
    return this.#sorted(out);
  }

  #sorted(entries: Entry[]): Entry[] {
    const { options } = this;
    const time = (entry: Entry) => options.has("t") ? this.context.fs.lstat(entry.path).mtimeMs : 0;
    const sign = options.has("r") ? -1 : 1;
    entries.sort((a, b) => sign * (time(a) - time(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)));
    const first = options.has("dirsfirst") ? 1 : options.has("filesfirst") ? -1 : 0;
    if (first !== 0) entries.sort((a, b) => first * (Number(b.folder) - Number(a.folder)));
    return entries;
  }

  #info(path: string): string {
    const { options } = this;
    if (!options.has("p", "s", "h")) return "";
    const stat = this.context.fs.lstat(path);
    const parts: string[] = [];
    if (options.has("p")) parts.push(modeText(stat.kind, stat.mode));
    if (options.has("h")) parts.push(humanSize(stat.size).padStart(4));
    else if (options.has("s")) parts.push(String(stat.size).padStart(11));
    return `[${parts.join(" ")}]  `;
  }

  async #draw(entries: readonly Entry[], shown: string, prefix: string): Promise<void> {
    const [branch, corner, bar] = this.#ascii ? ["|-- ", "`-- ", "|   "] : ["├── ", "└── ", "│\u00a0\u00a0 "];
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i];
      const last = i === entries.length - 1;
      const full = joinPath(shown, entry.name);
      if (entry.folder) this.folders++;
      else this.files++;
      const mark = this.options.has("F") && entry.folder ? "/" : "";
      const lines = this.options.has("i") ? "" : prefix + (last ? corner : branch);
      const done = this.context.stdout.print(
        `${lines}${this.#info(entry.path)}${this.options.has("f") ? full : entry.name}${mark}${
          entry.link === undefined ? "" : ` -> ${entry.link}`
        }${entry.error ? "  [error opening dir]" : ""}\n`,
      );
      if (done) await done;
      await this.#draw(entry.children, full, prefix + (last ? "    " : bar));
    }
  }
}
