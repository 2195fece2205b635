/** gzip, gunzip, zcat: compress and decompress files and streams. */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSink, ByteSource } from "../host.ts";
import { parseOptions, UnsupportedOption } from "./shared/options.ts";
import { BadGzip, compress, decompress, peek, TrailingGarbage } from "./shared/gzip.ts";
import { hasCode, reason } from "./shared/report.ts";
import { lstatIfThere } from "./shared/tree.ts";

const TABLE = {
  options: [
    "c|stdout|to-stdout",
    "d|decompress|uncompress",
    "f|force",
    "k|keep",
    "l|list",
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
  unsupported: ["rsyncable", "synchronous", "a|ascii"],
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const zcat = context.name === "zcat";
  const list = options.has("l");
  // What is on standard input has no size that is known before.
  if (list && (options.has("v") || options.operands.length === 0 || options.operands.includes("-"))) {
    throw new UnsupportedOption("-l", "option -l with -v or of standard input is not supported here");
  }
  const job = new Job(context, {
    list,
    expand: options.has("d", "t", "l") || zcat || context.name === "gunzip",
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
  if (list && options.operands.length > 1) await job.totals();
  return job.status;
}

interface Plan {
  readonly list: boolean;
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
  /** Of the files that were listed: bytes packed and unpacked, and what the last one's frame took. */
  #listed = 0;
  #packed = 0;
  #unpacked = 0;
  #frame = 0;
  constructor(readonly context: UtilityContext, readonly plan: Plan) {}

  async totals(): Promise<void> {
    if (this.#packed > 0) await this.#row(this.#packed, this.#unpacked, "(totals)");
  }

  async #row(packed: number, unpacked: number, name: string): Promise<void> {
    const share = unpacked === 0 ? 0 : 100 * (unpacked - (packed - this.#frame)) / unpacked;
    await this.context.stdout.print(
      `${String(packed).padStart(19)} ${String(unpacked).padStart(19)} ${
        `${share.toFixed(1)}%`.padStart(6)
      } ${name}\n`,
    );
  }

  /** Sizes before and after, of a file whose content is read to its end. */
  async #list(source: ByteSource, packed: number, shown: string): Promise<void> {
    let unpacked = 0;
    const head = await peek(source, HEAD);
    const count: ByteSink = { write: (bytes) => void (unpacked += bytes.length), close() {} };
    if (!await this.#convert(head.source, count, shown)) return;
    if (this.#listed++ === 0 && !this.plan.quiet) {
      await this.context.stdout.print(
        "         compressed        uncompressed  ratio uncompressed_name\n",
      );
    }
    this.#packed += packed;
    this.#unpacked += unpacked;
    this.#frame = frameOf(head.bytes);
    await this.#row(packed, unpacked, expanded(shown, this.plan.suffix) ?? shown);
  }

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
      const toStdout = plan.stdout || plan.test || plan.list;
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
        if (plan.list) return await this.#list(source, stat.size, shown);
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

/** A header may be so long: the name of a file in it. */
const HEAD = 4096;

/** Bytes of a member that are no data: its header and the eight behind it (RFC 1952, 2.3). */
function frameOf(head: Uint8Array): number {
  const flags = head[3];
  let at = 10;
  if ((flags & 4) !== 0) at += 2 + head[at] + 256 * head[at + 1];
  for (const text of [8, 16]) {
    if ((flags & text) !== 0) at = head.indexOf(0, at) + 1;
  }
  return at + ((flags & 2) !== 0 ? 2 : 0) + 8;
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
