/** base64: encodes and decodes, block by block. */
import type { UtilityContext } from "../builtin.ts";
import { encodeBytes } from "../../lib/text/bytes.ts";
import type { ByteSource } from "../host.ts";
import { Failure, parseOptions, UsageError } from "./shared/options.ts";
import { cite, quoteIfNeeded, reason } from "./shared/report.ts";

const TABLE = { options: ["d|decode", "i|ignore-garbage", "w|wrap="], usage: "[OPTION]... [FILE]" };
const LETTERS = encodeBytes("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const VALUES = new Int16Array(256).fill(-1);
LETTERS.forEach((letter, i) => VALUES[letter] = i);

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  if (options.operands.length > 1) throw new UsageError(`extra operand ${cite(options.operands[1])}`);
  const wrapText = options.value("w") ?? "76";
  if (!/^\d+$/.test(wrapText)) throw new UsageError(`invalid wrap size: ${cite(wrapText)}`, 1, false);
  const name = options.operands[0] ?? "-";
  let source: ByteSource;
  try {
    source = name === "-" ? context.stdin : await context.open(name);
  } catch (error) {
    throw new Failure(`${quoteIfNeeded(name)}: ${reason(error)}`);
  }
  try {
    if (options.has("d")) await decode(context, source, options.has("i"));
    else await encode(context, source, Number(wrapText));
  } finally {
    if (source !== context.stdin) source.close();
  }
  return 0;
}

async function encode(context: UtilityContext, source: ByteSource, wrap: number): Promise<void> {
  const buffer = new Uint8Array(49_152);
  const out = new Uint8Array(140_000);
  let left = 0;
  let column = 0;
  for (let ended = false; !ended;) {
    context.poll();
    const read = source.read(buffer.subarray(left));
    const got = typeof read === "number" ? read : await read;
    ended = got === 0;
    const end = left + got;
    const whole = ended ? end : end - end % 3;
    let at = 0;
    const put = (letter: number) => {
      out[at++] = letter;
      if (wrap > 0 && ++column === wrap) {
        out[at++] = 10;
        column = 0;
      }
    };
    for (let i = 0; i < whole; i += 3) {
      const a = buffer[i], b = i + 1 < whole ? buffer[i + 1] : 0, c = i + 2 < whole ? buffer[i + 2] : 0;
      put(LETTERS[a >> 2]);
      put(LETTERS[((a & 3) << 4) | (b >> 4)]);
      put(i + 1 < whole ? LETTERS[((b & 15) << 2) | (c >> 6)] : 61);
      put(i + 2 < whole ? LETTERS[c & 63] : 61);
    }
    if (ended && column > 0) out[at++] = 10;
    buffer.copyWithin(0, whole, end);
    left = end - whole;
    const done = context.stdout.write(out.subarray(0, at));
    if (done) await done;
  }
}

async function decode(context: UtilityContext, source: ByteSource, garbage: boolean): Promise<void> {
  const buffer = new Uint8Array(65_536);
  const out = new Uint8Array(65_536);
  let bits = 0;
  let count = 0;
  let padding = 0;
  for (;;) {
    context.poll();
    const read = source.read(buffer);
    const got = typeof read === "number" ? read : await read;
    let at = 0;
    let bad = false;
    for (let i = 0; i < got && !bad; i++) {
      const byte = buffer[i];
      if (byte === 10) continue;
      if (byte === 61) {
        padding++;
        if (count < 2 || count + padding > 4) bad = true;
        else if (count + padding === 4) {
          count = padding = 0;
          bits = 0;
        }
        continue;
      }
      const value = VALUES[byte];
      if (value < 0) {
        if (!garbage) bad = true;
        continue;
      }
      if (padding > 0) {
        bad = true;
        continue;
      }
      bits = ((bits << 6) | value) & 0xffffff;
      if (++count === 2) out[at++] = (bits >> 4) & 255;
      else if (count === 3) out[at++] = (bits >> 2) & 255;
      else if (count === 4) {
        out[at++] = bits & 255;
        count = 0;
      }
    }
    const done = context.stdout.write(out.subarray(0, at));
    if (done) await done;
    if (bad || (got === 0 && count > 0)) throw new Failure("invalid input");
    if (got === 0) return;
  }
}
