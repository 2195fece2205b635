/**
 * dd: copies blocks from here to there. Without `bs=`, what was read is
 * gathered into blocks of the output's size, as by GNU's; with it, each block
 * is written as it came.
 */
import { UnsupportedOption, type UtilityContext } from "../builtin.ts";
import { type ByteSource, HostError } from "../host.ts";
import { conversion, parseOperands, type Plan } from "./shared/dd_operands.ts";
import { transferText } from "./shared/dd_summary.ts";
import { Failure, parseOptions } from "./shared/options.ts";
import { isStream } from "./shared/paths.ts";
import { complain, hasCode, quote, quoteIfNeeded, reason } from "./shared/report.ts";

/** What can be written to, and moved in where it is a file. */
interface Target {
  write(bytes: Uint8Array): void | Promise<void>;
  close(): void;
  readonly seek?: (offset: number) => void;
  readonly truncate?: (length: number) => void;
}

/** What one run has counted. */
interface Counts {
  readFull: number;
  readPart: number;
  writtenFull: number;
  writtenPart: number;
  bytes: number;
}

const SECOND = 1000;

export async function run(context: UtilityContext): Promise<number> {
  const operands = parseOptions(context, { options: [], usage: "[OPERAND]..." }).operands;
  const plan = parseOperands(operands);
  const source = await openInput(context, plan);
  let target: Target;
  try {
    target = await openOutput(context, plan);
  } catch (error) {
    if (source !== context.stdin) source.close();
    throw error;
  }
  const counts: Counts = { readFull: 0, readPart: 0, writtenFull: 0, writtenPart: 0, bytes: 0 };
  const begun = context.host.now();
  let status: number;
  try {
    status = await copy(context, plan, source, target, counts, begun);
  } finally {
    if (source !== context.stdin) source.close();
    target.close();
  }
  if (plan.status !== "none") {
    await context.stdout.flush();
    const text = `${counts.readFull}+${counts.readPart} records in\n` +
      `${counts.writtenFull}+${counts.writtenPart} records out\n`;
    const transfer = plan.status === "noxfer"
      ? ""
      : `${transferText(counts.bytes, context.host.now() - begun)}\n`;
    await context.stderr.print(text + transfer);
  }
  return status;
}

async function openInput(context: UtilityContext, plan: Plan): Promise<ByteSource> {
  if (plan.input === undefined) return context.stdin;
  try {
    return await context.open(plan.input === "-" ? "./-" : plan.input);
  } catch (error) {
    // A folder can be opened there, and only not be read.
    if (hasCode(error, "EISDIR")) {
      return {
        read(): number {
          throw error;
        },
        close() {},
      };
    }
    throw new Failure(`failed to open ${quote(plan.input)}: ${reason(error)}`);
  }
}

async function openOutput(context: UtilityContext, plan: Plan): Promise<Target> {
  const name = plan.output;
  if (name === undefined) return { write: (bytes) => context.stdout.write(bytes), close() {} };
  try {
    if (isStream(name)) return await context.create(name, { append: plan.append });
    const keep = plan.noTruncate || plan.seek > 0;
    const file = await context.fs.open(context.path(name), {
      write: true,
      create: !plan.noCreate,
      exclusive: plan.exclusive,
      append: plan.append,
      truncate: !keep,
      mode: 0o666 & ~context.umask,
    });
    return {
      write: (bytes) => file.write(bytes),
      close: () => file.close(),
      seek: (offset) => void file.seek(offset, "start"),
      truncate: (length) => {
        if (!plan.noTruncate && file.stat().kind === "file") file.truncate(length);
      },
    };
  } catch (error) {
    throw new Failure(`failed to open ${quote(name)}: ${reason(error)}`);
  }
}

