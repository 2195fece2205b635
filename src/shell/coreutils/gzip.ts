/** gzip, gunzip, zcat: compress and decompress files and streams. */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSink, ByteSource } from "../host.ts";
import { parseOptions } from "./shared/options.ts";
import { BadGzip, compress, decompress, peek, TrailingGarbage } from "./shared/gzip.ts";
import { hasCode, reason } from "./shared/report.ts";
import { lstatIfThere } from "./shared/tree.ts";

const TABLE = {
  options: [
    "c|stdout|to-stdout",
    "d|decompress|uncompress",
    "f|force",
    "k|keep",
    "n|no-name",
    "N|name",
    "q|quiet",
    "r|recursive",
    "S|suffix=",
    "t|test",
    "v|verbose",
    "1|fast",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9|best",
  ],
  unsupported: ["l|list", "rsyncable", "synchronous", "a|ascii"],
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const zcat = context.name === "zcat";
  const job = new Job(context, {
    expand: options.has("d", "t") || zcat || context.name === "gunzip",
    stdout: options.has("c") || zcat,
    test: options.has("t"),
    force: options.has("f"),
    keep: options.has("k"),
    verbose: options.has("v"),
    quiet: options.has("q"),
    recursive: options.has("r"),
    suffix: options.value("S") ?? ".gz",
  });
  for (const name of options.operands.length === 0 ? ["-"] : options.operands) await job.run(name);
  return job.status;
}

interface Plan {
  readonly expand: boolean;
  readonly stdout: boolean;
  readonly test: boolean;
  readonly force: boolean;
  readonly keep: boolean;
  readonly verbose: boolean;
  readonly quiet: boolean;
  readonly recursive: boolean;
  readonly suffix: string;
}

class Job {
  status = 0;
  constructor(readonly context: UtilityContext, readonly plan: Plan) {}

  async #fail(message: string, status = 1): Promise<void> {
    if (!(status === 2 && this.plan.quiet)) await this.context.stderr.print(`gzip: ${message}\n`);
    if (this.status !== 1) this.status = status;
  }

  async run(name: string): Promise<void> {
    const { context, plan } = this;
    if (name === "-") {
      await this.#convert(context.stdin, plan.test ? nowhere : context.stdout, "stdin");
      return;
    }
    let shown = name;
    let path = context.path(name);
    try {
      let stat = lstatIfThere(context, path);
      if (!stat && plan.expand && !name.endsWith(plan.suffix)) {
        shown = name + plan.suffix;
        path = context.path(shown);
        stat = lstatIfThere(context, path);
        if (!stat) shown = name + plan.suffix;
      }
      if (!stat) return await this.#fail(`${shown}: No such file or directory`);
      if (stat.kind === "dir") {
        if (!plan.recursive) return await this.#fail(`${name} is a directory -- ignored`, 2);
        for (const entry of context.fs.readDir(path)) await this.run(`${name}/${entry.name}`);
        return;
      }
      const toStdout = plan.stdout || plan.test;
      if (stat.kind === "symlink" && !plan.force && !toStdout) {
        return await this.#fail(`${name}: Too many levels of symbolic links`);
      }
      if (!plan.expand && shown.endsWith(plan.suffix) && !toStdout) {
        return await this.#fail(`${shown} already has ${plan.suffix} suffix -- unchanged`, 2);
      }
      const target = plan.expand ? expanded(shown, plan.suffix) : shown + plan.suffix;
      if (!toStdout && target === undefined) {
        return await this.#fail(`${shown}: unknown suffix -- ignored`, 2);
      }
      const source = await context.fs.open(path, { read: true });
      try {
        if (toStdout) {
          await this.#convert(source, plan.test ? nowhere : context.stdout, shown);
          return;
        }
        const out = context.path(target!);
        if (lstatIfThere(context, out)) {
          // Asked for only where somebody could answer.
          if (!plan.force) return await this.#fail(`${target} already exists;\tnot overwritten`, 2);
          context.fs.unlink(out);
        }
        const sink = await context.fs.open(out, {
          write: true,
          create: true,
          exclusive: true,
          mode: stat.mode & 0o777,
        });
        let good = false;
        try {
          good = await this.#convert(source, sink, shown);
        } finally {
          sink.close();
          if (!good) context.fs.unlink(out);
        }
        if (!good) return;
        context.fs.utime(out, stat.atimeMs, stat.mtimeMs);
        if (!plan.keep) context.fs.unlink(path);
        if (plan.verbose) {
          await context.stderr.print(`${shown}:\t -- ${plan.keep ? "created" : "replaced with"} ${target}\n`);
        }
      } finally {
        source.close();
      }
    } catch (error) {
      await this.#fail(`${shown}: ${reason(error)}`);
    }
  }

  /** Answers whether it worked. */
  async #convert(source: ByteSource, sink: ByteSink, shown: string): Promise<boolean> {
    const { context, plan } = this;
    const poll = () => context.poll();
    try {
      if (!plan.expand) {
        await compress(source, sink, poll);
        return true;
      }
      let from = source;
      if (plan.force && plan.stdout) {
        // zcat -f passes on what is not compressed.
        const head = await peek(source, 2);
        from = head.source;
        if (head.bytes[0] !== 0x1f || head.bytes[1] !== 0x8b) {
          const buffer = new Uint8Array(65_536);
          for (let got = await from.read(buffer); got > 0; got = await from.read(buffer)) {
            await sink.write(buffer.subarray(0, got));
          }
          return true;
        }
      }
      try {
        await decompress(from, sink, poll);
      } catch (error) {
        if (!(error instanceof TrailingGarbage)) throw error;
        if (!plan.quiet) {
          await context.stderr.print(`\ngzip: ${shown}: decompression OK, trailing garbage ignored\n`);
        }
        if (this.status !== 1) this.status = 2;
      }
      if (plan.test && plan.verbose) await context.stderr.print(`${shown}:\t OK\n`);
      return true;
    } catch (error) {
      if (error instanceof BadGzip) {
        await context.stderr.print(`\ngzip: ${shown}: ${error.message}\n`);
        this.status = 1;
        return false;
      }
      if (hasCode(error, "EISDIR")) {
        await this.#fail(`${shown} is a directory -- ignored`, 2);
        return false;
      }
      throw error;
    }
  }
}

const nowhere: ByteSink = { write() {}, close() {} };

function expanded(name: string, suffix: string): string | undefined {
  if (name.endsWith(suffix)) return name.slice(0, -suffix.length);
  if (name.endsWith(".tgz") || name.endsWith(".taz")) return name.slice(0, -3) + "tar";
  for (const other of [".gz", "-gz", ".z", "-z", "_z", ".Z"]) {
    if (name.endsWith(other)) return name.slice(0, -other.length);
  }
  return undefined;
}
