/** Figures and bars for people: aligned columns on standard output. */

/** What was measured and the most that it may be. */
export interface Bar {
  readonly what: string;
  readonly value: number;
  readonly limit: number;
  readonly unit: string;
}

/** Prints rows with their columns aligned: the first to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[]): void {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  for (const row of rows) {
    console.log(
      row.map((cell, i) => i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])).join("  ").trimEnd(),
    );
  }
}

/** Prints each bar; false where one was missed. */
export function showBars(bars: readonly Bar[]): boolean {
  table([
    ["bar", "measured", "at most", ""],
    ...bars.map((bar) => [
      bar.what,
      `${bar.value.toFixed(2)} ${bar.unit}`,
      `${bar.limit} ${bar.unit}`,
      bar.value <= bar.limit ? "ok" : "MISSED",
    ]),
  ]);
  return bars.every((bar) => bar.value <= bar.limit);
}
