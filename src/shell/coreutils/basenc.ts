/** basenc, base32: bytes as letters and back, block by block. What differs between the encodings is a row of a table. */
import type { UtilityContext } from "../builtin.ts";
import type { ByteSource } from "../host.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { BLOCK_SIZE } from "./shared/blocks.ts";
import { cite, quoteIfNeeded, reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "base64",
    "base64url",
    "base32",
    "base32hex",
    "base16",
    "base2msbf",
    "base2lsbf",
    "z85",
    "d|decode",
    "i|ignore-garbage",
    "w|wrap=",
  ],
  usage: "[OPTION]... [FILE]",
};
const TABLE_32 = { options: ["d|decode", "i|ignore-garbage", "w|wrap="], usage: TABLE.usage };

const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ALPHANUMERIC = UPPER + UPPER.toLowerCase() + "0123456789";

interface Encoding {
  readonly letters: string;
  /** So many bytes are so many letters. */
  readonly bytes: number;
  readonly count: number;
  /** A last part is filled up with `=`; without: it must be whole. */
  readonly padded?: boolean;
  readonly lowFirst?: boolean;
}

const ENCODINGS: Readonly<Record<string, Encoding>> = {
  base64: { letters: ALPHANUMERIC + "+/", bytes: 3, count: 4, padded: true },
  base64url: { letters: ALPHANUMERIC + "-_", bytes: 3, count: 4, padded: true },
  base32: { letters: UPPER + "234567", bytes: 5, count: 8, padded: true },
  base32hex: { letters: "0123456789" + UPPER.slice(0, 22), bytes: 5, count: 8, padded: true },
  base16: { letters: "0123456789ABCDEF", bytes: 1, count: 2 },
  base2msbf: { letters: "01", bytes: 1, count: 8 },
  base2lsbf: { letters: "01", bytes: 1, count: 8, lowFirst: true },
  z85: {
    letters: "0123456789" + UPPER.toLowerCase() + UPPER + ".-:+=^!/*?&<>()[]{}@%$#",
    bytes: 4,
    count: 5,
  },
};

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, context.name === "base32" ? TABLE_32 : TABLE);
  const wrapText = options.value("w") ?? "76";
  if (!/^\d+$/.test(wrapText)) throw new UsageError(`invalid wrap size: ${cite(wrapText)}`, 1, false);
  const kind = context.name === "base32" ? "base32" : options.last(...Object.keys(ENCODINGS));
  if (kind === undefined) throw new UsageError("missing encoding type");
  if (options.operands.length > 1) throw new UsageError(`extra operand ${cite(options.operands[1])}`);
  const name = options.operands[0] ?? "-";
  let source: ByteSource;
  try {
    source = name === "-" ? context.stdin : await context.open(name);
  } catch (error) {
    throw new Failure(`${quoteIfNeeded(name)}: ${reason(error)}`);
  }
  try {
    const encoding = ENCODINGS[kind];
    if (options.has("d")) await decode(context, source, encoding, options.has("i"));
    else await encode(context, source, encoding, Number(wrapText));
  } finally {
    if (source !== context.stdin) source.close();
  }
  return 0;
}

function reversed(byte: number): number {
  let out = 0;
  for (let i = 0; i < 8; i++) out |= (byte >> i & 1) << (7 - i);
  return out;
}

