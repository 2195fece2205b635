/** du: how much room trees take. */
import type { UtilityContext } from "../builtin.ts";
import { compileGlob } from "./shared/glob.ts";
import { humanSize, parseSize } from "./shared/numbers.ts";
import { type Options, parseOptions, UsageError } from "./shared/options.ts";
import { joinPath } from "./shared/paths.ts";
import { cite, complain, quote, reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "0|null",
    "a|all",
    "apparent-size",
    "b|bytes",
    "B|block-size=",
    "c|total",
    "d|max-depth=",
    "D|dereference-args|H",
    "exclude=",
    "h|human-readable",
    "k",
    "L|dereference",
    "l|count-links",
    "m",
    "P|no-dereference",
    "s|summarize",
    "S|separate-dirs",
    "si",
    "t|threshold=",
    "x|one-file-system",
  ],
  unsupported: ["inodes", "files0-from=", "time=?", "time-style=", "X|exclude-from="],
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const depth = options.value("d");
  if (depth !== undefined && !/^\d+$/.test(depth)) {
    throw new UsageError(`invalid maximum depth ${cite(depth)}`);
  }
  if (options.has("s") && options.has("a")) {
    throw new UsageError("cannot both summarize and show all entries");
  }
  const counter = new Counter(
    context,
    options,
    options.has("s") ? 0 : depth === undefined ? Infinity : Number(depth),
  );
  let total = 0;
  for (const name of options.operands.length === 0 ? ["."] : options.operands) {
    total += await counter.count(name);
  }
  if (options.has("c")) await counter.show(total, "total");
  return counter.failed ? 1 : 0;
}

class Counter {
  failed = false;
  readonly #seen = new Set<string>();
  readonly #excluded: ((name: string) => boolean)[];
  readonly #unit: string;
  readonly #block: number;

  constructor(readonly context: UtilityContext, readonly options: Options, readonly maxDepth: number) {
    this.#excluded = options.values("exclude").map((pattern) => compileGlob(pattern));
    this.#unit = options.last("b", "B", "h", "k", "m", "si") ?? "k";
    const block = options.value("B");
    const size = block === undefined ? 1024 : parseSize(/^\d/.test(block) ? block : "1" + block);
    if (size === undefined || size <= 0) {
      throw new UsageError(`invalid --block-size argument ${cite(block!)}`);
    }
    this.#block = this.#unit === "b"
      ? 1
      : this.#unit === "m"
      ? 1024 * 1024
      : this.#unit === "B"
      ? size
      : 1024;
  }

  async show(bytes: number, name: string): Promise<void> {
    const threshold = this.options.value("t");
    if (threshold !== undefined && name !== "total") {
      const limit = parseSize(threshold.replace("-", "")) ?? 0;
      if (threshold.startsWith("-") ? bytes > limit : bytes < limit) return;
    }
    const text = this.#unit === "h"
      ? humanSize(bytes)
      : this.#unit === "si"
      ? humanSize(bytes, 1000)
      : String(Math.ceil(bytes / this.#block));
    const done = this.context.stdout.print(`${text}\t${name}${this.options.has("0") ? "\0" : "\n"}`);
    if (done) await done;
  }

  async count(name: string): Promise<number> {
    let path = this.context.path(name);
    try {
      if (this.options.has("D")) path = this.context.fs.realPath(path);
      const { dev } = this.context.fs.lstat(path);
      return await this.#visit(path, name, 0, dev);
    } catch (error) {
      await complain(this.context, `cannot access ${quote(name)}: ${reason(error)}`);
      this.failed = true;
      return 0;
    }
  }

  async #visit(path: string, shown: string, depth: number, device: number): Promise<number> {
    this.context.poll();
    const stat = this.options.has("L") ? this.context.fs.stat(path) : this.context.fs.lstat(path);
    if (this.options.has("x") && stat.dev !== device) return 0;
    if ((stat.nlink > 1 && stat.kind !== "dir" && !this.options.has("l")) || this.options.has("L")) {
      const id = `${stat.dev}:${stat.ino}`;
      if (this.#seen.has(id)) return 0;
      this.#seen.add(id);
    }
    const apparent = this.options.has("b", "apparent-size");
    let own = apparent ? (stat.kind === "dir" ? 0 : stat.size) : stat.blocks * 512;
    if (apparent && stat.kind === "dir") own = stat.size;
    if (stat.kind !== "dir") {
      if (depth === 0 || (this.options.has("a") && depth <= this.maxDepth)) await this.show(own, shown);
      return own;
    }
    let folders = 0;
    try {
      for (const entry of this.context.fs.readDir(path)) {
        const name = joinPath(shown, entry.name);
        if (this.#excluded.some((fits) => fits(entry.name) || fits(name))) continue;
        try {
          const size = await this.#visit(`${path}/${entry.name}`, name, depth + 1, device);
          if (entry.kind === "dir" && this.options.has("S")) folders += size;
          else own += size;
        } catch (error) {
          await complain(this.context, `cannot access ${quote(name)}: ${reason(error)}`);
          this.failed = true;
        }
      }
    } catch (error) {
      await complain(this.context, `cannot read directory ${quote(shown)}: ${reason(error)}`);
      this.failed = true;
    }
    if (depth <= this.maxDepth) await this.show(own, shown);
    return own + folders;
  }
}
