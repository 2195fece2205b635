/** A session as a person reads it: its path as items, and as markdown. The texts are raw; who draws them on a terminal strips control sequences. */
import { type ContentPart, textOf } from "../llm/message.ts";
import { isKnown } from "./entry.ts";
import type { SessionView } from "./session.ts";

export type TranscriptItem =
  | {
    readonly type: "user";
    readonly entryId: string;
    readonly at: string;
    readonly text: string;
    readonly images: number;
  }
  | {
    readonly type: "assistant";
    readonly entryId: string;
    readonly at: string;
    readonly model: string;
    readonly text: string;
    readonly thinking: string;
  }
  | {
    readonly type: "call";
    readonly callId: string;
    readonly name: string;
    /** JSON text. */
    readonly arguments: string;
    /** Undefined: it has none yet. */
    readonly result: {
      readonly text: string;
      readonly images: number;
      readonly isError: boolean;
      readonly durationMs?: number;
    } | undefined;
  }
  | { readonly type: "note"; readonly entryId: string; readonly at: string; readonly text: string }
  | { readonly type: "run_end"; readonly at: string; readonly reason: string; readonly error?: string };

/** What was said and done on the path, in order; each call with its result. */
export function transcript(view: SessionView): TranscriptItem[] {
  const items: TranscriptItem[] = [];
  /** Where the calls of the last answer stand. */
  let calls = new Map<string, number>();
  for (const entry of view.path()) {
    if (!isKnown(entry)) continue;
    const { id: entryId, at } = entry;
    if (entry.kind === "submission") {
      items.push({ type: "user", entryId, at, text: textOf(entry.message), images: images(entry.message) });
    } else if (entry.kind === "note") {
      items.push({ type: "note", entryId, at, text: entry.text });
    } else if (entry.kind === "run_end") {
      items.push({
        type: "run_end",
        at,
        reason: entry.reason,
        ...(entry.error === undefined ? {} : { error: entry.error }),
      });
    } else if (entry.kind === "assistant") {
      const { parts, model } = entry.message;
      const thinking = parts.map((part) => part.type === "thinking" ? part.text : "").join("");
      items.push({ type: "assistant", entryId, at, model, text: textOf(parts), thinking });
      calls = new Map();
      for (const part of parts) {
        if (part.type !== "tool_call") continue;
        calls.set(part.id, items.length);
        items.push({
          type: "call",
          callId: part.id,
          name: part.name,
          arguments: part.arguments,
          result: undefined,
        });
      }
    } else if (entry.kind === "result") {
      const place = calls.get(entry.callId);
      const item = place === undefined ? undefined : items[place];
      if (place === undefined || item?.type !== "call" || item.result) continue;
      const { isError, durationMs, parts } = entry;
      items[place] = {
        ...item,
        result: {
          text: textOf(parts),
          images: images(parts),
          isError,
          ...(durationMs === undefined ? {} : { durationMs }),
        },
      };
    }
  }
  return items;
}

function images(parts: readonly ContentPart[]): number {
  return parts.filter((part) => part.type === "image").length;
}

/** The session as a markdown document. */
export function toMarkdown(view: SessionView): string {
  const { title, model } = view.projection;
  const out = [`# ${oneLine(title ?? `Session ${view.id}`)}`, ""];
  out.push(`- session: ${view.id}`, `- workspace: ${view.cwd}`, `- begun: ${view.header.at}`);
  if (model !== undefined) out.push(`- model: ${model}`);
  out.push("");
  for (const item of transcript(view)) out.push(...section(item), "");
  return out.join("\n").trimEnd() + "\n";
}

function section(item: TranscriptItem): string[] {
  switch (item.type) {
    case "user":
      return ["## User", "", item.text, ...pictures(item.images)];
    case "assistant":
      return item.text === "" ? [] : ["## Assistant", "", item.text];
    case "note":
      return ["## Note", "", item.text];
    case "run_end":
      return item.reason === "stop"
        ? []
        : [`*Run ended: ${oneLine(item.reason)}${item.error ? `: ${oneLine(item.error)}` : ""}*`];
    case "call": {
      const { result } = item;
      const state = result === undefined ? " (no result)" : result.isError ? " (failed)" : "";
      const lines = [`### ${oneLine(item.name)}${state}`, "", ...fenced(item.arguments, "json")];
      if (result && result.text !== "") lines.push("", ...fenced(result.text, ""));
      return [...lines, ...pictures(result?.images ?? 0)];
    }
  }
}

function pictures(count: number): string[] {
  return count === 0 ? [] : ["", `*(${count} image${count === 1 ? "" : "s"})*`];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** A fence longer than any run of backticks inside. */
function fenced(text: string, language: string): string[] {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return [fence + language, text.replace(/\n$/, ""), fence];
}
