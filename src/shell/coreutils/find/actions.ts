/** What find does with an entry: printing, running commands, deleting. */
import type { UtilityContext } from "../../builtin.ts";
import type { ByteSink } from "../../host.ts";
import { encodeBytes } from "../../../lib/text/bytes.ts";
import { formatDate } from "../../../lib/dates/format.ts";
import { KIND_LETTER, modeText } from "../shared/modes.ts";
import { Failure } from "../shared/options.ts";
import type { Owners } from "../shared/owners.ts";
import { baseName, dirName } from "../shared/paths.ts";
import { complain, quote, reason } from "../shared/report.ts";
import { confirm } from "../shared/tree.ts";
import { zoneOf } from "../../../lib/dates/zone.ts";
import type { Item, Test } from "./item.ts";

/** A command line with many names may be this long. */
const MAX_CHARS = 128 * 1024;

interface Batch {
  readonly argv: string[];
  readonly cwd: string;
  readonly inFolder: boolean;
  names: string[];
  size: number;
}

export class Actions {
  failed = false;
  owners: Owners | undefined;
  readonly #wanted = new Set<string>();
  readonly #sinks = new Map<string, ByteSink>();
  readonly #batches: Batch[] = [];

  constructor(readonly context: UtilityContext) {}

  /** Makes the files of -fprint and the like. */
  async open(): Promise<void> {
    for (const name of this.#wanted) {
      if (name === "/dev/stdout" || name === "/dev/stderr") {
        this.#sinks.set(name, name === "/dev/stdout" ? this.context.stdout : this.context.stderr);
      } else this.#sinks.set(name, await this.context.create(name));
    }
  }

  #writer(file: string | undefined): (text: string) => Promise<boolean> | boolean {
    if (file !== undefined) this.#wanted.add(file);
    return (text) => {
      const done = file === undefined
        ? this.context.stdout.print(text)
        : this.#sinks.get(file)!.write(encodeBytes(text));
      return done instanceof Promise ? done.then(() => true) : true;
    };
  }

  print(file: string | undefined, end: string): Test {
    const write = this.#writer(file);
    return (item) => write(item.shown + end);
  }

  printf(file: string | undefined, format: string): Test {
    const write = this.#writer(file);
    const parts = parseFormat(format);
    return (item) =>
      write(parts.map((part) => typeof part === "string" ? part : this.#directive(part, item)).join(""));
  }

  list(file: string | undefined): Test {
    const write = this.#writer(file);
    const zone = zoneOf(this.context.env);
    return (item) => {
      const { stat } = item;
      const now = this.context.host.now();
      const recent = stat.mtimeMs <= now && stat.mtimeMs > now - 15_778_476_000;
      const time = formatDate(recent ? "%b %e %H:%M" : "%b %e  %Y", stat.mtimeMs, zone);
      const link = item.kind === "symlink" ? ` -> ${this.context.fs.readLink(item.path)}` : "";
      return write(
        `${String(stat.ino).padStart(9)} ${String(Math.ceil(stat.blocks / 2)).padStart(6)} ${
          modeText(stat.kind, stat.mode)
        } ${String(stat.nlink).padStart(3)} ${this.owners!.userName(stat.uid).padEnd(8)} ${
          this.owners!.groupName(stat.gid).padEnd(8)
        } ${String(stat.size).padStart(8)} ${time} ${item.shown}${link}\n`,
      );
    };
  }

  remove(): Test {
    return async (item) => {
      if (item.shown === "." || item.shown === "..") return true;
      try {
        if (item.context.fs.lstat(item.path).kind === "dir") this.context.fs.rmdir(item.path);
        else this.context.fs.unlink(item.path);
        return true;
      } catch (error) {
        await complain(this.context, `cannot delete ${quote(item.shown)}: ${reason(error)}`);
        this.failed = true;
        return false;
      }
    };
  }

  exec(name: string, argv: string[], many: boolean): Test {
    if (argv.length === 0) throw new Failure(`invalid argument \`${many ? "+" : ";"}' to \`${name}'`);
    const inFolder = name.endsWith("dir");
    const ask = name.startsWith("-ok");
    if (many) {
      const batches = new Map<string, Batch>();
      return (item) => {
        const cwd = inFolder ? folderOf(item) : this.context.cwd;
        let batch = batches.get(cwd);
        if (!batch) {
          batch = { argv, cwd, inFolder, names: [], size: 0 };
          batches.set(cwd, batch);
          this.#batches.push(batch);
        }
        const text = inFolder ? "./" + baseName(item.shown) : item.shown;
        batch.names.push(text);
        batch.size += text.length + 1;
        return batch.size > MAX_CHARS ? this.#flush(batch).then(() => true) : true;
      };
    }
    return async (item) => {
      const text = inFolder ? "./" + baseName(item.shown) : item.shown;
      const line = argv.map((arg) => arg.replaceAll("{}", text));
      if (ask && !await confirm(this.context, `< ${line.join(" ")} > ?`)) return false;
      return await this.context.run(line, inFolder ? { cwd: folderOf(item) } : {}) === 0;
    };
  }

  async #flush(batch: Batch): Promise<void> {
    const names = batch.names;
    batch.names = [];
    batch.size = 0;
    if (
      names.length > 0 &&
      await this.context.run([...batch.argv, ...names], batch.inFolder ? { cwd: batch.cwd } : {}) !== 0
    ) this.failed = true;
  }

  /** Runs what has been gathered for `+`. */
  async finish(): Promise<void> {
    for (const batch of this.#batches) await this.#flush(batch);
  }

  close(): void {
    for (const sink of this.#sinks.values()) {
      if (sink !== this.context.stdout && sink !== this.context.stderr) sink.close();
    }
  }

  #directive(part: FormatPart, item: Item): string {
    const text = this.#field(part, item);
    const cut = part.precision === undefined ? text : text.slice(0, part.precision);
    if (part.zero && /^\d+$/.test(cut)) return cut.padStart(part.width, "0");
    return part.left ? cut.padEnd(part.width) : cut.padStart(part.width);
  }

  #field(part: FormatPart, item: Item): string {
    const { fs, env } = this.context;
    switch (part.letter) {
      case "p":
        return item.shown;
      case "P":
        return item.depth === 0
          ? ""
          : item.shown.slice(item.root.endsWith("/") ? item.root.length : item.root.length + 1);
      case "f":
        return baseName(item.shown);
      case "h":
        return item.shown.includes("/") ? dirName(item.shown) : ".";
      case "H":
        return item.root;
      case "d":
        return String(item.depth);
      case "s":
        return String(item.stat.size);
      case "k":
        return String(Math.ceil(item.stat.blocks / 2));
      case "b":
        return String(item.stat.blocks);
      case "m":
        return item.stat.mode.toString(8);
      case "M":
        return modeText(item.stat.kind, item.stat.mode);
      case "n":
        return String(item.stat.nlink);
      case "i":
        return String(item.stat.ino);
      case "D":
        return String(item.stat.dev);
      case "u":
        return this.owners!.userName(item.stat.uid);
      case "g":
        return this.owners!.groupName(item.stat.gid);
      case "U":
        return String(item.stat.uid);
      case "G":
        return String(item.stat.gid);
      case "y":
        return kindLetter(item.kind);
      case "Y":
        try {
          return kindLetter(fs.stat(item.path).kind);
        } catch (error) {
          reason(error);
          return "N";
        }
      case "l":
        return item.kind === "symlink" ? fs.readLink(item.path) : "";
      case "a":
      case "c":
      case "t": {
        const ms = part.letter === "a"
          ? item.stat.atimeMs
          : part.letter === "c"
          ? item.stat.ctimeMs
          : item.stat.mtimeMs;
        return formatDate("%a %b %e %H:%M:%S.", ms, zoneOf(env)) + nanos(ms) + "0" +
          formatDate(" %Y", ms, zoneOf(env));
      }
      case "A":
      case "C":
      case "T": {
        const ms = part.letter === "A"
          ? item.stat.atimeMs
          : part.letter === "C"
          ? item.stat.ctimeMs
          : item.stat.mtimeMs;
        if (part.time === "@") return `${Math.floor(ms / 1000)}.${nanos(ms)}0`;
        if (part.time === "S") return formatDate("%S.", ms, zoneOf(env)) + nanos(ms) + "0";
        if (part.time === "T") return formatDate("%H:%M:%S.", ms, zoneOf(env)) + nanos(ms) + "0";
        if (part.time === "+") return formatDate("%Y-%m-%d+%H:%M:%S.", ms, zoneOf(env)) + nanos(ms) + "0";
        return formatDate("%" + part.time, ms, zoneOf(env));
      }
    }
    return "";
  }
}

