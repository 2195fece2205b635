/**
 * Draws on the main screen. What is finished is written once, above, and from
 * then on belongs to the terminal's scrollback: it is never touched again.
 * Below it stands the live part, never higher than the screen, of which only
 * the cells that differ are written. Panels that need room take the
 * alternate screen, so that nothing of the conversation is overwritten.
 *
 * Nothing here clears the screen or the scrollback; after a change of the
 * width, and on the user's wish, what is visible is drawn anew.
 */
import {
  type Component,
  type Terminal,
  truncateToWidth,
  TuiMainScreen,
  visibleWidth,
} from "@earendil-works/pi-tui";

export interface Frame {
  /** Lines that are finished, to be written above. */
  readonly commit: readonly string[];
  /** Not more than the screen has rows. */
  readonly live: readonly string[];
}

/** Where the lines come from. */
export interface FrameSource {
  frame(width: number, height: number): Frame;
  /** The last of the finished lines again, for a new width. */
  recent(width: number, rows: number): readonly string[];
}

/** A panel over the whole screen. */
export interface FullPanel extends Component {
  lines(width: number, height: number): readonly string[];
}

/** Lines that the chat keeps to scroll back in, on the alternate screen. */
const KEPT = 5000;
const SYNC_ON = "\x1b[?2026h";
const SYNC_OFF = "\x1b[?2026l";
const PICTURE = /\x1b_G|\x1b\]1337/;
const STYLE = /\x1b\[([\d;:]*)m/g;

export class Screen extends TuiMainScreen {
  readonly #source: FrameSource;
  /** The live lines as they stand on the screen. */
  #drawn: string[] = [];
  /** The row of `#drawn` where the cursor is, and its column after the last frame. */
  #row = 0;
  #column = -1;
  #width = 0;
  #height = 0;
  /** What is visible is to be drawn again as after a change of the width. */
  #anew = false;
  #panel: FullPanel | undefined;
  #panelDrawn: string[] | undefined;

  readonly #alternate: boolean;
  /** On the alternate screen: the finished lines, as far as one can scroll back. */
  #kept: string[] = [];
  #scrolled = 0;

  /** `alternate`: all is drawn on the alternate screen, which the chat scrolls itself. */
  constructor(terminal: Terminal, source: FrameSource, alternate: boolean) {
    super(terminal, true);
    this.#source = source;
    this.#alternate = alternate;
  }

  /** Scrolls on the alternate screen; elsewhere the terminal does. */
  scroll(rows: number): boolean {
    if (!this.#alternate) return false;
    this.#scrolled = Math.max(0, Math.min(this.#kept.length, this.#scrolled + rows));
    this.requestRender();
    return true;
  }

  get panel(): FullPanel | undefined {
    return this.#panel;
  }

  /** Shows a panel over the whole screen, or none. */
  showPanel(panel: FullPanel | undefined): void {
    this.#panel = panel;
    this.requestRender();
  }

  /** Takes the live part away, and leaves the cursor where a shell can go on. */
  protected override beforeTerminalStop(): void {
    this.#leavePanel();
    if (this.#alternate) {
      // What was said stays to be read after the end, as it does on the main screen.
      const last = this.#kept.slice(-this.#height);
      if (last.length > 0) this.terminal.write(last.map(closed).join("\r\n") + "\r\n");
      return;
    }
    this.terminal.write(`${up(this.#row)}\r\x1b[J`);
    this.#drawn = [];
    this.#row = 0;
  }

  /** All is drawn anew with the next frame: another program has used the terminal. */
  forget(): void {
    this.#drawn = [];
    this.#row = 0;
    this.#column = -1;
    this.#panelDrawn = undefined;
    this.requestRender();
  }

  /** The same on the user's wish, with the screen as it is now: something has been written over it. */
  redraw(): void {
    this.#anew = true;
    this.requestRender();
  }

  protected override doRender(): void {
    if (this.stopped) return;
    const width = this.terminal.columns;
    const height = this.terminal.rows;
    if (this.#panel !== undefined) return this.#drawFull(this.#panel.lines(width, height), height);
    if (this.#alternate) return this.#drawAlternate(width, height);
    this.#leavePanel();
    const widened = this.#anew || (this.#width !== 0 && this.#width !== width);
    this.#anew = false;
    const shrunk = this.#height > height && this.#drawn.length > height;
    const recent = widened ? this.#source.recent(width, height) : undefined;
    const frame = this.#source.frame(width, height);
    const live = fitted(this.resolveFakeCursors(frame.live), width);
    const cursor = this.extractCursorPosition(live, height);
    let out = "";
    let above: readonly string[] = fitted(frame.commit, width);
    if (widened) {
      // The terminal has wrapped its lines anew: where ours stand is not known any more.
      out = "\x1b[H\x1b[J";
      this.#drawn = [];
      this.#row = 0;
      const rows = height - live.length;
      above = rows <= 0 ? [] : [...fitted(recent ?? [], width), ...above].slice(-rows);
    } else if (shrunk) {
      out = `${up(height - 1)}\r\x1b[J`;
      this.#drawn = [];
      this.#row = 0;
    }
    out += this.#update(above, live, height);
    this.#width = width;
    this.#height = height;
    if (cursor !== null && (out !== "" || cursor.row !== this.#row || cursor.col !== this.#column)) {
      out += this.#moveTo(cursor.row) + `\x1b[${cursor.col + 1}G`;
      this.#column = cursor.col;
    }
    if (out !== "") this.terminal.write(SYNC_ON + out + SYNC_OFF);
    if (cursor !== null) this.#cursor(true);
    else this.#cursor(false);
  }

  #cursorShown = false;

  #cursor(shown: boolean): void {
    if (this.#cursorShown === shown) return;
    this.#cursorShown = shown;
    this.terminal.write(shown ? "\x1b[?25h" : "\x1b[?25l");
  }

  /** From the lines that stand there to the new ones; only what differs is written. */
  #update(above: readonly string[], live: readonly string[], height: number): string {
    const lines = above.length === 0 ? live : [...above, ...live];
    let drawn = this.#drawn;
    let out = "";
    let bottom = Math.max(0, drawn.length - 1);
    const tail = sharedTail(drawn, lines);
    const grown = lines.length - drawn.length;
    // Where lines come in or go, what stands below is pushed, not written again.
    const pushed = tail > 0 && grown !== 0 && tail + Math.abs(grown) <= height;
    for (let i = 0; i < lines.length; i++) {
      if (pushed && i === Math.min(lines.length, drawn.length) - tail && lines.length !== drawn.length) {
        if (grown > 0) {
          out += this.#moveTo(bottom) + "\r\n".repeat(grown);
          this.#row = bottom += grown;
          out += `${this.#moveTo(i)}\x1b[${grown}L`;
          drawn = [...drawn.slice(0, i), ...Array.from({ length: grown }, () => ""), ...drawn.slice(i)];
        } else {
          out += `${this.#moveTo(i)}\x1b[${-grown}M`;
          bottom += grown;
          drawn = [...drawn.slice(0, i), ...drawn.slice(i - grown)];
        }
      }
      const line = lines[i];
      if (i < drawn.length) {
        if (drawn[i] === line) continue;
        out += this.#moveTo(i) + change(drawn[i], line);
      } else {
        if (i > 0) {
          out += this.#moveTo(bottom) + "\r\n";
          bottom = i;
          this.#row = i;
        }
        out += closed(line);
      }
    }
    if (lines.length < drawn.length) {
      out += this.#moveTo(lines.length) + "\r\x1b[J";
      if (lines.length > 0) out += this.#moveTo(lines.length - 1);
    }
    this.#drawn = [...live];
    // Rows are counted from the first live line from here on.
    this.#row -= above.length;
    return out;
  }

  #moveTo(row: number): string {
    const out = row < this.#row ? up(this.#row - row) : row > this.#row ? `\x1b[${row - this.#row}B` : "";
    this.#row = row;
    return out;
  }

  #drawAlternate(width: number, height: number): void {
    if (this.#width !== 0 && this.#width !== width) this.#kept = [...this.#source.recent(width, KEPT)];
    const { commit, live } = this.#source.frame(width, height);
    this.#kept.push(...commit);
    if (this.#kept.length > KEPT * 2) this.#kept.splice(0, this.#kept.length - KEPT);
    this.#width = width;
    this.#height = height;
    const end = this.#kept.length - this.#scrolled;
    const room = Math.max(0, height - live.length);
    this.#drawFull([...this.#kept.slice(Math.max(0, end - room), end), ...live], height);
  }

  #drawFull(all: readonly string[], height: number): void {
    const lines = fitted(this.resolveFakeCursors(all.slice(0, height)), this.terminal.columns);
    const cursor = this.extractCursorPosition(lines, height);
    let out = "";
    if (this.#panelDrawn === undefined) {
      // Switching over clears the other screen, which has no scrollback.
      out += "\x1b[?1049h\x1b[H\x1b[J";
      this.#panelDrawn = [];
    }
    const drawn = this.#panelDrawn;
    for (let i = 0; i < Math.max(lines.length, drawn.length); i++) {
      const line = lines[i] ?? "";
      if (drawn[i] === line) continue;
      out += `\x1b[${i + 1};1H\x1b[2K${closed(line)}`;
    }
    this.#panelDrawn = lines;
    if (cursor !== null) out += `\x1b[${cursor.row + 1};${cursor.col + 1}H`;
    if (out !== "") this.terminal.write(SYNC_ON + out + SYNC_OFF);
    this.#cursor(cursor !== null);
  }

  #leavePanel(): void {
    if (this.#panelDrawn === undefined) return;
    this.#panelDrawn = undefined;
    this.#column = -1;
    this.terminal.write("\x1b[?1049l");
  }
}

/**
 * No line may run over into the next row, or all that is counted in rows is
 * wrong from there on: what is too wide in spite of everything is cut.
 */
function fitted(lines: readonly string[], width: number): string[] {
  return lines.map((line) =>
    line.length * 2 <= width || PICTURE.test(line) || visibleWidth(line) <= width
      ? line
      : truncateToWidth(line, width, "…")
  );
}

const up = (rows: number) => rows > 0 ? `\x1b[${rows}A` : "";

/** The line, and after it the terminal's own style. */
function closed(line: string): string {
  return line.includes("\x1b") ? `${line}\x1b[0m` : line;
}

/** What turns a line that stands on the screen into another. The cursor is in its row. */
function change(old: string, line: string): string {
  const same = sharedStart(old, line);
  const end = sharedEnd(old, line, same);
  if (end > 0) {
    // Only some cells in the middle differ, and as many stand there as come.
    const prefix = line.slice(0, same);
    const middle = line.slice(same, line.length - end);
    return `\x1b[${visibleWidth(prefix) + 1}G${openStyles(prefix)}${middle}\x1b[0m`;
  }
  if (same === 0) return `\r\x1b[2K${closed(line)}`;
  const prefix = line.slice(0, same);
  const rest = line.slice(same);
  const column = visibleWidth(prefix);
  const erase = visibleWidth(old) > visibleWidth(line) ? "\x1b[K" : "";
  return `\x1b[${column + 1}G${erase}${openStyles(prefix)}${closed(rest)}${
    rest.includes("\x1b") || !prefix.includes("\x1b") ? "" : "\x1b[0m"
  }`;
}

/** How many lines at the end of both are the same. */
function sharedTail(old: readonly string[], lines: readonly string[]): number {
  const end = Math.min(old.length, lines.length);
  let same = 0;
  while (same < end && old[old.length - 1 - same] === lines[lines.length - 1 - same]) same++;
  return same;
}

/** Characters that two lines have in common at their beginning, not ending within a sequence or a character of several. */
function sharedStart(old: string, line: string): number {
  // Links and images are no matter of cells alone.
  if (old.includes("\x1b]") || line.includes("\x1b]") || line.includes("\x1b_") || old.includes("\x1b_")) {
    return 0;
  }
  const end = Math.min(old.length, line.length);
  let same = 0;
  while (same < end && old.charCodeAt(same) === line.charCodeAt(same)) same++;
  // What stands on both sides of the border must be plain, or a sign would be taken apart.
  const plain = (text: string, at: number) => {
    const code = text.charCodeAt(at);
    // Frames and the dots of the spinner join with nothing, either.
    return at >= text.length || code < 0x300 || (code >= 0x2500 && code < 0x25a0) ||
      (code >= 0x2800 && code < 0x2900);
  };
  while (same > 0 && !(plain(line, same - 1) && plain(line, same) && plain(old, same))) same--;
  const escape = line.lastIndexOf("\x1b", same - 1);
  if (escape >= 0 && !/^\x1b\[[\d;:]*[A-Za-z]/.test(line.slice(escape, same))) return escape;
  return same;
}

/** Characters at the end that need not be written again, since what differs before them is plain and as wide; 0: none. */
function sharedEnd(old: string, line: string, start: number): number {
  if (old.length !== line.length || start === 0) return 0;
  let end = line.length;
  while (end > start && old.charCodeAt(end - 1) === line.charCodeAt(end - 1)) end--;
  const plain = /^[\x20-\x7e\u2800-\u28ff]*$/;
  if (!plain.test(old.slice(start, end)) || !plain.test(line.slice(start, end))) return 0;
  // Parameters of a sequence look plain: the middle must stand outside of one, and no sign may join it.
  const escape = line.lastIndexOf("\x1b", end - 1);
  if (escape >= 0 && !/^\x1b\[[\d;:]*[A-Za-z]/.test(line.slice(escape, end))) return 0;
  return line.charCodeAt(end) < 0x300 ? line.length - end : 0;
}

/** The styles that hold at the end of a text. */
function openStyles(text: string): string {
  let open = "";
  for (const [sequence, codes] of text.matchAll(STYLE)) {
    open = codes === "" || codes === "0" ? "" : open + sequence;
  }
  return open;
}
