/**
 * A conversation as one text, for a summary that is asked for apart from it.
 * Where it must be shortened: tool output is capped at a share, spent newest
 * first, and keeps its head and its end, since the outcome stands at the end;
 * then the oldest messages go, never the newest.
 */
import { type Message, textOf } from "../../llm/message.ts";
import { estimateTokens } from "./tokens.ts";

/** The share of the text that tool output may take. */
const OUTPUT_SHARE = 0.5;
/** Characters for one token when a text is cut: on the safe side. */
const CHARS_PER_TOKEN = 3;
/** Less of a result says nothing. */
const MIN_RESULT_CHARS = 200;
const MAX_ARGUMENTS_CHARS = 1_000;

const DROPPED = "[earlier messages left out]";

/** The text of the messages in at most about `budget` tokens; system prompts are left out. */
export function serializeConversation(messages: readonly Message[], budget: number): string {
  const pieces: string[] = [];
  let output = Math.floor(budget * OUTPUT_SHARE);
  let left = budget;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message.role === "system") continue;
    let text = `[${labelOf(message)}]\n${bodyOf(message)}`;
    if (message.role === "tool_result") {
      text = headAndEnd(text, Math.max(MIN_RESULT_CHARS, output * CHARS_PER_TOKEN));
      output = Math.max(0, output - estimateTokens(text));
    }
    const tokens = estimateTokens(text);
    if (tokens > left) {
      if (pieces.length > 0) {
        pieces.unshift(DROPPED);
        break;
      }
      text = headAndEnd(text, left * CHARS_PER_TOKEN);
    }
    left -= tokens;
    pieces.unshift(text);
  }
  return pieces.join("\n\n");
}

function labelOf(message: Message): string {
  switch (message.role) {
    case "user":
      return "user";
    case "assistant":
      return "agent";
    case "tool_result":
      return message.isError ? `result of ${message.name}: error` : `result of ${message.name}`;
    case "system":
      return "system";
  }
}

function bodyOf(message: Exclude<Message, { role: "system" }>): string {
  if (message.role !== "assistant") return textOf(message.parts);
  const lines = [textOf(message.parts).trim()];
  for (const part of message.parts) {
    if (part.type === "tool_call") {
      lines.push(`-> ${part.name} ${headAndEnd(part.arguments, MAX_ARGUMENTS_CHARS)}`);
    }
  }
  return lines.filter((line) => line !== "").join("\n");
}

/** The text with its middle left out where it has more than `max` characters. */
export function headAndEnd(text: string, max: number): string {
  if (text.length <= max) return text;
  const mark = `\n[… ${text.length - max} characters left out …]\n`;
  const head = Math.floor(max / 3);
  const end = max - head;
  return (text.slice(0, head) + mark + text.slice(text.length - end)).toWellFormed();
}
