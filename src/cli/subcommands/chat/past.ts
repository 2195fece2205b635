/** What a session holds, as the chat draws it again. */
import { textOf } from "../../../llm/message.ts";
import { isKnown, type SessionView } from "../../../session/mod.ts";
import type { PastItem } from "../../../ui/mod.ts";
import type { View } from "../../../engine/event.ts";

/** The items of a session's path. */
export function pastOf(session: SessionView): PastItem[] {
  const items: PastItem[] = [];
  let calls = new Map<string, number>();
  for (const entry of session.path()) {
    if (!isKnown(entry)) continue;
    switch (entry.kind) {
      case "submission":
        items.push({
          type: "user",
          text: entry.parts.map((part) => part.type === "text" ? part.text : "").join("") ||
            textOf(entry.message),
          images: entry.message.filter((part) => part.type !== "text").length,
        });
        break;
      case "assistant": {
        const { parts } = entry.message;
        items.push({
          type: "assistant",
          text: textOf(parts),
          thinking: parts.map((part) => part.type === "thinking" ? part.text : "").join(""),
        });
        calls = new Map();
        for (const part of parts) {
          if (part.type !== "tool_call") continue;
          calls.set(part.id, items.length);
          items.push({
            type: "call",
            callId: part.id,
            name: part.name,
            args: parsed(part.arguments),
            text: "",
            isError: false,
            open: true,
          });
        }
        break;
      }
      case "result": {
        const at = calls.get(entry.callId);
        const before = at === undefined ? undefined : items[at];
        if (at === undefined || before?.type !== "call") break;
        const { open: _, ...call } = before;
        items[at] = {
          ...call,
          text: textOf(entry.parts),
          isError: entry.isError,
          ...(entry.view === undefined ? {} : { view: entry.view as View }),
          ...(entry.durationMs === undefined ? {} : { durationMs: entry.durationMs }),
        };
        break;
      }
      case "note":
        items.push({ type: "note", text: entry.text });
        break;
      case "run_end":
        items.push({
          type: "run_end",
          reason: entry.reason,
          ...(entry.error === undefined ? {} : { error: entry.error }),
        });
        break;
    }
  }
  return items;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined; // the model wrote it so
  }
}