function nanos(ms: number): string {
  return String(Math.round((ms - Math.floor(ms / 1000) * 1000) * 1e6)).padStart(9, "0");
}

function kindLetter(kind: string): string {
  return kind === "file" ? "f" : KIND_LETTER[kind as "dir"] ?? "U";
}

function folderOf(item: Item): string {
  const at = item.path.lastIndexOf("/");
  return at <= 0 ? "/" : item.path.slice(0, at);
}

interface FormatPart {
  readonly letter: string;
  readonly time: string;
  readonly left: boolean;
  readonly zero: boolean;
  readonly width: number;
  readonly precision: number | undefined;
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};

function parseFormat(format: string): (string | FormatPart)[] {
  const out: (string | FormatPart)[] = [];
  const pattern = /\\([0-7]{1,3}|[^])|%([-0]*)(\d*)(?:\.(\d+))?([ACT][^]|[^])/y;
  for (let at = 0; at < format.length;) {
    pattern.lastIndex = at;
    const match = pattern.exec(format);
    if (!match) {
      out.push(format[at++]);
      continue;
    }
    at = pattern.lastIndex;
    if (match[1] !== undefined) {
      if (match[1] === "c") return out;
      out.push(
        /^[0-7]/.test(match[1])
          ? String.fromCharCode(parseInt(match[1], 8))
          : ESCAPES[match[1]] ?? "\\" + match[1],
      );
    } else if (match[5] === "%") out.push("%");
    else if (!"pPfhHdskbmMniDugUGyYlactACTSFZ".includes(match[5][0])) out.push(match[0]);
    else {
      out.push({
        letter: match[5][0],
        time: match[5][1] ?? "",
        left: match[2].includes("-"),
        zero: match[2].includes("0"),
        width: Number(match[3] || 0),
        precision: match[4] === undefined ? undefined : Number(match[4]),
      });
    }
  }
  return out;
}
