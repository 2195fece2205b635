/**
 * Draws tool calls and their results for people, from what every tool gives:
 * arguments and view data. No tool is known by name here.
 */
import type { ToolResult, View } from "../../engine/event.ts";
import { oneLine, stripControls } from "../../lib/text/control.ts";
import { counted } from "../../lib/text/count.ts";
import { wrapWords } from "../../lib/text/width.ts";
import type { Style } from "./style.ts";

/** What a call is about, in a few words: its first text argument. */
export function callTitle(args: unknown, limit: number): string {
  if (typeof args !== "object" || args === null) return "";
  for (const value of Object.values(args)) {
    if (typeof value === "string" && value !== "") return oneLine(value, limit);
  }
  return "";
}

/** Lines below a call's line: a diff in colour, the todo list. Most views are only worth their line. */
export function viewLines(view: View | undefined, style: Style, limit: number): string[] {
  switch (view?.type) {
    case "diff":
      return cut(diffLines(view.diff, style), limit, style);
    case "todo":
      return view.items.map(({ text, state }) =>
        state === "done"
          ? style.dim(`✓ ${oneLine(text, 200)}`)
          : `${state === "active" ? "▸" : "·"} ${oneLine(text, 200)}`
      );
    default:
      return [];
  }
}

/** A short word on the outcome, shown at the end of a call's line. */
export function outcome(result: ToolResult): string {
  const { view } = result;
  if (result.denied !== undefined) return "denied";
  switch (view?.type) {
    case "diff":
      return `+${view.added} -${view.removed}`;
    case "files":
      return counted(view.paths.length, "file");
    case "command":
      return view.signal !== undefined ? view.signal : view.status === 0 ? "" : `exit ${view.status}`;
    default:
      return result.isError ? "failed" : "";
  }
}

/** What went wrong: the first line, or the last that a command printed; a refusal whole, since its end is the remedy. */
export function failureLines(result: ToolResult, width: number): string[] {
  const text = result.parts.find((part) => part.type === "text")?.text ?? "";
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !/^\[.*\]$/.test(line));
  const line = result.view?.type === "command" ? lines.at(-1) : lines[0];
  if (line === undefined) return [];
  const refused = result.denied !== undefined || /not allowed/i.test(line);
  return refused ? wrapWords(oneLine(line, 600), width) : [oneLine(line, width)];
}

function diffLines(diff: string, style: Style): string[] {
  return stripControls(diff).split("\n").filter((line) =>
    line !== "" && !/^(---|\+\+\+|Index:|={3})/.test(line)
  ).map((line) => {
    if (line.startsWith("@@")) return style.cyan(line);
    if (line.startsWith("+")) return style.green(line);
    if (line.startsWith("-")) return style.red(line);
    return style.dim(line);
  });
}

function cut(lines: string[], limit: number, style: Style): string[] {
  if (lines.length <= limit) return lines;
  return [...lines.slice(0, limit), style.dim(`… ${counted(lines.length - limit, "more line")}`)];
}
