/** The run as JSON for scripts: one object at its end, or one a line as it goes (docs/headless.md). */
import type { EngineEvent, RunResult, ToolResult } from "../../engine/event.ts";
import { counted } from "../../lib/text/count.ts";
import { textOf } from "../../llm/message.ts";

/** Turns events into the lines of `stream-json`; each call answers with the object for one event, or nothing. */
export function lineMapper(): (event: EngineEvent) => Record<string, unknown> | undefined {
  let seq = 0;
  const line = (type: string, rest: Record<string, unknown>) => ({ type, seq: seq++, ...rest });
  return (event) => {
    switch (event.type) {
      case "run_start": {
        const { type, ...rest } = event;
        return line(type, rest);
      }
      case "text_delta":
      case "thinking_delta":
        return line(event.type, { text: event.text });
      case "message_end":
        return line(event.type, {
          text: textOf(event.message.parts),
          stopReason: event.message.stopReason,
          toolCalls: event.message.parts.filter((part) => part.type === "tool_call").length,
        });
      case "tool_start":
        return line(event.type, { callId: event.callId, name: event.name, args: event.args ?? null });
      case "tool_output":
        return line(event.type, { callId: event.callId, text: event.text });
      case "tool_end":
        return line(event.type, {
          callId: event.callId,
          name: event.name,
          isError: event.result.isError,
          text: resultText(event.result),
          durationMs: event.durationMs,
          ...(event.result.view === undefined ? {} : { view: event.result.view }),
        });
      case "permission":
        return line(event.type, {
          callId: event.callId,
          request: event.request,
          decision: event.decision,
          by: event.by,
        });
      case "usage":
        return line(event.type, { usage: event.usage ?? null, costUsd: event.costUsd ?? null });
      case "retry":
        return line(event.type, {
          attempt: event.attempt,
          delayMs: event.delayMs,
          cause: event.cause.message,
        });
      case "notice":
        return line(event.type, { level: event.level, text: event.text });
      case "compaction":
        return line(event.type, {
          action: event.action,
          tokensBefore: event.tokensBefore,
          tokensAfter: event.tokensAfter,
        });
      case "run_end":
        return line(event.type, { ...runObject(event.result) });
      case "compaction_start":
      case "files_restored":
      case "navigated":
      case "titled":
      case "step_start":
      case "permission_request":
        return undefined;
    }
  };
}

/** The object of `--output json`, also the fields of the last line. */
export function runObject(result: RunResult): RunResult {
  return result;
}

function resultText(result: ToolResult): string {
  const images = result.parts.filter((part) => part.type === "image").length;
  const text = textOf(result.parts);
  return images === 0 ? text : `${text}${text === "" ? "" : "\n"}[${counted(images, "image")}]`;
}

/** JSON on one line that every reader takes: no unpaired surrogates, no raw line separators. */
export function toLine(value: unknown): string {
  return JSON.stringify(value, (_, field) => typeof field === "string" ? field.toWellFormed() : field)
    .replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029") + "\n";
}
