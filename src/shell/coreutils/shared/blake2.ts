/** BLAKE2b with the digest's length to choose, for b2sum and cksum. */
import { blake2b } from "@noble/hashes/blake2.js";
import type { UtilityContext } from "../../builtin.ts";
import type { Algorithm } from "./digest.ts";
import { Failure } from "./options.ts";
import { cite } from "./report.ts";

const LONGEST = 512;

/** `bits`: 0 for the longest. */
export function blake2(bits = 0): Algorithm {
  const size = (bits || LONGEST) / 8;
  return {
    tag: size * 8 === LONGEST ? "BLAKE2b" : `BLAKE2b-${size * 8}`,
    size,
    create: () => blake2b.create({ dkLen: size }),
    ofSize: (other) => other > 0 && other <= LONGEST / 8 ? blake2(other * 8) : undefined,
  };
}

/** Bits as `--length` gives them, 0 for the longest. */
export function blake2Length(context: UtilityContext, text: string): number {
  const bits = /^\d+$/.test(text) ? Number(text) : NaN;
  const wrong = `invalid length: ${cite(text)}`;
  if (Number.isNaN(bits)) throw new Failure(wrong);
  if (bits > LONGEST) {
    throw new Failure(
      `${wrong}\n${context.name}: maximum digest length for ${cite("BLAKE2b")} is ${LONGEST} bits`,
    );
  }
  if (bits % 8 !== 0) throw new Failure(`${wrong}\n${context.name}: length is not a multiple of 8`);
  return bits;
}
