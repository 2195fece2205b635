/**
 * tail: the last lines or bytes, or all from a place on; follows files as they
 * grow. A file is read from its end, a pipe through a ring of recent bytes.
 */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSource, HostFile } from "../host.ts";
import { BLOCK_SIZE } from "./shared/blocks.ts";
import { parseDuration } from "./shared/duration.ts";
import { parseSize } from "./shared/numbers.ts";
import { type Options, parseOptions, UsageError } from "./shared/options.ts";
import { cite, complain, quote, reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "c|bytes=",
    "n|lines=",
    "f",
    "follow=?",
    "F",
    "q|quiet|silent",
    "v|verbose",
    "z|zero-terminated",
    "s|sleep-interval=",
    "retry",
    "pid=",
  ],
  unsupported: ["max-unchanged-stats="],
  numeric: "n",
};

interface Plan {
  readonly bytes: boolean;
  readonly count: number;
  readonly fromStart: boolean;
  readonly delimiter: number;
}

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE, oldForm(context.args));
  const unit = options.last("c", "n") ?? "n";
  const text = options.value(unit) ?? "10";
  const count = parseSize(text.replace(/^[-+]/, ""));
  if (count === undefined) {
    throw new UsageError(`invalid number of ${unit === "c" ? "bytes" : "lines"}: ${cite(text)}`, 1, false);
  }
  const plan: Plan = {
    bytes: unit === "c",
    count,
    fromStart: text.startsWith("+"),
    delimiter: options.has("z") ? 0 : 10,
  };
  const names = options.operands.length === 0 ? ["-"] : options.operands;
  const headers = options.has("v") || (names.length > 1 && !options.has("q"));
  const follow = options.has("f", "F", "follow");
  const followed: Followed[] = [];
  let status = 0;
  let first = true;
  for (const name of names) {
    let source: ByteSource | undefined;
    const path = context.path(name);
    try {
      source = name === "-" ? context.stdin : await context.open(name);
      if (headers) {
        await context.stdout.print(`${first ? "" : "\n"}==> ${name === "-" ? "standard input" : name} <==\n`);
      }
      first = false;
      const end = await show(context, source, plan);
      if (follow && name !== "-") followed.push({ name, path, position: end });
    } catch (error) {
      const verb = (error as { code?: string }).code === "EISDIR" ? "error reading" : "cannot open";
      await complain(
        context,
        `${verb} ${quote(name)}${verb === "cannot open" ? " for reading" : ""}: ${reason(error)}`,
      );
      status = 1;
      if (follow && options.has("F", "retry")) followed.push({ name, path, position: 0 });
    } finally {
      if (source && source !== context.stdin) source.close();
    }
  }
  if (followed.length > 0) await followAll(context, followed, options, headers);
  else if (follow && status !== 0) await complain(context, "no files remaining");
  return status;
}

/** `-5f`, `+3`, `-2c`. */
function oldForm(args: readonly string[]): readonly string[] {
  const match = /^([-+])(\d+)([bcl]?)(f?)$/.exec(args[0] ?? "");
  if (
    !match || (match[3] === "" && match[4] === "" && match[1] === "-") ||
    (match[1] === "+" && args.length > 2)
  ) return args;
  const [, sign, number, unit, follow] = match;
  const value = `${sign === "+" ? "+" : ""}${number}`;
  return [
    unit === "c" ? `-c${value}` : unit === "b" ? `-c${value}b` : `-n${value}`,
    ...(follow ? ["-f"] : []),
    ...args.slice(1),
  ];
}

/** Shows the end of a source; returns the position after it. */
async function show(context: UtilityContext, source: ByteSource, plan: Plan): Promise<number> {
  if (plan.fromStart) return await skipThenCopy(context, source, plan);
  const file = asFile(source);
  if (file) return await fromFile(context, file, plan);
  return await fromPipe(context, source, plan);
}

function asFile(source: ByteSource): HostFile | undefined {
  const file = source as Partial<HostFile> & ByteSource;
  if (typeof file.seek !== "function" || typeof file.stat !== "function") return undefined;
  return file.stat().kind === "file" ? source as HostFile : undefined;
}

async function skipThenCopy(context: UtilityContext, source: ByteSource, plan: Plan): Promise<number> {
  let skip = Math.max(0, plan.count - 1);
  const buffer = new Uint8Array(BLOCK_SIZE);
  let position = 0;
  for (;;) {
    context.poll();
    const read = source.read(buffer);
    const got = typeof read === "number" ? read : await read;
    if (got === 0) return position;
    position += got;
    let start = 0;
    if (plan.bytes) {
      start = Math.min(skip, got);
      skip -= start;
    } else {
      while (skip > 0 && start < got) {
        const at = buffer.subarray(start, got).indexOf(plan.delimiter);
        if (at < 0) start = got;
        else {
          start += at + 1;
          skip--;
        }
      }
    }
    const done = context.stdout.write(buffer.subarray(start, got));
    if (done) await done;
  }
}

