/** cut: chosen bytes, characters or fields of every line. */
import { decodeBytes, encodeBytes } from "../../lib/text/bytes.ts";
import type { UtilityContext } from "../builtin.ts";
import type { ByteSource } from "../host.ts";
import { BlockReader, eachInput } from "./shared/blocks.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { cite, complainAbout } from "./shared/report.ts";

const TABLE = {
  options: [
    "b|bytes=",
    "c|characters=",
    "d|delimiter=",
    "f|fields=",
    "n",
    "s|only-delimited",
    "complement",
    "output-delimiter=",
    "z|zero-terminated",
  ],
};

type Range = readonly [low: number, high: number];

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  const kinds = options.list.filter(([key]) => key === "b" || key === "c" || key === "f");
  if (kinds.length === 0) throw new UsageError("you must specify a list of bytes, characters, or fields");
  if (kinds.length > 1) throw new UsageError("only one list may be specified");
  const [kind, list] = kinds[0];
  const delimiterText = options.value("d");
  if (kind !== "f" && delimiterText !== undefined) {
    throw new UsageError("an input delimiter may be specified only when operating on fields");
  }
  if (kind !== "f" && options.has("s")) {
    throw new UsageError("suppressing non-delimited lines makes sense\n\tonly when operating on fields");
  }
  if (delimiterText !== undefined && [...delimiterText].length > 1) {
    throw new UsageError("the delimiter must be a single character");
  }
  let ranges = parseRanges(list, kind);
  if (options.has("complement")) ranges = invert(ranges);
  const end = options.has("z") ? 0 : 10;
  const delimiter = encodeBytes(
    delimiterText === undefined ? "\t" : delimiterText === "" ? "\0" : delimiterText,
  );
  const between = options.value("output-delimiter");
  const job: Job = {
    ranges,
    end,
    delimiter,
    between: between === undefined ? (kind === "f" ? delimiter : undefined) : encodeBytes(between),
    onlyDelimited: options.has("s"),
  };
  let status = 0;
  const cut = kind === "f" ? cutFields : kind === "b" ? cutBytes : cutCharacters;
  await eachInput(context, options.operands, async (source: ByteSource) => {
    const blocks = new BlockReader(source, end);
    for (;;) {
      context.poll();
      const next = blocks.next();
      const block = next instanceof Promise ? await next : next;
      if (!block) return;
      const done = context.stdout.write(cut(block, job));
      if (done) await done;
    }
  }, async (name, error) => {
    await complainAbout(context, name, error);
    status = 1;
  });
  return status;
}

interface Job {
  readonly ranges: readonly Range[];
  readonly end: number;
  readonly delimiter: Uint8Array;
  readonly between: Uint8Array | undefined;
  readonly onlyDelimited: boolean;
}

function parseRanges(list: string, kind: string): Range[] {
  const noun = kind === "f" ? "fields" : "byte/character positions";
  const out: [number, number][] = [];
  for (const part of list.split(/[,\s]/)) {
    const match = /^(\d*)(-?)(\d*)$/.exec(part);
    if (!match) {
      throw new UsageError(
        kind === "f" ? `invalid field value ${cite(part)}` : `invalid byte/character position ${cite(part)}`,
      );
    }
    const [, from, dash, to] = match;
    if (from === "" && to === "") {
      throw new UsageError(dash ? "invalid range with no endpoint: -" : `${noun} are numbered from 1`);
    }
    const low = from === "" ? 1 : Number(from);
    const high = dash === "" ? low : to === "" ? Infinity : Number(to);
    if (low === 0 || high === 0) throw new UsageError(`${noun} are numbered from 1`);
    if (high < low) throw new UsageError("invalid decreasing range");
    out.push([low, high]);
  }
  out.sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const range of out) {
    const last = merged[merged.length - 1];
    // Ranges that only touch stay apart: an output delimiter goes between them.
    if (last && range[0] <= last[1]) last[1] = Math.max(last[1], range[1]);
    else merged.push(range);
  }
  return merged;
}

