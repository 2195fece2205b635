/** A panel to read: the whole conversation with everything unfolded, or a text. Only what is visible is laid out. */
import { Input, matchesKey } from "@earendil-works/pi-tui";
import { fitCells } from "../../../lib/text/width.ts";
import type { FullPanel } from "../screen.ts";
import type { Theme } from "../theme.ts";

export interface ViewerOptions {
  readonly title: string;
  /** How many pieces there are. */
  count(): number;
  /** The lines of one piece. */
  piece(index: number, width: number): readonly string[];
  /** What a piece is searched for. */
  search(index: number): string;
  /** Where to begin: at the end, or at the top. */
  readonly from: "end" | "top";
  close(): void;
  changed(): void;
  theme(): Theme;
}

export interface Viewer extends FullPanel {
  handleInput(data: string): void;
}

export function createViewer(options: ViewerOptions): Viewer {
  /** The piece at the upper margin, and the first of its lines that is shown. */
  let top = { piece: 0, line: 0 };
  let atEnd = options.from === "end";
  let width = 80;
  let height = 24;
  let searching: Input | undefined;
  let query = "";
  let note = "";
  const cache = new Map<number, { width: number; lines: readonly string[] }>();

  function linesOf(index: number): readonly string[] {
    const known = cache.get(index);
    // What stands at the end may still change.
    if (known?.width === width && index < options.count() - 8) return known.lines;
    const lines = options.piece(index, width);
    if (cache.size > 400) cache.clear();
    cache.set(index, { width, lines });
    return lines;
  }

  /** The place so many lines further down (or up), as far as there are any. */
  function moved(from: { piece: number; line: number }, by: number): { piece: number; line: number } {
    let { piece, line } = from;
    while (by > 0) {
      const left = linesOf(piece).length - 1 - line;
      if (by <= left) return { piece, line: line + by };
      if (piece >= options.count() - 1) return { piece, line: Math.max(0, linesOf(piece).length - 1) };
      by -= left + 1;
      piece++;
      line = 0;
      if (linesOf(piece).length === 0 && by === 0) break;
    }
    while (by < 0) {
      if (-by <= line) return { piece, line: line + by };
      if (piece === 0) return { piece, line: 0 };
      by += line + 1;
      piece--;
      line = Math.max(0, linesOf(piece).length - 1);
      if (by === 0) break;
    }
    return { piece, line };
  }

  function endTop(room: number): { piece: number; line: number } {
    const last = Math.max(0, options.count() - 1);
    return moved({ piece: last, line: Math.max(0, linesOf(last).length - 1) }, -(room - 1));
  }

  function find(direction: 1 | -1): void {
    if (query === "") return;
    const wanted = query.toLowerCase();
    for (let i = top.piece + direction; i >= 0 && i < options.count(); i += direction) {
      if (!options.search(i).toLowerCase().includes(wanted)) continue;
      top = { piece: i, line: 0 };
      atEnd = false;
      note = "";
      return;
    }
    note = `no further "${query}"`;
  }

  const viewer: Viewer = {
    invalidate: () => cache.clear(),
    render: (columns) => [...viewer.lines(columns, 24)],
    handleInput(data) {
      if (searching !== undefined) {
        searching.handleInput(data);
        return options.changed();
      }
      const room = height - 2;
      note = "";
      const go = (by: number) => {
        if (atEnd) top = endTop(room);
        atEnd = false;
        top = moved(top, by);
        const end = endTop(room);
        if (top.piece > end.piece || (top.piece === end.piece && top.line >= end.line)) atEnd = true;
      };
      if (
        matchesKey(data, "escape") || data === "q" || matchesKey(data, "ctrl+c") || matchesKey(data, "ctrl+o")
      ) {
        return options.close();
      }
      if (matchesKey(data, "up") || data === "k") go(-1);
      else if (matchesKey(data, "down") || data === "j") go(1);
      else if (matchesKey(data, "pageUp") || matchesKey(data, "ctrl+u")) go(-(room - 1));
      else if (matchesKey(data, "pageDown") || matchesKey(data, "space")) go(room - 1);
      else if (matchesKey(data, "home") || data === "g") {
        top = { piece: 0, line: 0 };
        atEnd = false;
      } else if (matchesKey(data, "end") || data === "G") atEnd = true;
      else if (data === "n") find(1);
      else if (data === "N") find(-1);
      else if (data === "/") {
        const input = new Input({ prompt: "/" });
        input.focused = true;
        input.onSubmit = (text) => {
          query = text;
          searching = undefined;
          if (atEnd) top = { piece: -1, line: 0 };
          find(1);
          if (top.piece < 0) top = { piece: 0, line: 0 };
        };
        input.onEscape = () => searching = undefined;
        searching = input;
      }
      options.changed();
    },
    lines(columns, rows) {
      if (columns !== width) cache.clear();
      [width, height] = [columns, rows];
      const theme = options.theme();
      const room = rows - 2;
      if (atEnd) top = endTop(room);
      const lines: string[] = [theme.bold(fitCells(options.title, width))];
      for (let piece = top.piece; piece < options.count() && lines.length <= room; piece++) {
        const all = linesOf(piece);
        for (let i = piece === top.piece ? top.line : 0; i < all.length && lines.length <= room; i++) {
          lines.push(all[i]);
        }
      }
      while (lines.length <= room) lines.push("");
      if (searching !== undefined) lines.push(...searching.render(width));
      else {lines.push(
          theme.paint("muted", fitCells(note || "↑↓ PgUp PgDn scroll · / search · n next · Esc back", width)),
        );}
      return lines;
    },
  };
  return viewer;
}
