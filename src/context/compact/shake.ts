/**
 * Making room without a model: older texts are replaced by references that
 * can be read back, or images and thinking are left out. Plans only; the
 * session keeps every entry as it was.
 */
import { type ContentPart, type Message, textOf } from "../../llm/message.ts";
import type { ContextEdit } from "../../session/entry.ts";
import { CLEARED, isReference } from "./plan.ts";
import type { KeepText } from "./carry.ts";
import { estimateTokens, messageTokens } from "./tokens.ts";

/** What is shaken out: old outputs and long blocks, images, or thoughts. */
export type ShakeMode = "elide" | "images" | "thinking";

/** The newest tokens that a shake leaves alone. */
const RECENT_TOKENS = 4_000;
/** A text, or a block within one, below this is not worth a reference. */
const WORTH_TOKENS = 200;

/** What a shake would write down, and what it frees. */
export interface Shaken {
  readonly edits: readonly ContextEdit[];
  /** Tokens freed, estimated. */
  readonly freed: number;
}

/** What a shake does to the messages. `origins`: the entry that each comes from. */
export async function planShake(
  mode: ShakeMode,
  messages: readonly Message[],
  origins: readonly string[],
  keep: KeepText,
): Promise<Shaken> {
  const end = recentFrom(messages);
  const edits: ContextEdit[] = [];
  let freed = 0;
  for (let at = 0; at < end; at++) {
    const message = messages[at];
    if (message.role === "system") continue;
    const edit = mode === "elide" ? await elide(message, keep) : drop(mode, message);
    if (edit === undefined) continue;
    edits.push({ entry: origins[at], ...edit.change });
    freed += edit.freed;
  }
  return { edits, freed };
}

interface Change {
  readonly change: Omit<ContextEdit, "entry">;
  readonly freed: number;
}

function drop(
  kind: "images" | "thinking",
  message: Exclude<Message, { role: "system" }>,
): Change | undefined {
  if (kind === "thinking") {
    if (message.role !== "assistant") return undefined;
    const thoughts = message.parts.filter((part) => part.type === "thinking");
    if (thoughts.length === 0) return undefined;
    return {
      change: { drop: kind },
      freed: thoughts.reduce((sum, { text }) => sum + estimateTokens(text), 0),
    };
  }
  if (message.role === "assistant" || !message.parts.some((part) => part.type === "image")) return undefined;
  const without = { ...message, parts: message.parts.filter((part) => part.type !== "image") };
  return { change: { drop: kind }, freed: messageTokens(message) - messageTokens(without) };
}

async function elide(
  message: Exclude<Message, { role: "system" }>,
  keep: KeepText,
): Promise<Change | undefined> {
  if (message.role === "assistant") return undefined;
  const parts = message.role === "tool_result"
    ? await elidedResult(message.parts, keep)
    : await elidedBlocks(message.parts, keep);
  if (parts === undefined) return undefined;
  return { change: { parts }, freed: messageTokens(message) - messageTokens({ ...message, parts }) };
}

/** A reference in place of the text of a result; undefined where that is not worth it or cannot be kept. */
export async function elidedResult(
  parts: readonly ContentPart[],
  keep: KeepText,
): Promise<ContentPart[] | undefined> {
  const { text, rest } = outputOf(parts);
  const tokens = estimateTokens(text);
  if (tokens < WORTH_TOKENS || isReference(text)) return undefined;
  const mark = await reference(text, tokens, keep);
  return mark === undefined ? undefined : [{ type: "text", text: mark }, ...rest];
}

/** The text of a result, and what stays beside a reference to it: pictures, and instructions that came with it. */
export function outputOf(parts: readonly ContentPart[]): { text: string; rest: readonly ContentPart[] } {
  const stays = (part: ContentPart) => part.type !== "text" || part.text.startsWith("<project_context>\n");
  return { text: textOf(parts.filter((part) => !stays(part))), rest: parts.filter(stays) };
}

/** What the user typed stays; large fenced and tagged blocks in it become references. */
async function elidedBlocks(
  parts: readonly ContentPart[],
  keep: KeepText,
): Promise<ContentPart[] | undefined> {
  let changed = false;
  const out: ContentPart[] = [];
  for (const part of parts) {
    if (part.type !== "text") {
      out.push(part);
      continue;
    }
    let text = "";
    let from = 0;
    for (
      const match of part.text.matchAll(
        /^(`{3,}|~{3,}).*\n[\s\S]*?^\1[ \t]*$|^<([a-z][\w-]*)(?: [^>\n]*)?>\n[\s\S]*?^<\/\2>[ \t]*$/gm,
      )
    ) {
      const tokens = estimateTokens(match[0]);
      const mark = tokens < WORTH_TOKENS || match[2] === "summary" || match[2] === "project_context"
        ? undefined
        : await reference(match[0], tokens, keep);
      if (mark === undefined) continue;
      text += part.text.slice(from, match.index) + mark;
      from = match.index + match[0].length;
      changed = true;
    }
    out.push({ ...part, text: text + part.text.slice(from) });
  }
  return changed ? out : undefined;
}

async function reference(text: string, tokens: number, keep: KeepText): Promise<string | undefined> {
  const name = await keep(text);
  return name === undefined ? undefined : `${CLEARED}~${tokens} tokens; full text: ${name}]`;
}

/** Where the newest messages begin that are left alone. */
function recentFrom(messages: readonly Message[]): number {
  let tokens = 0;
  for (let at = messages.length - 1; at >= 0; at--) {
    tokens += messageTokens(messages[at]);
    if (tokens > RECENT_TOKENS) return at + 1 === messages.length ? at : at + 1;
  }
  return 0;
}
