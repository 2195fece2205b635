/**
 * The pruner: a small model is shown what older tool outputs there are and
 * says which are stale. Those are parked: a line stands in their place that
 * says what they were, why they went, and where they can be read again. Pure
 * but for the text that it keeps; who asks the model is the engine.
 */
import brief from "../../../prompts/tasks/prune.md" with { type: "text" };
import { type ContentPart, type Message, textOf } from "../../llm/message.ts";
import { visible } from "../../lib/text/visible.ts";
import type { KeepText } from "./carry.ts";
import { type Clearable, clearable, PARKED } from "./plan.ts";
import { headAndEnd } from "./serialize.ts";
import { outputOf } from "./shake.ts";
import { estimateTokens } from "./tokens.ts";

/** The newest tokens of tool output that are not up for it. */
const RECENT_TOKENS = 10_000;
/** Outputs that are listed: the largest. */
const MAX_LISTED = 150;
const EXCERPT_CHARS = 400;
const ARGUMENT_CHARS = 200;
const WISH_CHARS = 1_500;
const WISHES = 3;
const STEPS = 6;
const WHY_CHARS = 80;

/** An output that may be stale, with the call that made it. */
export interface Block extends Clearable {
  /** Such as `read {"path":"a.ts"}`. */
  readonly call: string;
}

/** A result that the small model calls stale, and why. */
export interface StaleBlock extends Block {
  /** Why, in the model's words, on one line. */
  readonly why: string;
}

/** What may be parked, oldest first. */
export function parkable(messages: readonly Message[]): Block[] {
  const calls = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const part of message.parts) {
      if (part.type === "tool_call") {
        calls.set(part.id, `${part.name} ${part.arguments.slice(0, ARGUMENT_CHARS)}`);
      }
    }
  }
  const blocks = clearable(messages, RECENT_TOKENS).map((one): Block => {
    const message = messages[one.at];
    return { ...one, call: message.role === "tool_result" ? calls.get(message.callId) ?? message.name : "" };
  });
  if (blocks.length <= MAX_LISTED) return blocks;
  const least = blocks.map(({ tokens }) => tokens).sort((a, b) => b - a)[MAX_LISTED - 1];
  return blocks.filter(({ tokens }) => tokens >= least).slice(0, MAX_LISTED);
}

/** The request to the small model. */
export function askStale(messages: readonly Message[], blocks: readonly Block[]): Message[] {
  const wishes = messages.flatMap((message) =>
    message.role === "user" ? [headAndEnd(textOf(message.parts), WISH_CHARS)] : []
  ).slice(-WISHES);
  const steps = messages.flatMap((message) =>
    message.role === "assistant"
      ? [
        textOf(message.parts).slice(0, EXCERPT_CHARS),
        ...message.parts.flatMap((part) =>
          part.type === "tool_call" ? [`-> ${part.name} ${part.arguments.slice(0, ARGUMENT_CHARS)}`] : []
        ),
      ].filter((line) => line !== "")
      : []
  ).slice(-STEPS);
  const listed = blocks.map(({ at, tokens, call }, n) => {
    const message = messages[at];
    const text = message.role === "tool_result" ? headAndEnd(textOf(message.parts), EXCERPT_CHARS) : "";
    return `${n + 1}. ${call} (~${tokens} tokens, ${messages.length - at} messages ago)\n${text}`;
  });
  const text =
    `<user>\n${wishes.join("\n---\n")}\n</user>\n<last_steps>\n${steps.join("\n")}\n</last_steps>\n` +
    `<outputs>\n${listed.join("\n\n")}\n</outputs>`;
  return [{ role: "system", text: brief }, { role: "user", parts: [{ type: "text", text }] }];
}

/** The blocks that an answer names; lines of another form are passed over. */
export function readStale(answer: string, blocks: readonly Block[]): StaleBlock[] {
  const found = new Map<number, string>();
  for (const [, number, why] of answer.matchAll(/^[ \t]*(\d{1,4})[ \t]*:[ \t]*(.*)$/gm)) {
    const n = Number(number);
    if (n >= 1 && n <= blocks.length && !found.has(n)) found.set(n, oneLine(why));
  }
  return [...found].sort(([a], [b]) => a - b).map(([n, why]) => ({ ...blocks[n - 1], why }));
}

function oneLine(why: string): string {
  return visible(why.replace(/[\s[\];]+/g, " ").trim().slice(0, WHY_CHARS).toWellFormed()) ||
    "no longer needed";
}

/** A line in place of the text of an output; undefined where that cannot be kept. */
export async function parkedResult(
  parts: readonly ContentPart[],
  { call, why }: StaleBlock,
  keep: KeepText,
): Promise<ContentPart[] | undefined> {
  const { text, rest } = outputOf(parts);
  const name = await keep(text);
  if (name === undefined) return undefined;
  const mark = `${PARKED}~${estimateTokens(text)} tokens of ${oneLine(call)}; ${why}; full text: ${name}]`;
  return [{ type: "text", text: mark }, ...rest];
}
