/**
 * Numbers as utilities read and print them: counts with multipliers, and sizes
 * for people.
 */

const POWERS = "KMGTPEZY";

/** Reads `10`, `4K`, `1MB`, `2GiB`, `3b`; undefined where the text is none of these. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+)([a-zA-Z]*)$/.exec(text);
  if (!match) return undefined;
  const factor = multiplier(match[2]);
  return factor === undefined ? undefined : Number(match[1]) * factor;
}

export function multiplier(suffix: string): number | undefined {
  if (suffix === "") return 1;
  if (suffix === "b") return 512;
  if (suffix === "c") return 1;
  if (suffix === "w") return 2;
  const match = /^([kKmMGTPEZY])(B|iB)?$/.exec(suffix);
  if (!match) return undefined;
  const power = POWERS.indexOf(match[1].toUpperCase()) + 1;
  return (match[2] === "B" ? 1000 : 1024) ** power;
}

/** A size for people, as `ls -h` and `du -h` print it (rounded up, one digit below 10). */
export function humanSize(bytes: number, base = 1024): string {
  if (bytes < base) return String(Math.ceil(bytes));
  let value = bytes;
  let power = 0;
  while (value >= base && power < POWERS.length) {
    value /= base;
    power++;
  }
  const letter = base === 1000 && power === 1 ? "k" : POWERS[power - 1];
  const tenths = Math.ceil(value * 10 - 1e-9) / 10;
  if (tenths < 10) return tenths.toFixed(1) + letter;
  const whole = Math.ceil(value - 1e-9);
  if (whole >= base && power < POWERS.length) return "1.0" + POWERS[power];
  return whole + letter;
}
