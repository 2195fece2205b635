/**
 * The lines of one item of the conversation. Pure: from an item, a width and
 * a theme; everything that came from outside is stripped here. `detail` is
 * the unfolded form, for the panel that shows the whole conversation.
 */
import { getCapabilities, getImageDimensions, renderImage, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { View } from "../../engine/event.ts";
import { counted } from "../../lib/text/count.ts";
import { foldProgress, oneLine, stripControls } from "../../lib/text/control.ts";
import { fitCells } from "../../lib/text/width.ts";
import { callTitle, failureLines, outcome } from "../shared/tool_view.ts";
import type { CallItem, Item, LineItem, ShellItem, UserItem } from "../shared/transcript.ts";
import { markdownLines } from "./markdown.ts";
import type { Theme } from "./theme.ts";

export interface ViewOptions {
  readonly width: number;
  readonly theme: Theme;
  /** Everything unfolded. */
  readonly detail: boolean;
  /** Thinking is shown, not only named. */
  readonly thinking: boolean;
  /** Pictures are drawn, where the terminal shows them: only in lines that are written once. */
  readonly pictures?: boolean;
  /** A frame of the spinner, for what is running. */
  readonly spin: string;
}

/** Lines of a diff or of output that are shown folded. */
const DIFF = 16;
const OUTPUT = 5;
const FILES = 6;

/** Whether a blank line stands before an item. */
export function gapBefore(before: Item | undefined, item: Item): boolean {
  if (before === undefined) return false;
  const small = (one: Item) => one.kind === "call" || one.kind === "info" || one.kind === "thinking";
  return !(small(before) && small(item)) && item.kind !== "end";
}

/** The lines of an item, without the gap before it. */
export function itemLines(item: Item, options: ViewOptions): string[] {
  const { width, theme } = options;
  switch (item.kind) {
    case "user":
      return userLines(item, options);
    case "answer":
      return markdownLines(item.text, width, theme);
    case "thinking":
      return thinkingLines(item.text, item.done, options);
    case "call":
      return callLines(item, options);
    case "shell":
      return shellLines(item, options);
    case "end":
      return [];
    default:
      return plainLines(item, options);
  }
}

/** Lines of a prompt that are shown folded, and at most: a paste may be a whole file. */
const SAID = 16;
const SAID_UNFOLDED = 2000;

function userLines(item: UserItem, { width, theme, detail }: ViewOptions): string[] {
  const limit = detail ? SAID_UNFOLDED : SAID;
  const all = stripControls(item.text).split("\n");
  const text = all.slice(0, limit).map((line) => line.slice(0, width * limit)).join("\n");
  const wrapped = hanging(theme.paint("user", "› "), text, width);
  const lines = wrapped.slice(0, limit);
  const more = all.length - limit > 0 ? all.length - limit : wrapped.length - limit;
  if (more > 0) lines.push(theme.paint("muted", `  … ${counted(more, "more line")}`));
  if (item.images > 0) lines.push(theme.paint("muted", `  ${imageCount(item.images)}`));
  return lines;
}

const imageCount = (count: number) => `[${counted(count, "image")}]`;

function plainLines(item: LineItem, { width, theme }: ViewOptions): string[] {
  const [role, mark] = item.kind === "error"
    ? ["error", "✗ "] as const
    : item.kind === "warning"
    ? ["warning", "! "] as const
    : ["muted", "· "] as const;
  const lines = hanging(theme.paint(role, mark), stripControls(item.text), width);
  if (item.kind === "info") {
    return hanging(mark, stripControls(item.text), width).map((line) => theme.paint("muted", line));
  }
  if (item.hint !== undefined) lines.push(...hanging("  ", stripControls(item.hint), width));
  return lines;
}

/** A text with a mark before its first line, and as much room before the others. */
function hanging(mark: string, text: string, width: number): string[] {
  const lines = text.replaceAll("\t", "    ").split(/\r?\n/).flatMap((line) =>
    wrapTextWithAnsi(line, Math.max(4, width - 2))
  );
  return lines.map((line, i) => (i === 0 ? mark : "  ") + line);
}

function thinkingLines(
  text: string,
  done: boolean,
  { width, theme, detail, thinking }: ViewOptions,
): string[] {
  const clean = stripControls(text).trim();
  if (!detail && !thinking) {
    const words = clean.split(/\s+/).length;
    if (done) return [theme.paint("muted", `∴ thought, ${counted(words, "word")}`)];
    const last = clean.slice(clean.lastIndexOf("\n") + 1);
    return [theme.paint("muted", fitCells(`∴ ${oneLine(last, 400)}`, width))];
  }
  return clean.split("\n").flatMap((line) => wrapTextWithAnsi(line, Math.max(4, width - 2)))
    .map((line, i) => theme.paint("muted", `${i === 0 ? "∴ " : "  "}${line}`));
}

function callLines(item: CallItem, options: ViewOptions): string[] {
  const { width, theme, detail, spin } = options;
  const mark = !item.done
    ? theme.paint("accent", spin)
    : item.denied
    ? theme.paint("warning", "⊘")
    : item.isError
    ? theme.paint("error", "✗")
    : theme.paint("success", "●");
  const tail = tailOf(item);
  const name = oneLine(item.name, 40);
  const room = width - name.length - 3 - (tail === "" ? 0 : tail.length + 3);
  const title = fitCells(callTitle(item.args, 400), Math.max(0, room));
  const head = `${mark} ${theme.bold(name)}${title === "" ? "" : ` ${title}`}${
    tail === "" ? "" : theme.paint("muted", ` (${tail})`)
  }`;
  const below = detail ? detailLines(item, options) : foldedLines(item, options);
  const pictures = options.pictures ? item.images.flatMap((image) => pictureLines(image, width)) : [];
  return [head, ...below.map((line) => `  ${line}`), ...pictures];
}

/** Rows that a picture takes at most. */
const PICTURE_ROWS = 14;

/**
 * Empty lines, and a last one that draws the picture over them: so the rows
 * are there, whatever had to scroll for them. None where the terminal shows
 * no pictures, or not of this kind.
 */
function pictureLines(image: { readonly mediaType: string; readonly data: string }, width: number): string[] {
  const { images } = getCapabilities();
  if (!images || (images === "kitty" && image.mediaType !== "image/png")) return [];
  if (!/^[A-Za-z0-9+/=]*$/.test(image.data)) return [];
  const size = getImageDimensions(image.data, image.mediaType);
  if (size === null) return [];
  const drawn = renderImage(image.data, size, {
    maxWidthCells: Math.min(60, width - 2),
    maxHeightCells: PICTURE_ROWS,
    moveCursor: false,
  });
  if (drawn === null) return [];
  const above = drawn.rows - 1;
  const up = above === 0 ? "" : `\x1b[${above}A`;
  return [...Array.from({ length: above }, () => ""), `\x1b7${up}${drawn.sequence}\x1b8`];
}

function tailOf(item: CallItem): string {
  if (!item.done) return "";
  const parts = [
    outcome({
      parts: [],
      isError: item.isError,
      ...(item.view === undefined ? {} : { view: item.view }),
      ...(item.denied ? { denied: "" } : {}),
    }),
    item.images.length === 0 ? "" : imageCount(item.images.length).slice(1, -1),
    item.durationMs !== undefined && item.durationMs >= 1000
      ? `${(item.durationMs / 1000).toFixed(1)} s`
      : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function foldedLines(item: CallItem, options: ViewOptions): string[] {
  const { width, theme } = options;
  const room = width - 2;
  if (!item.done) return outputTail(item.output, OUTPUT, room, theme);
  const { view } = item;
  if (item.isError) {
    const result = {
      parts: [{ type: "text" as const, text: item.result }],
      isError: true,
      ...(view === undefined ? {} : { view }),
      ...(item.denied ? { denied: "" } : {}),
    };
    const lines = view?.type === "command" ? outputTail(item.result, OUTPUT, room, theme) : [];
    return lines.length > 0
      ? lines
      : failureLines(result, room).map((line) => theme.paint("muted", fitCells(line, room)));
  }
  switch (view?.type) {
    case "diff":
      return cut(diffLines(view.diff, room, theme), DIFF, theme);
    case "todo":
      return todoLines(view, room, theme);
    case "files":
      return cut(
        view.paths.map((path) => theme.paint("muted", fitCells(oneLine(path, 400), room))),
        FILES,
        theme,
      );
    case "command":
      return outputTail(item.result, OUTPUT, room, theme);
    default:
      return shortResult(item.result, room, theme);
  }
}

/** A result of one short line says all by itself, such as an answer that was asked for. */
function shortResult(result: string, room: number, theme: Theme): string[] {
  const text = result.trim();
  if (text === "" || text.length > 200 || /[\r\n]/.test(text)) return [];
  return [theme.paint("muted", fitCells(oneLine(text, 200), room))];
}

function detailLines(item: CallItem, { width, theme }: ViewOptions): string[] {
  const room = width - 2;
  const wrap = (text: string) =>
    foldProgress(stripControls(text)).replaceAll("\t", "    ").split("\n").flatMap((line) =>
      wrapTextWithAnsi(line, room)
    );
  const args = Object.entries(typeof item.args === "object" && item.args !== null ? item.args : {})
    .flatMap(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      const [first = "", ...rest] = wrap(text);
      return [
        theme.paint("muted", `${oneLine(name, 40)}: `) + fitCells(first, Math.max(4, room - name.length - 2)),
        ...rest,
      ];
    });
  const lines = [...args];
  if (item.view?.type === "diff") lines.push(...diffLines(item.view.diff, room, theme));
  else if (item.view?.type === "todo") lines.push(...todoLines(item.view, room, theme));
  const text = item.done ? item.result : item.output;
  if (text.trim() !== "") {
    lines.push(theme.paint("muted", "─".repeat(Math.min(room, 20))), ...wrap(text.trimEnd()));
  }
  return lines;
}

function shellLines(item: ShellItem, { width, theme, detail }: ViewOptions): string[] {
  const state = item.status === undefined || item.status === 0
    ? ""
    : theme.paint("error", ` exit ${item.status}`);
  const kept = item.told ? "" : theme.paint("muted", " (the model is not told)");
  const head = theme.paint("accent", "$ ") + fitCells(oneLine(item.command, 400), Math.max(4, width - 34)) +
    kept + state;
  const lines = outputTail(item.output, detail ? 2000 : 20, width - 2, theme);
  return [head, ...lines.map((line) => `  ${line}`)];
}

/** The last lines of what a program has put out, with how many are not shown. */
function outputTail(output: string, limit: number, width: number, theme: Theme): string[] {
  const text = foldProgress(stripControls(output)).replaceAll("\t", "    ").trimEnd();
  if (text === "") return [];
  const all = text.split("\n");
  // A line may be as long as the whole output: only its beginning is looked at.
  const shown = all.slice(-limit).map((line) =>
    theme.paint("muted", fitCells(line.slice(0, width * 8), width))
  );
  if (all.length > limit) {
    shown.unshift(theme.paint("muted", fitCells(`… ${counted(all.length - limit, "more line")}`, width)));
  }
  return shown;
}

function todoLines(view: Extract<View, { type: "todo" }>, width: number, theme: Theme): string[] {
  return view.items.map(({ text, state }) => {
    const line = fitCells(
      `${state === "done" ? "✓" : state === "active" ? "▸" : "○"} ${oneLine(text, 400)}`,
      width,
    );
    return state === "done" ? theme.paint("muted", line) : state === "active" ? theme.bold(line) : line;
  });
}

function diffLines(diff: string, width: number, theme: Theme): string[] {
  return stripControls(diff).replaceAll("\t", "    ").split("\n")
    .filter((line) => line !== "" && !/^(---|\+\+\+|Index:|={3}|\\ No newline)/.test(line))
    .map((line) => {
      const text = fitCells(line.slice(0, width * 8), width);
      return line.startsWith("@@")
        ? theme.paint("accent", text)
        : line.startsWith("+")
        ? theme.paint("added", text)
        : line.startsWith("-")
        ? theme.paint("removed", text)
        : theme.paint("muted", text);
    });
}

function cut(lines: string[], limit: number, theme: Theme): string[] {
  if (lines.length <= limit) return lines;
  return [...lines.slice(0, limit), theme.paint("muted", `… ${counted(lines.length - limit, "more line")}`)];
}
