/** Tab stops as expand and unexpand read them. */
import { UsageError } from "./options.ts";
import { cite } from "./report.ts";

/** A function from a column to the next stop; undefined behind the last of a list. */
export function tabStops(texts: readonly string[]): (column: number) => number | undefined {
  const parts = texts.join(",").split(/[\s,]+/).filter((part) => part !== "");
  if (parts.length === 0) return (column) => column + 8 - column % 8;
  const stops: number[] = [];
  let every = 0;
  let relative = false;
  for (const part of parts) {
    const match = /^([\/+]?)(\d+)$/.exec(part);
    if (!match) throw new UsageError(`tab size contains invalid character(s): ${cite(part)}`, 1, false);
    const value = Number(match[2]);
    if (value === 0) throw new UsageError("tab size cannot be 0", 1, false);
    if (match[1]) {
      every = value;
      relative = match[1] === "+";
    } else {
      if (stops.length > 0 && value <= stops[stops.length - 1]) {
        throw new UsageError("tab sizes must be ascending", 1, false);
      }
      stops.push(value);
    }
  }
  if (stops.length === 1 && every === 0) {
    const [size] = stops;
    return (column) => column + size - column % size;
  }
  const last = stops[stops.length - 1] ?? 0;
  return (column) => {
    const stop = stops.find((each) => each > column);
    if (stop !== undefined) return stop;
    if (every === 0) return undefined;
    const base = relative ? last : 0;
    return base + (Math.floor((column - base) / every) + 1) * every;
  };
}
