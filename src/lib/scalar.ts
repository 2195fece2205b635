/** Durations ("500ms", "90s", "5m", "2h") and sizes ("32KiB", "10MB") as people write them. */

const MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const BYTES: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
};

/** Milliseconds; undefined where the text is no duration. A unit is needed, but for 0. */
export function parseDuration(text: string): number | undefined {
  return parse(text, /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)$/, MS);
}

/** Bytes; undefined where the text is no size. */
export function parseSize(text: string): number | undefined {
  return parse(text, /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb|kib|mib|gib)$/i, BYTES);
}

function parse(text: string, form: RegExp, units: Readonly<Record<string, number>>): number | undefined {
  if (text.trim() === "0") return 0;
  const match = form.exec(text.trim());
  if (!match) return undefined;
  const value = Math.round(Number(match[1]) * units[match[2].toLowerCase()]);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** A text that `parseDuration` reads back as `ms`: seconds up to five minutes, as people say them. */
export function formatDuration(ms: number): string {
  if (ms === 0) return "0";
  for (const [unit, least] of [["h", 1], ["m", 5], ["s", 1]] as const) {
    const value = ms / MS[unit];
    if (Number.isInteger(value) && value >= least) return `${value}${unit}`;
  }
  return `${ms}ms`;
}

/** A text that `parseSize` reads back as `bytes`. */
export function formatSize(bytes: number): string {
  for (const unit of ["GiB", "MiB", "KiB", "GB", "MB", "KB"]) {
    const size = BYTES[unit.toLowerCase()];
    if (bytes !== 0 && bytes % size === 0) return `${bytes / size}${unit}`;
  }
  return bytes === 0 ? "0" : `${bytes}B`;
}
