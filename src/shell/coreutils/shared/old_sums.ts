/** The checksums of old that sum prints: BSD's (16 bits, rotated) and System V's (a plain sum, folded). */

export interface RunningSum {
  update(bytes: Uint8Array): void;
  /** The sum and the number of blocks, as they are printed. */
  text(): string;
}

export function bsdSum(): RunningSum {
  let sum = 0, size = 0;
  return {
    update(bytes) {
      size += bytes.length;
      for (let i = 0; i < bytes.length; i++) sum = ((sum >> 1) + ((sum & 1) << 15) + bytes[i]) & 0xffff;
    },
    text: () => `${String(sum).padStart(5, "0")} ${String(Math.ceil(size / 1024)).padStart(5)}`,
  };
}

export function sysvSum(): RunningSum {
  let sum = 0, size = 0;
  return {
    update(bytes) {
      size += bytes.length;
      let part = 0;
      for (let i = 0; i < bytes.length; i++) part += bytes[i];
      sum = (sum + part) % 2 ** 32;
    },
    text() {
      const folded = (sum & 0xffff) + (sum >>> 16);
      return `${(folded & 0xffff) + (folded >>> 16)} ${Math.ceil(size / 512)}`;
    },
  };
}