async function fromFile(context: UtilityContext, file: HostFile, plan: Plan): Promise<number> {
  const begin = file.seek(0, "current");
  const size = Math.max(begin, file.stat().size);
  let start = size;
  if (plan.bytes) start = Math.max(begin, size - plan.count);
  else if (plan.count > 0) {
    const buffer = new Uint8Array(BLOCK_SIZE);
    let left = plan.count;
    let last = true;
    search: while (start > begin) {
      context.poll();
      const from = Math.max(begin, start - BLOCK_SIZE);
      file.seek(from, "start");
      let filled = 0;
      while (filled < start - from) {
        const got = await file.read(buffer.subarray(filled, start - from));
        if (got === 0) break;
        filled += got;
      }
      for (let i = filled - 1; i >= 0; i--) {
        if (buffer[i] === plan.delimiter && !last && --left === 0) {
          start = from + i + 1;
          break search;
        }
        last = false;
      }
      start = from;
    }
  }
  file.seek(start, "start");
  return start + await copyRest(context, file);
}

async function copyRest(context: UtilityContext, source: ByteSource): Promise<number> {
  const buffer = new Uint8Array(BLOCK_SIZE);
  let total = 0;
  for (;;) {
    context.poll();
    const read = source.read(buffer);
    const got = typeof read === "number" ? read : await read;
    if (got === 0) return total;
    total += got;
    const done = context.stdout.write(buffer.subarray(0, got));
    if (done) await done;
  }
}

async function fromPipe(context: UtilityContext, source: ByteSource, plan: Plan): Promise<number> {
  // Whole blocks are dropped from the front as soon as enough lines or bytes follow them.
  const blocks: { bytes: Uint8Array; units: number }[] = [];
  let units = 0;
  let total = 0;
  let lastByte = plan.delimiter;
  const buffer = new Uint8Array(BLOCK_SIZE);
  for (;;) {
    context.poll();
    const read = source.read(buffer);
    const got = typeof read === "number" ? read : await read;
    if (got === 0) break;
    total += got;
    lastByte = buffer[got - 1];
    const bytes = buffer.slice(0, got);
    const count = plan.bytes ? got : occurrences(bytes, plan.delimiter);
    const previous = blocks[blocks.length - 1];
    if (previous && previous.bytes.length + got <= BLOCK_SIZE) {
      // Small pieces are joined, so that a slow pipe does not make many blocks.
      const joined = new Uint8Array(previous.bytes.length + got);
      joined.set(previous.bytes);
      joined.set(bytes, previous.bytes.length);
      blocks[blocks.length - 1] = { bytes: joined, units: previous.units + count };
    } else blocks.push({ bytes, units: count });
    units += count;
    while (blocks.length > 1 && units - blocks[0].units > plan.count) units -= blocks.shift()!.units;
  }
  let skip = plan.bytes
    ? Math.max(0, units - plan.count)
    : Math.max(0, units + (lastByte === plan.delimiter ? 0 : 1) - plan.count);
  for (const { bytes } of blocks) {
    let start = 0;
    if (plan.bytes) {
      start = Math.min(skip, bytes.length);
      skip -= start;
    } else {
      while (skip > 0 && start < bytes.length) {
        const at = bytes.indexOf(plan.delimiter, start);
        if (at < 0) start = bytes.length;
        else {
          start = at + 1;
          skip--;
        }
      }
      if (plan.count === 0) start = bytes.length;
    }
    const done = context.stdout.write(bytes.subarray(start));
    if (done) await done;
  }
  return total;
}

function occurrences(bytes: Uint8Array, byte: number): number {
  let count = 0;
  for (let i = bytes.indexOf(byte); i >= 0; i = bytes.indexOf(byte, i + 1)) count++;
  return count;
}

interface Followed {
  readonly name: string;
  readonly path: string;
  position: number;
  inode?: number;
}

/** Shows what is added to the files, until the command is ended. */
async function followAll(
  context: UtilityContext,
  files: Followed[],
  options: Options,
  headers: boolean,
): Promise<void> {
  const interval = parseDuration(options.value("s") ?? "0.25") ?? 0.25;
  const byName = options.has("F") || options.value("follow") === "name";
  const pid = Number(options.value("pid") ?? 0);
  let shown = files[files.length - 1];
  for (;;) {
    await context.stdout.flush();
    for (const file of files) {
      context.poll();
      try {
        const stat = context.fs.stat(file.path);
        if (byName && file.inode !== undefined && file.inode !== stat.ino) {
          await complain(context, `${quote(file.name)} has been replaced;  following new file`);
          file.position = 0;
        }
        file.inode = stat.ino;
        if (stat.size < file.position) {
          await complain(context, `${file.name}: file truncated`);
          file.position = 0;
        }
        if (stat.size === file.position) continue;
        if (headers && shown !== file) await context.stdout.print(`\n==> ${file.name} <==\n`);
        shown = file;
        const open = await context.fs.open(file.path, { read: true });
        try {
          open.seek(file.position, "start");
          file.position += await copyRest(context, open);
        } finally {
          open.close();
        }
      } catch (error) {
        // Gone for now: with -F it may come back.
        reason(error);
      }
    }
    await context.stdout.flush();
    if (pid > 0 && !alive(context, pid)) return;
    await context.host.sleep(interval * 1000, context.signal);
    context.poll();
    if (context.signal.aborted) return;
  }
}

function alive(context: UtilityContext, pid: number): boolean {
  try {
    context.fs.stat(`/proc/${pid}`);
    return true;
  } catch {
    return false;
  }
}
