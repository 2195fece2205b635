/** Reading up to a delimiter; what was read beyond it is put back. */
import type { Run } from "../../expand/config.ts";
import { decodeBytes } from "../../../lib/text/bytes.ts";
import type { Description } from "../../run/fds.ts";
import type { Shell } from "../../run/shell.ts";

export interface Line {
  readonly text: string;
  /** Per UTF-16 unit: was escaped by a backslash. Absent where none was. */
  readonly escaped: boolean[] | undefined;
  /** The delimiter (or the count) was reached. */
  readonly ended: boolean;
}

const CHUNK = 1 << 12;
/** Buffers that no read uses now: reads of several commands may wait at once. */
const free: Uint8Array[] = [];

export class LineReader {
  constructor(readonly input: Description) {}

  /** `raw`: backslashes are plain. `count`: at most so many characters. */
  *read(
    sh: Shell,
    delimiter: number,
    raw: boolean,
    count: number | undefined,
    timeout?: number,
  ): Run<Line | "timeout"> {
    const buffer = free.pop() ?? new Uint8Array(CHUNK);
    const line = yield* this.#read(sh, buffer, delimiter, raw, count, timeout);
    // A read that was given up still goes into its buffer.
    if (line !== "timeout") free.push(buffer);
    return line;
  }

  *#read(
    sh: Shell,
    buffer: Uint8Array,
    delimiter: number,
    raw: boolean,
    count: number | undefined,
    timeout: number | undefined,
  ): Run<Line | "timeout"> {
    const bytes: number[] = [];
    const marks: number[] = [];
    let escape = false;
    let characters = 0;
    let need = 0;
    const until = timeout === undefined ? undefined : sh.host.now() + timeout * 1000;
    if (count === 0) return { text: "", escaped: undefined, ended: true };
    for (;;) {
      const into = count === undefined ? buffer : buffer.subarray(0, Math.min(CHUNK, count - characters));
      const step = this.input.read(into);
      let n: number;
      if (step instanceof Promise) {
        n = until === undefined ? (yield step) as number : (yield Promise.race([
          step,
          sh.host.sleep(Math.max(0, until - sh.host.now())).then(() => -1),
        ])) as number;
        if (n === -1) {
          this.input.abandon(step, into);
          return "timeout";
        }
      } else n = step;
      if (n === 0) return { ...finish(bytes, marks), ended: false };
      for (let i = 0; i < n; i++) {
        const b = into[i];
        if (escape) {
          escape = false;
          if (b === 10) continue;
          marks.push(bytes.length);
          bytes.push(b);
        } else if (b === delimiter) {
          this.input.unread(into.subarray(i + 1, n));
          return { ...finish(bytes, marks), ended: true };
        } else if (b === 92 && !raw) {
          escape = true;
          continue;
        } else if (b === 0) continue;
        else bytes.push(b);
        if (count !== undefined) {
          if (need > 0) need--;
          else need = b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : b >= 0xc0 ? 1 : 0;
          if (need === 0 && ++characters >= count) {
            this.input.unread(into.subarray(i + 1, n));
            return { ...finish(bytes, marks), ended: true };
          }
        }
      }
      sh.poll();
    }
  }
}

function finish(bytes: number[], marks: number[]): { text: string; escaped: boolean[] | undefined } {
  const text = decodeBytes(Uint8Array.from(bytes));
  if (marks.length === 0) return { text, escaped: undefined };
  const escaped: boolean[] = [];
  if (text.length === bytes.length) { for (const m of marks) escaped[m] = true; }
  else {
    // Marks are counted in bytes: find the unit each belongs to.
    for (const m of marks) escaped[decodeBytes(Uint8Array.from(bytes.slice(0, m))).length] = true;
  }
  return { text, escaped };
}
