/**
 * Asks a model for the summary: inside the conversation, so that the request
 * reads the provider's cache, or apart from it. What it answers is checked
 * here; nothing is written.
 */
import type { Message, Usage } from "../../llm/message.ts";
import { joinTexts, type SummaryPrompts } from "./prompts.ts";
import { headAndEnd, serializeConversation } from "./serialize.ts";
import { estimateTokens } from "./tokens.ts";

/** Inside the conversation, or apart from it. */
export type SummaryWay = "live" | "separate";

/** One request without calls. `live`: with the tools of the conversation, which may not be called. */
export interface SummaryRequest {
  readonly messages: readonly Message[];
  readonly live: boolean;
  readonly maxOutput: number;
}

/** What came of one request for a summary. */
export type SummaryAnswer =
  | { readonly type: "text"; readonly text: string; readonly cut: boolean; readonly usage?: Usage }
  /** The conversation itself does not fit. */
  | { readonly type: "overflow"; readonly why: string }
  /** The server cannot be had, in whatever form it is asked. */
  | { readonly type: "unreachable"; readonly why: string }
  | { readonly type: "failed"; readonly why: string };

/** Sends one request; never rejects but with the signal's reason. */
export type Complete = (request: SummaryRequest, signal: AbortSignal) => Promise<SummaryAnswer>;

/** What is to be summarised, and how. */
export interface SummaryInput {
  /** All messages of the conversation. */
  readonly messages: readonly Message[];
  /** The part before is what the summary stands for. */
  readonly cut: number;
  readonly withinTurn: boolean;
  readonly way: SummaryWay;
  /** Tokens for the summary. */
  readonly budget: number;
  /** Tokens that a request may have. */
  readonly room: number;
  readonly prompts: SummaryPrompts;
  /** What the user wants kept in particular. */
  readonly focus?: string;
}

/** A summary, or why there is none; what it used either way. */
export type SummaryResult =
  | {
    readonly type: "summary";
    readonly text: string;
    readonly way: SummaryWay;
    readonly usages: readonly Usage[];
  }
  | { readonly type: "failed"; readonly why: string; readonly usages: readonly Usage[] };

/** A summary, or why there is none. Rejects only with the signal's reason. */
export async function summarise(
  input: SummaryInput,
  complete: Complete,
  signal: AbortSignal,
): Promise<SummaryResult> {
  const usages: Usage[] = [];
  const ways: SummaryWay[] = input.way === "live" ? ["live", "separate"] : ["separate"];
  let why = "";
  for (const way of ways) {
    const answer = await complete(requestFor(way, input), signal);
    signal.throwIfAborted();
    if (answer.type !== "text") {
      why = answer.why;
      if (answer.type === "unreachable") break;
      continue;
    }
    if (answer.usage !== undefined) usages.push(answer.usage);
    const text = within(cleaned(answer.text), input.budget);
    if (text !== "") return { type: "summary", text: answer.cut ? `${text}\n[cut here]` : text, way, usages };
    why = "the model's summary is empty";
  }
  return { type: "failed", why, usages };
}

function requestFor(way: SummaryWay, input: SummaryInput): SummaryRequest {
  const { messages, cut, prompts, budget } = input;
  const ask = instruction(input);
  if (way === "live") {
    return { live: true, maxOutput: budget, messages: [...messages, userMessage(ask)] };
  }
  const text = serializeConversation(messages.slice(0, cut), input.room - budget);
  return {
    live: false,
    maxOutput: budget,
    messages: [
      { role: "system", text: prompts.system },
      userMessage(`<conversation>\n${text}\n</conversation>\n\n${ask}`),
    ],
  };
}

function instruction({ messages, cut, withinTurn, prompts, budget, focus }: SummaryInput): string {
  const again = messages.slice(0, cut).some((message) =>
    message.role === "user" && message.parts[0]?.type === "text" &&
    message.parts[0].text.startsWith("<summary>\n")
  );
  return joinTexts([
    again ? prompts.update : "",
    prompts.summary,
    withinTurn ? prompts.turn : "",
    focus === undefined || focus.trim() === "" ? "" : `Keep in particular: ${focus.trim()}`,
    `At most ${budget} tokens.`,
  ]);
}

function userMessage(text: string): Message {
  return { role: "user", parts: [{ type: "text", text }] };
}

/** Without marks of our own that a model may have copied. */
function cleaned(text: string): string {
  return text.replace(/<\/?(?:summary|conversation)>/g, "").trim();
}

/** How far a summary may pass its budget: servers count in their own ways. */
const SLACK = 1.25;

/** The text in about `budget` tokens: a server that heeds no limit must not fill the window that was to be emptied. */
function within(text: string, budget: number): string {
  const tokens = estimateTokens(text);
  return tokens <= budget * SLACK ? text : headAndEnd(text, Math.floor(text.length * budget / tokens));
}