async function encode(
  context: UtilityContext,
  source: ByteSource,
  encoding: Encoding,
  wrap: number,
): Promise<void> {
  const { letters, bytes, count } = encoding;
  const codes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const bits = Math.log2(letters.length);
  const buffer = new Uint8Array(15_360);
  let left = 0;
  let column = 0;
  for (let ended = false; !ended;) {
    context.poll();
    const read = source.read(buffer.subarray(left));
    const got = typeof read === "number" ? read : await read;
    ended = got === 0;
    const end = left + got;
    const whole = ended ? end : end - end % bytes;
    const out: number[] = [];
    const put = (code: number) => {
      out.push(code);
      if (wrap > 0 && ++column === wrap) {
        out.push(10);
        column = 0;
      }
    };
    if (ended && !encoding.padded && end % bytes !== 0) {
      throw new Failure(`invalid input (length must be multiple of ${bytes} characters)`);
    }
    if (letters.length === 85) {
      const view = new DataView(buffer.buffer);
      for (let i = 0; i < whole; i += 4) {
        const value = view.getUint32(i);
        for (let place = 85 ** 4; place >= 1; place /= 85) put(codes[Math.floor(value / place) % 85]);
      }
    } else {
      for (let i = 0; i < whole; i += bytes) {
        let held = 0, heldBits = 0, written = 0;
        for (let j = i; j < Math.min(whole, i + bytes); j++) {
          held = (held << 8) | (encoding.lowFirst ? reversed(buffer[j]) : buffer[j]);
          for (heldBits += 8; heldBits >= bits; written++) {
            heldBits -= bits;
            put(codes[held >> heldBits & (letters.length - 1)]);
          }
          held &= (1 << heldBits) - 1;
        }
        if (heldBits > 0) {
          put(codes[held << (bits - heldBits) & (letters.length - 1)]);
          written++;
        }
        for (; written < count; written++) put(61);
      }
    }
    if (ended && column > 0) out.push(10);
    buffer.copyWithin(0, whole, end);
    left = end - whole;
    const done = context.stdout.write(Uint8Array.from(out));
    if (done) await done;
  }
}

async function decode(
  context: UtilityContext,
  source: ByteSource,
  encoding: Encoding,
  garbage: boolean,
): Promise<void> {
  const { letters, count } = encoding;
  const bits = Math.log2(letters.length);
  const values = new Int16Array(256).fill(-1);
  for (let i = 0; i < letters.length; i++) {
    values[letters.charCodeAt(i)] = i;
    if (letters.length === 16) values[letters.toLowerCase().charCodeAt(i)] = i;
  }
  const buffer = new Uint8Array(BLOCK_SIZE);
  let held = 0, heldBits = 0, letterCount = 0, padding = 0;
  for (;;) {
    context.poll();
    const read = source.read(buffer);
    const got = typeof read === "number" ? read : await read;
    const out: number[] = [];
    let bad = false;
    for (let i = 0; i < got && !bad; i++) {
      const byte = buffer[i];
      if (byte === 10) continue;
      if (byte === 61 && encoding.padded) {
        // The letters before say how many bytes there are: only some numbers of letters can end.
        padding++;
        const enough = letterCount * bits % 8 < bits && letterCount >= 2;
        if (!enough || letterCount + padding > count) bad = true;
        else if (letterCount + padding === count) {
          held =
            heldBits =
            letterCount =
            padding =
              0;
        }
        continue;
      }
      const value = values[byte];
      if (value < 0) {
        bad = !garbage;
        continue;
      }
      if (padding > 0) {
        bad = true;
        continue;
      }
      letterCount = letterCount === count ? 1 : letterCount + 1;
      if (letters.length === 85) {
        held = held * 85 + value;
        if (letterCount < count) continue;
        if (held > 0xffffffff) bad = true;
        else out.push(held >>> 24, held >>> 16 & 255, held >>> 8 & 255, held & 255);
        held = letterCount = 0;
        continue;
      }
      held = (held << bits) | value;
      heldBits += bits;
      if (heldBits >= 8) {
        heldBits -= 8;
        const whole = held >> heldBits & 255;
        out.push(encoding.lowFirst ? reversed(whole) : whole);
        held &= (1 << heldBits) - 1;
      }
      if (letterCount === count) letterCount = held = heldBits = 0;
    }
    const done = context.stdout.write(Uint8Array.from(out));
    if (done) await done;
    if (bad || (got === 0 && letterCount > 0)) throw new Failure("invalid input");
    if (got === 0) return;
  }
}
