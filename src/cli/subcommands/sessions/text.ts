/** A session as plain text for a terminal. */
import { counted } from "../../../lib/text/count.ts";
import { oneLine, stripControls } from "../../../lib/text/control.ts";
import {
  describeDamage,
  type SessionView,
  shortId,
  transcript,
  type TranscriptItem,
} from "../../../session/mod.ts";

/** Lines of a result that are shown. */
const RESULT_LINES = 12;

/** What was said and done, in order, each with the end of its entry's id. */
export function toText(session: SessionView): string {
  const head = [
    `session ${session.id}`,
    `folder  ${session.cwd}`,
    `file    ${session.file ?? "(not kept)"}`,
    ...session.damages.map((damage) => `damage  ${describeDamage(damage)}`),
  ];
  return [head.map(stripControls).join("\n"), ...transcript(session).flatMap(block)].join("\n\n");
}

function block(item: TranscriptItem): string[] {
  switch (item.type) {
    case "user":
      return [`${shortId(item.entryId)} user\n${indent(item.text)}${pictures(item.images)}`];
    case "assistant":
      return item.text === ""
        ? []
        : [`${shortId(item.entryId)} ${oneLine(item.model, 80)}\n${indent(item.text)}`];
    case "note":
      return [`${shortId(item.entryId)} note\n${indent(item.text)}`];
    case "call": {
      const { result } = item;
      const state = result === undefined ? " (no result)" : result.isError ? " (failed)" : "";
      const title = `-> ${oneLine(item.name, 60)} ${oneLine(item.arguments, 120)}${state}`;
      return [
        result === undefined ? title : `${title}\n${indent(head(result.text))}${pictures(result.images)}`,
      ];
    }
    case "run_end":
      return item.reason === "stop"
        ? []
        : [`run ended: ${oneLine(`${item.reason} ${item.error ?? ""}`, 200)}`];
  }
}

const indent = (text: string) =>
  stripControls(text).trimEnd().split("\n").map((line) => `  ${line}`).join("\n");

const pictures = (count: number) => count === 0 ? "" : `\n  [${counted(count, "image")}]`;

function head(text: string): string {
  const lines = text.trimEnd().split("\n");
  if (lines.length <= RESULT_LINES) return text;
  return [...lines.slice(0, RESULT_LINES), `… ${counted(lines.length - RESULT_LINES, "more line")}`].join(
    "\n",
  );
}
