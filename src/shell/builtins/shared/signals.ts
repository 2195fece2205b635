/** Signals by name and number, the real-time ones included. */
import { SIGNALS } from "../../../lib/signals.ts";

const NAMES = new Map<number, string>(Object.entries(SIGNALS).map(([n, k]) => [k, n]));
for (let i = 0; i <= 15; i++) NAMES.set(34 + i, i === 0 ? "RTMIN" : `RTMIN+${i}`);
for (let i = 0; i <= 14; i++) NAMES.set(50 + i, i === 14 ? "RTMAX" : `RTMAX-${14 - i}`);

/** The name without SIG, from a name or a number; undefined where there is no such signal. */
export function signalName(given: string): string | undefined {
  if (/^[0-9]+$/.test(given)) return NAMES.get(Number(given));
  const upper = given.toUpperCase().replace(/^SIG/, "");
  if (upper in SIGNALS) return upper;
  if (upper === "IOT") return "ABRT";
  if (upper === "CLD") return "CHLD";
  if (upper === "POLL") return "IO";
  return [...NAMES.values()].includes(upper) ? upper : undefined;
}

export function signalNumber(name: string): number {
  for (const [n, k] of NAMES) if (k === name) return n;
  return 15;
}

/** The table of `kill -l` and `trap -l`. */
export function listSignals(): string {
  let out = "";
  let column = 0;
  for (const n of [...NAMES.keys()].sort((a, b) => a - b)) {
    out += `${String(n).padStart(2)}) SIG${NAMES.get(n)}`;
    out += ++column % 5 === 0 ? "\n" : "\t";
  }
  return out.replace(/\t?$/, "\n").replace(/\n\n$/, "\n");
}
