/**
 * Looks at what a program has written to a terminal: whether it has cleared
 * anything, and whether what had scrolled out stayed as it was, both in the
 * scrollback and before the eyes of somebody who has scrolled up in it.
 */
import headless from "@xterm/headless";

/** Clears the screen, its scrollback, or all that is visible from the first cell on. */
const CLEARS = /\x1b\[[23]J|\x1b\[(?:1;1)?H\x1b\[0?J/g;

/** How many sequences in it clear the screen or the scrollback. */
export function countClears(text: string): number {
  return text.match(CLEARS)?.length ?? 0;
}

export interface Replay {
  /** Writes a piece as the terminal got it. */
  write(piece: Uint8Array | string): Promise<void>;
  /** Notes what has scrolled out by now, and scrolls the view up by so many lines. */
  scrollUp(lines: number): void;
  /** Rows that have scrolled out by now. */
  readonly scrolledOut: number;
  /** What has changed of all that was noted: empty, where it stands as it stood. */
  changes(): string[];
}

/** A terminal of that size, into which a recording is written again. */
export function replayTerminal(columns: number, rows: number): Replay {
  const term = new headless.Terminal({
    cols: columns,
    rows,
    scrollback: 1_000_000,
    allowProposedApi: true,
  });
  const { normal } = term.buffer;
  const noted: string[] = [];
  const views: { readonly top: number; readonly lines: readonly string[] }[] = [];
  const line = (at: number) => normal.getLine(at)?.translateToString(true) ?? "";
  const seen = () => Array.from({ length: rows }, (_, i) => line(normal.viewportY + i));
  return {
    write: (piece) => new Promise((resolve) => term.write(piece, resolve)),
    scrollUp(lines) {
      for (let at = noted.length; at < normal.baseY; at++) noted.push(line(at));
      term.scrollToBottom();
      term.scrollLines(-lines);
      views.push({ top: normal.viewportY, lines: seen() });
    },
    get scrolledOut() {
      return normal.baseY;
    },
    changes() {
      const out: string[] = [];
      const view = views.at(-1);
      if (view !== undefined && normal.viewportY !== view.top) {
        out.push(`the view has moved from line ${view.top} to ${normal.viewportY}`);
      }
      // Only rows that had scrolled out: below them is the part that lives.
      view?.lines.forEach((text, i) => {
        const at = view.top + i;
        if (at < noted.length && line(at) !== text) out.push(`line ${at} was "${text}", is "${line(at)}"`);
      });
      noted.forEach((text, at) => {
        if (line(at) !== text) out.push(`line ${at} was "${text}", is "${line(at)}"`);
      });
      return [...new Set(out)];
    },
  };
}