function invert(ranges: readonly Range[]): Range[] {
  const out: Range[] = [];
  let next = 1;
  for (const [low, high] of ranges) {
    if (low > next) out.push([next, low - 1]);
    next = high + 1;
  }
  if (next !== Infinity) out.push([next, Infinity]);
  return out;
}

let scratch = new Uint8Array(0);

function room(size: number): Uint8Array {
  if (scratch.length < size) scratch = new Uint8Array(size);
  return scratch;
}

function cutFields(block: Uint8Array, job: Job): Uint8Array {
  if (job.delimiter.length > 1) return cutFieldsOfText(block, job);
  const { ranges, end, onlyDelimited } = job;
  const delimiter = job.delimiter[0];
  const between = job.between!;
  const out = room(block.length * Math.max(1, between.length) + 64);
  let at = 0;
  let start = 0;
  while (start < block.length) {
    let stop = block.indexOf(end, start);
    if (stop < 0) stop = block.length;
    let field = 1;
    let range = 0;
    let any = false;
    let fieldStart = start;
    let delimited = false;
    const lineOut = at;
    for (let i = start; i <= stop; i++) {
      if (i < stop && block[i] !== delimiter) continue;
      if (i < stop) delimited = true;
      while (range < ranges.length && ranges[range][1] < field) range++;
      if (range < ranges.length && ranges[range][0] <= field) {
        if (any) { for (let k = 0; k < between.length; k++) out[at++] = between[k]; }
        any = true;
        for (let k = fieldStart; k < i; k++) out[at++] = block[k];
      } else if (range >= ranges.length) break;
      field++;
      fieldStart = i + 1;
    }
    if (!delimited) {
      at = lineOut;
      if (!onlyDelimited) {
        out.set(block.subarray(start, stop), at);
        at += stop - start;
        out[at++] = end;
      }
    } else out[at++] = end;
    start = stop + 1;
  }
  return out.subarray(0, at);
}

/** Fields between characters of several bytes. */
function cutFieldsOfText(block: Uint8Array, job: Job): Uint8Array {
  const end = String.fromCharCode(job.end);
  const delimiter = decodeBytes(job.delimiter);
  const between = decodeBytes(job.between!);
  const lines = decodeBytes(block).split(end);
  if (lines[lines.length - 1] === "") lines.pop();
  let out = "";
  for (const line of lines) {
    const fields = line.split(delimiter);
    if (fields.length === 1) {
      if (!job.onlyDelimited) out += line + end;
      continue;
    }
    out += fields.filter((_, i) => chosen(job.ranges, i + 1)).join(between) + end;
  }
  return encodeBytes(out);
}

function chosen(ranges: readonly Range[], at: number): boolean {
  return ranges.some(([low, high]) => at >= low && at <= high);
}

function cutBytes(block: Uint8Array, job: Job): Uint8Array {
  const { ranges, end, between } = job;
  const out = room(block.length + 1 + (between ? block.length * between.length : 0));
  let at = 0;
  let start = 0;
  while (start < block.length) {
    let stop = block.indexOf(end, start);
    if (stop < 0) stop = block.length;
    let any = false;
    for (const [low, high] of ranges) {
      const from = start + low - 1;
      if (from >= stop) break;
      if (between && any) {
        out.set(between, at);
        at += between.length;
      }
      any = true;
      const to = Math.min(stop, start + high);
      out.set(block.subarray(from, to), at);
      at += to - from;
    }
    out[at++] = end;
    start = stop + 1;
  }
  return out.subarray(0, at);
}

function cutCharacters(block: Uint8Array, job: Job): Uint8Array {
  if (!block.some((byte) => byte >= 0x80)) return cutBytes(block, job);
  const end = String.fromCharCode(job.end);
  const lines = decodeBytes(block).split(end);
  if (lines[lines.length - 1] === "") lines.pop();
  const between = job.between ? decodeBytes(job.between) : "";
  return encodeBytes(
    lines.map((line) => {
      const chars = [...line];
      return job.ranges.filter(([low]) => low <= chars.length).map(([low, high]) =>
        chars.slice(low - 1, high).join("")
      ).join(between) + end;
    }).join(""),
  );
}
