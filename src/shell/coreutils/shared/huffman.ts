/**
 * Tables for the codes of DEFLATE: the next bits of the input, as many as the
 * longest code has, lead to the symbol and the length of its code.
 */

/** The data ended too early, or cannot be what it says. */
export class CorruptDeflate extends Error {
  constructor(readonly why: "end" | "data") {
    super(why);
  }
}

export interface Huffman {
  /** By the next bits: symbol << 4 | length; 0 where no code begins so. */
  readonly entries: Uint16Array;
  readonly mask: number;
  readonly longest: number;
}

/** The table for codes of these lengths; 0 stands for a symbol that does not occur. */
export function huffman(lengths: Uint8Array): Huffman {
  const counts = new Uint16Array(16);
  for (const length of lengths) counts[length]++;
  counts[0] = 0;
  let longest = 15;
  while (longest > 1 && counts[longest] === 0) longest--;
  const next = new Uint16Array(17);
  let left = 1;
  for (let length = 1; length <= 15; length++) {
    left = (left << 1) - counts[length];
    if (left < 0) throw new CorruptDeflate("data");
    next[length + 1] = (next[length] + counts[length]) << 1;
  }
  const entries = new Uint16Array(1 << longest);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol];
    if (length === 0) continue;
    let code = next[length]++;
    // Codes come with their first bit lowest.
    let reversed = 0;
    for (let i = 0; i < length; i++, code >>= 1) reversed = (reversed << 1) | (code & 1);
    for (let at = reversed; at < entries.length; at += 1 << length) entries[at] = (symbol << 4) | length;
  }
  return { entries, mask: entries.length - 1, longest };
}
