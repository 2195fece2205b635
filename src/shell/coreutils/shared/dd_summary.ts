/** The line in which dd says how much it has copied, how long that took and how fast it was. */

const LETTERS = "kMGTPEZY";

/** `progress`: with whole seconds, as while it goes on. */
export function transferText(bytes: number, ms: number, progress = false): string {
  const decimal = scaled(bytes, 1000), binary = scaled(bytes, 1024);
  const sizes = bytes < 1000 ? "" : bytes < 1024 ? ` (${decimal})` : ` (${decimal}, ${binary})`;
  const seconds = Math.max(ms, 0.001) / 1000;
  const time = progress ? seconds.toFixed(0) : String(Number(seconds.toPrecision(6)));
  return `${bytes} ${bytes === 1 ? "byte" : "bytes"}${sizes} copied, ${time} s, ${rate(bytes / seconds)}`;
}

/** `2.1 MB`, `16 MiB`: one digit behind the point below 10. */
function scaled(bytes: number, base: 1000 | 1024): string {
  let value = bytes, power = 0;
  while (value >= base && power < LETTERS.length) {
    value /= base;
    power++;
  }
  let text = power > 0 && value < 9.95 ? value.toFixed(1) : value.toFixed(0);
  if (Number(text) >= base && power < LETTERS.length) {
    text = "1.0";
    power++;
  }
  if (power === 0) return `${text} B`;
  const letter = LETTERS[power - 1];
  return `${text} ${base === 1000 ? `${letter}B` : `${letter.toUpperCase()}iB`}`;
}

/** At least thousands, with three digits. */
function rate(perSecond: number): string {
  let value = perSecond / 1000, power = 1;
  while (value >= 999.5 && power < LETTERS.length) {
    value /= 1000;
    power++;
  }
  return `${value < 99.95 ? value.toFixed(1) : value.toFixed(0)} ${LETTERS[power - 1]}B/s`;
}