async function copy(
  context: UtilityContext,
  plan: Plan,
  source: ByteSource,
  target: Target,
  counts: Counts,
  begun: number,
): Promise<number> {
  const inputName = plan.input ?? "standard input";
  const outputName = plan.output ?? "standard output";
  let status = 0;
  if (plan.skip > 0 && !await skip(context, source, plan.skip)) {
    await complain(context, `${quoteIfNeeded(inputName)}: cannot skip to specified offset`);
  }
  const output = new Blocks(target, plan, counts);
  try {
    await moveOutput(target, plan);
    const input = new Uint8Array(plan.inputSize);
    const change = conversion(plan);
    let nextReport = begun + SECOND;
    let reported = false;
    while (counts.readFull + counts.readPart < plan.records) {
      context.poll();
      let wanted = input.length;
      if (plan.lastBytes > 0 && counts.readFull + counts.readPart === plan.records - 1) {
        wanted = plan.lastBytes;
      }
      let got = 0;
      let bad = false;
      try {
        do {
          const read = source.read(input.subarray(got, wanted));
          const n = typeof read === "number" ? read : await read;
          if (n === 0) break;
          got += n;
        } while (plan.fullBlocks && got < wanted);
      } catch (error) {
        await complain(context, `error reading ${quote(inputName)}: ${reason(error)}`);
        status = 1;
        // Whatever is wrong with a folder is wrong with its next block as well.
        if (!plan.noError || hasCode(error, "EISDIR")) break;
        bad = true;
        if (!passOver(source, input.length)) break;
      }
      if (got === 0 && !bad) break;
      if (got === plan.inputSize) counts.readFull++;
      else counts.readPart++;
      if (plan.pad && got < plan.inputSize) {
        input.fill(0, got);
        got = plan.inputSize;
      }
      const bytes = input.subarray(0, got);
      change?.(bytes);
      const done = output.add(bytes);
      if (done) await done;
      if (plan.status === "progress" && context.host.now() >= nextReport) {
        nextReport += SECOND;
        reported = true;
        await context.stderr.print(`\r${transferText(counts.bytes, context.host.now() - begun, true)}`);
        await context.stderr.flush();
      }
    }
    await output.end();
    if (reported) await context.stderr.print("\n");
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    await complain(context, `error writing ${quote(outputName)}: ${reason(error)}`);
    status = 1;
  }
  return status;
}

/** Blocks for the output: as they come, or gathered. */
class Blocks {
  readonly #gathered: Uint8Array | undefined;
  #filled = 0;

  constructor(readonly target: Target, plan: Plan, readonly counts: Counts) {
    this.size = plan.outputSize;
    if (plan.gather) this.#gathered = new Uint8Array(plan.outputSize);
  }
  readonly size: number;

  add(bytes: Uint8Array): void | Promise<void> {
    if (this.#gathered === undefined || (this.#filled === 0 && bytes.length === this.size)) {
      return this.#put(bytes);
    }
    return this.#gather(this.#gathered, bytes);
  }

  async #gather(block: Uint8Array, bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + block.length - this.#filled);
      block.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled < block.length) return;
      this.#filled = 0;
      await this.#put(block);
    }
  }

  async end(): Promise<void> {
    if (this.#gathered !== undefined && this.#filled > 0) {
      await this.#put(this.#gathered.subarray(0, this.#filled));
    }
  }

  #put(bytes: Uint8Array): void | Promise<void> {
    const done = this.target.write(bytes);
    return done instanceof Promise ? done.then(() => this.#count(bytes.length)) : this.#count(bytes.length);
  }

  #count(length: number): void {
    if (length === this.size) this.counts.writtenFull++;
    else this.counts.writtenPart++;
    this.counts.bytes += length;
  }
}

/** Passes over the beginning of the input; false where it has no more than that. */
async function skip(context: UtilityContext, source: ByteSource, bytes: number): Promise<boolean> {
  const file: ByteSource & {
    seek?: (offset: number, from: "current") => number;
    stat?: () => { readonly kind: string; readonly size: number };
  } = source;
  try {
    const stat = file.stat?.();
    if (file.seek !== undefined && stat?.kind === "file") return file.seek(bytes, "current") <= stat.size;
  } catch (error) {
    // A pipe is read instead.
    if (!(error instanceof HostError)) throw error;
  }
  const buffer = new Uint8Array(65_536);
  for (let left = bytes; left > 0;) {
    context.poll();
    const read = source.read(buffer.subarray(0, Math.min(left, buffer.length)));
    const got = typeof read === "number" ? read : await read;
    if (got === 0) return false;
    left -= got;
  }
  return true;
}

/** Goes on behind a block that cannot be read. */
function passOver(source: ByteSource, bytes: number): boolean {
  const file: ByteSource & { seek?: (offset: number, from: "current") => number } = source;
  try {
    return file.seek !== undefined && file.seek(bytes, "current") > 0;
  } catch (error) {
    if (error instanceof HostError) return false;
    throw error;
  }
}

async function moveOutput(target: Target, plan: Plan): Promise<void> {
  if (plan.seek === 0) return;
  if (target.seek !== undefined) {
    try {
      target.truncate?.(plan.seek);
      target.seek(plan.seek);
      return;
    } catch (error) {
      // What cannot be moved in gets zeros.
      if (!hasCode(error, "ENOTSUP", "EINVAL")) throw error;
    }
  }
  if (plan.seek > 2 ** 40) throw new UnsupportedOption("seek=");
  const zeros = new Uint8Array(Math.min(plan.seek, 65_536));
  for (let left = plan.seek; left > 0; left -= zeros.length) {
    await target.write(zeros.subarray(0, Math.min(left, zeros.length)));
  }
}
