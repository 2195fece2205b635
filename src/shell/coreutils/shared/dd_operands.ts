/** The operands of dd, `name=value`, and what they mean together. */
import { UnsupportedOption } from "../../builtin.ts";
import { parseSize } from "./numbers.ts";
import { Failure, UsageError } from "./options.ts";
import { cite } from "./report.ts";

export interface Plan {
  readonly input?: string;
  readonly output?: string;
  readonly inputSize: number;
  readonly outputSize: number;
  /** Input is gathered into blocks of the output's size. */
  readonly gather: boolean;
  /** In bytes. */
  readonly skip: number;
  readonly seek: number;
  /** Blocks to read, the last of them of `lastBytes` where that is not 0. */
  readonly records: number;
  readonly lastBytes: number;
  readonly status: string;
  readonly fullBlocks: boolean;
  readonly append: boolean;
  readonly noTruncate: boolean;
  readonly noCreate: boolean;
  readonly exclusive: boolean;
  readonly pad: boolean;
  readonly noError: boolean;
  readonly letters: "" | "upper" | "lower";
  readonly swap: boolean;
}

const SIZES = ["ibs", "obs", "bs", "cbs"];
const COUNTS: Readonly<Record<string, string>> = {
  skip: "skip",
  iseek: "skip",
  seek: "seek",
  oseek: "seek",
  count: "count",
};
/** Words of `conv=`, `iflag=` and `oflag=`: those that are known here, and the others of the original. */
const WORDS: Readonly<Record<string, readonly [known: readonly string[], others: readonly string[]]>> = {
  conv: [
    [
      "lcase",
      "ucase",
      "swab",
      "sync",
      "excl",
      "nocreat",
      "notrunc",
      "noerror",
      "fdatasync",
      "fsync",
      "sparse",
    ],
    ["ascii", "ebcdic", "ibm", "block", "unblock"],
  ],
  iflag: [
    ["fullblock", "count_bytes", "skip_bytes", "append", "nonblock", "noatime", "nocache", "noctty"],
    ["direct", "directory", "dsync", "sync", "nofollow", "nolinks", "binary", "text", "cio"],
  ],
  oflag: [
    ["append", "seek_bytes", "nonblock", "noatime", "nocache", "noctty"],
    ["direct", "directory", "dsync", "sync", "nofollow", "nolinks", "binary", "text", "cio"],
  ],
};
const KINDS: Readonly<Record<string, string>> = {
  conv: "conversion",
  iflag: "input flag",
  oflag: "output flag",
};
/** A block is held in memory, and no more than that. */
const LARGEST_BLOCK = 2 ** 29;

/** Throws UsageError, Failure, UnsupportedOption. */
export function parseOperands(operands: readonly string[]): Plan {
  const files: { input?: string; output?: string } = {};
  const sizes: Record<string, number> = {};
  const counts: Record<string, { readonly value: number; readonly bytes: boolean }> = {};
  const words = new Set<string>();
  let status = "";
  for (const operand of operands) {
    const equals = operand.indexOf("=");
    const key = operand.slice(0, Math.max(0, equals)), value = operand.slice(equals + 1);
    if (key === "if") files.input = value;
    else if (key === "of") files.output = value;
    else if (key === "status") status = statusOf(value);
    else if (SIZES.includes(key)) sizes[key] = sizeOf(value, key);
    else if (Object.hasOwn(COUNTS, key)) counts[COUNTS[key]] = countOf(value);
    else if (Object.hasOwn(WORDS, key)) {
      for (const word of wordsOf(key, value)) words.add(`${key}=${word}`);
    } else throw new UsageError(`unrecognized operand ${cite(operand)}`);
  }
  const has = (word: string) => words.has(word);
  const together = (a: string, b: string) => {
    if (has(`conv=${a}`) && has(`conv=${b}`)) throw new Failure(`cannot combine ${a} and ${b}`);
  };
  together("lcase", "ucase");
  together("excl", "nocreat");
  const inputSize = sizes.bs ?? sizes.ibs ?? 512, outputSize = sizes.bs ?? sizes.obs ?? 512;
  const inBytes = (name: string, size: number, flag: string) => {
    const one = counts[name];
    return one === undefined ? 0 : one.bytes || has(flag) ? one.value : one.value * size;
  };
  const bytes = counts.count === undefined ? Infinity : inBytes("count", inputSize, "iflag=count_bytes");
  return {
    ...files,
    inputSize,
    outputSize,
    gather: sizes.bs === undefined,
    skip: inBytes("skip", inputSize, "iflag=skip_bytes"),
    seek: inBytes("seek", outputSize, "oflag=seek_bytes"),
    records: Math.ceil(bytes / inputSize),
    lastBytes: Number.isFinite(bytes) ? bytes % inputSize : 0,
    status,
    fullBlocks: has("iflag=fullblock"),
    append: has("oflag=append"),
    noTruncate: has("conv=notrunc"),
    noCreate: has("conv=nocreat"),
    exclusive: has("conv=excl"),
    pad: has("conv=sync"),
    noError: has("conv=noerror"),
    letters: has("conv=ucase") ? "upper" : has("conv=lcase") ? "lower" : "",
    swap: has("conv=swab"),
  };
}

function statusOf(value: string): string {
  if (["none", "noxfer", "progress"].includes(value)) return value;
  throw new UsageError(`invalid status level: ${cite(value)}`);
}

function sizeOf(value: string, key: string): number {
  const size = numberOf(value);
  if (size === undefined || size === 0) throw new Failure(`invalid number: ${cite(value)}`);
  if (!Number.isSafeInteger(size)) {
    throw new Failure(`invalid number: ${cite(value)}: Value too large for defined data type`);
  }
  if (size > LARGEST_BLOCK) throw new Failure(`${key}=${value}: memory exhausted`);
  return size;
}

function countOf(value: string): { value: number; bytes: boolean } {
  const whole = numberOf(value);
  const bytes = whole === undefined && value.endsWith("B") ? numberOf(value.slice(0, -1)) : undefined;
  const number = whole ?? bytes;
  if (number === undefined) throw new Failure(`invalid number: ${cite(value)}`);
  return { value: number, bytes: whole === undefined };
}

/** `2x3k`: a product of sizes. */
function numberOf(text: string): number | undefined {
  let product = 1;
  for (const factor of text.split("x")) {
    // `1xM` is 1M.
    const size = parseSize(/^[kKMGTPEZY]/.test(factor) ? `1${factor}` : factor);
    if (size === undefined) return undefined;
    product *= size;
  }
  return product;
}

function wordsOf(key: string, value: string): string[] {
  const [known, others] = WORDS[key];
  const words = value.split(",");
  for (const word of words) {
    if (others.includes(word)) throw new UnsupportedOption(`${key}=${word}`);
    if (!known.includes(word)) throw new UsageError(`invalid ${KINDS[key]}: ${cite(word)}`);
  }
  return words;
}

/** Changes a block in place; undefined where nothing is to be changed. */
export function conversion(plan: Plan): ((bytes: Uint8Array) => void) | undefined {
  const { letters, swap } = plan;
  if (letters === "" && !swap) return undefined;
  const [first, distance] = letters === "upper" ? [97, -32] : [65, 32];
  return (bytes) => {
    if (letters !== "") {
      for (let i = 0; i < bytes.length; i++) {
        const place = bytes[i] - first;
        if (place >= 0 && place < 26) bytes[i] += distance;
      }
    }
    if (swap) {
      for (let i = 1; i < bytes.length; i += 2) {
        [bytes[i - 1], bytes[i]] = [bytes[i], bytes[i - 1]];
      }
    }
  };
}
