/**
 * Markdown for a terminal. A text that is still coming in is cut into blocks:
 * what lies before the last border will not change any more and can be drawn
 * once and for all, so that the work for each new word does not grow with the
 * length of the answer. Fenced code at the margin is drawn here, all else by
 * the terminal library.
 */
import { Markdown, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { stripControls } from "../../lib/text/control.ts";
import { canHighlight, highlightLines, loadHighlighter } from "./highlight.ts";
import { markdownTheme, type Theme } from "./theme.ts";

/** Lines of an open code block that are drawn anew with each piece; older ones are settled. */
const CODE_LINES = 40;

export interface Block {
  readonly kind: "text" | "code";
  readonly text: string;
  /** Where it ends in the whole text, its border included. */
  readonly end: number;
  readonly language: string;
  /** A piece of a longer block of code: which of its borders it has. */
  readonly opens: boolean;
  readonly closes: boolean;
}

/** What the splitter knows at a border. */
export interface Position {
  readonly at: number;
  /** Inside of a block of code: its language and fence, and whether its upper border is still to be drawn. */
  readonly fence?: { readonly language: string; readonly mark: string; readonly opens: boolean };
}

export const BEGIN: Position = { at: 0 };

/**
 * The blocks from a position on. `settled` are those that further text cannot
 * change, with the position after them; `rest` is what follows. With `whole`
 * there is no further text: everything is settled.
 */
export function splitBlocks(
  text: string,
  from: Position,
  whole: boolean,
): { readonly settled: Block[]; readonly rest: Block | undefined; readonly next: Position } {
  const settled: Block[] = [];
  let { at, fence } = from;
  let start = at;
  let opened = fence?.opens ?? true;
  let lines = 0;
  const textBlock = (end: number): Block => ({
    kind: "text",
    text: text.slice(start, end),
    end,
    language: "",
    opens: true,
    closes: true,
  });
  const codeBlock = (end: number, after: number, closes: boolean): Block => ({
    kind: "code",
    text: text.slice(start, end).replace(/\n$/, ""),
    end: after,
    language: fence!.language,
    opens: opened,
    closes,
  });
  while (at < text.length) {
    const lf = text.indexOf("\n", at);
    const end = lf < 0 ? text.length : lf;
    const next = lf < 0 ? text.length : lf + 1;
    const line = text.slice(at, end);
    const mark = /^(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/.exec(line);
    if (fence !== undefined) {
      if (mark !== null && mark[2] === "" && mark[1].startsWith(fence.mark) && (lf >= 0 || whole)) {
        settled.push(codeBlock(at, next, true));
        fence = undefined;
        start = next;
      } else if (lf >= 0 && ++lines >= CODE_LINES) {
        settled.push(codeBlock(next, next, false));
        opened = false;
        start = next;
        lines = 0;
      }
    } else if (mark !== null && (lf >= 0 || whole)) {
      if (text.slice(start, at).trim() !== "") settled.push(textBlock(at));
      fence = { language: mark[2].toLowerCase(), mark: mark[1], opens: true };
      opened = true;
      start = next;
      lines = 0;
    } else if (line.trim() === "" && lf >= 0 && beginsBlock(text, next)) {
      if (text.slice(start, at).trim() !== "") settled.push(textBlock(next));
      start = next;
    }
    at = next;
  }
  let rest: Block | undefined;
  if (fence !== undefined) rest = codeBlock(text.length, text.length, whole);
  else if (text.slice(start).trim() !== "") rest = textBlock(text.length);
  if (!whole) {
    return {
      settled,
      rest,
      next: fence === undefined ? { at: start } : { at: start, fence: { ...fence, opens: opened } },
    };
  }
  if (rest !== undefined) settled.push(rest);
  return { settled, rest: undefined, next: { at: text.length } };
}

/** Whether a line after a blank one begins something new for sure: no list goes on, nothing is indented. */
function beginsBlock(text: string, at: number): boolean {
  const line = /^[^\n]{0,40}/.exec(text.slice(at, at + 40))![0];
  return line !== "" && !/^(\s|[-*+>|]|\d{1,9}[.)]?|\[)/.test(line);
}

/** The lines of one block. `gap`: a blank line before it. */
export function blockLines(block: Block, width: number, theme: Theme): string[] {
  if (block.kind === "code") return codeLines(block, width, theme);
  const source = stripControls(block.text).replaceAll("\t", "    ");
  const lines = new Markdown(source.trim(), 0, 0, {
    ...markdownTheme(theme),
    highlightCode: (code, language) => highlightLines(code, language ?? "", theme),
  }).render(width);
  return lines.map((line) => line.replace(/ +$/, ""));
}

function codeLines(block: Block, width: number, theme: Theme): string[] {
  if (block.language !== "" && !canHighlight()) {
    void loadHighlighter().catch(() => {
      // Without it code is plain, which is no failure.
    });
  }
  const lines: string[] = [];
  if (block.opens) lines.push(theme.paint("muted", `╭─ ${block.language || "code"}`.slice(0, width)));
  const bar = theme.paint("muted", "│ ");
  const code = stripControls(block.text).replaceAll("\t", "    ");
  if (code !== "" || !block.opens) {
    for (const line of highlightLines(code, block.language, theme)) {
      for (const piece of wrapTextWithAnsi(line, Math.max(4, width - 2))) lines.push(bar + piece);
    }
  }
  if (block.closes) lines.push(theme.paint("muted", "╰─"));
  return lines;
}

/** A whole text. */
export function markdownLines(text: string, width: number, theme: Theme): string[] {
  const lines: string[] = [];
  for (const block of splitBlocks(text, BEGIN, true).settled) {
    if (lines.length > 0 && block.opens) lines.push("");
    lines.push(...blockLines(block, width, theme));
  }
  return lines;
}
