/**
 * Tells pastes from typing in what a terminal sends. Between the marks of
 * bracketed paste everything is a paste. Without them (a terminal or a
 * multiplexer that does not know them) a line end in the middle of what comes
 * in one breath is a paste too: nobody types a line end and more text within
 * a few milliseconds, and a draft that is sent line by line is beyond help.
 */

const START = "\x1b[200~";
const END = "\x1b[201~";
/** Silence that ends a paste without marks. */
const SILENCE_MS = 40;
/** Text and a line end this close together may be the beginning of a paste. */
const BREATH_MS = 8;

export interface Clock {
  now(): number;
  /** Calls back after that time, unless the answer is called before. */
  after(ms: number, call: () => void): () => void;
}

export interface InputBursts {
  push(chunk: string): void;
}

/** `typed` gets keys as they come, `pasted` whole pastes. */
export function createInputBursts(
  typed: (text: string) => void,
  pasted: (text: string) => void,
  clock: Clock,
): InputBursts {
  /** Pieces of a paste with marks; undefined: none is going on. */
  let marked: string[] | undefined;
  /** What may be, or is, a paste without marks. */
  let held: string[] = [];
  let stopTimer: (() => void) | undefined;
  let lastText = -Infinity;

  function hold(chunk: string): void {
    held.push(chunk);
    stopTimer?.();
    stopTimer = clock.after(SILENCE_MS, release);
  }

  function release(): void {
    stopTimer?.();
    stopTimer = undefined;
    if (held.length === 0) return;
    const text = held.join("");
    held = [];
    if (/[\r\n][^]/.test(text.replace(/\r\n$/, "\n"))) pasted(text);
    else typed(text);
  }

  function endOfMarked(chunk: string): void {
    marked!.push(chunk);
    // The end mark may be cut by a border between chunks.
    const tail = marked!.slice(-3).join("");
    if (!tail.includes(END)) return;
    const all = marked!.join("");
    const end = all.lastIndexOf(END);
    marked = undefined;
    pasted(all.slice(0, end));
    if (end + END.length < all.length) push(all.slice(end + END.length));
  }

  function push(chunk: string): void {
    if (chunk === "") return;
    if (marked !== undefined) return endOfMarked(chunk);
    const start = chunk.indexOf(START);
    if (start >= 0) {
      if (start > 0) push(chunk.slice(0, start));
      release();
      marked = [];
      return endOfMarked(chunk.slice(start + START.length));
    }
    if (chunk.includes("\x1b")) {
      release();
      typed(chunk);
      return;
    }
    const now = clock.now();
    const breath = now - lastText < BREATH_MS;
    const lineEnd = /[\r\n]/.test(chunk);
    if (!lineEnd) lastText = now;
    const alone = chunk === "\r" || chunk === "\n";
    if (held.length > 0 || (lineEnd && (!alone || breath))) return hold(chunk);
    typed(chunk);
  }

  return { push };
}
