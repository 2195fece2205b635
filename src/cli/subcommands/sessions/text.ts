/** A session as text for people: plain for the terminal, markdown to keep. */
import { oneLine, stripControls } from "../../../lib/text/control.ts";
import { textOf } from "../../../llm/message.ts";
import { type AnyEntry, type Entry, isKnown, type SessionView } from "../../../session/mod.ts";

const RESULT_LINES = 12;

/** What was said and done, in order. */
export function toText(session: SessionView): string {
  const head = [
    `session ${session.id}`,
    `folder  ${session.cwd}`,
    `file    ${session.file ?? "(not kept)"}`,
    ...session.damages.map((damage) => `damaged line ${damage.line}: ${damage.what}`),
  ];
  return [...head, ...blocks(session.path(), plainBlock)].join("\n\n").replace(
    /^(\S.*)\n\n(?=folder|file|damaged)/gm,
    "$1\n",
  );
}

/** The same as markdown. */
export function toMarkdown(session: SessionView): string {
  const title = session.projection.title ?? `Session ${session.id}`;
  return [
    `# ${oneLine(title, 120)}`,
    `\`${session.cwd}\` · ${session.header.at}`,
    ...blocks(session.path(), markdownBlock),
  ].join("\n\n");
}

type Draw = (entry: Entry) => string | undefined;

function blocks(path: readonly AnyEntry[], draw: Draw): string[] {
  return path.flatMap((entry) => {
    const text = isKnown(entry) ? draw(entry) : undefined;
    return text === undefined ? [] : [text];
  });
}

function plainBlock(entry: Entry): string | undefined {
  switch (entry.kind) {
    case "submission":
      return `${id(entry)} user\n${indent(textOf(entry.message))}`;
    case "assistant": {
      const calls = entry.message.parts.flatMap((part) =>
        part.type === "tool_call" ? [`  -> ${part.name} ${oneLine(part.arguments, 140)}`] : []
      );
      const text = textOf(entry.message.parts);
      return [`${id(entry)} ${entry.message.model}`, ...(text === "" ? [] : [indent(text)]), ...calls].join(
        "\n",
      );
    }
    case "result":
      return `${id(entry)} ${entry.name}${entry.isError ? " failed" : ""}\n${
        indent(head(textOf(entry.parts)))
      }`;
    case "note":
      return `${id(entry)} note\n${indent(entry.text)}`;
    case "run_end":
      return entry.reason === "stop"
        ? undefined
        : `${id(entry)} run ended: ${entry.reason}${entry.error ? `, ${oneLine(entry.error, 200)}` : ""}`;
    default:
      return undefined;
  }
}

function markdownBlock(entry: Entry): string | undefined {
  switch (entry.kind) {
    case "submission":
      return `## User\n\n${stripControls(textOf(entry.message))}`;
    case "assistant": {
      const calls = entry.message.parts.flatMap((part) =>
        part.type === "tool_call" ? [fence(`${part.name} ${part.arguments}`)] : []
      );
      return [`## ${entry.message.model}`, stripControls(textOf(entry.message.parts)), ...calls].filter((
        text,
      ) => text !== "").join("\n\n");
    }
    case "result":
      return `**${entry.name}**${entry.isError ? " failed" : ""}\n\n${fence(textOf(entry.parts))}`;
    default:
      return undefined;
  }
}

/** The end of an entry's id: enough for --fork. */
const id = (entry: Entry) => entry.id.slice(-8);

const indent = (text: string) =>
  stripControls(text).trimEnd().split("\n").map((line) => `  ${line}`).join("\n");

function head(text: string): string {
  const lines = text.trimEnd().split("\n");
  return lines.length <= RESULT_LINES
    ? text
    : [...lines.slice(0, RESULT_LINES), `… ${lines.length - RESULT_LINES} more lines`].join("\n");
}

function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((match) => match[0].length));
  const marks = "`".repeat(longest + 1);
  return `${marks}\n${stripControls(text).trimEnd()}\n${marks}`;
}
