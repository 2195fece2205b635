/**
 * How many tokens texts and messages take: estimated, since every model
 * counts in its own way, and corrected by what a provider has counted.
 */
import { estimateTokenCount } from "tokenx";
import type { ContentPart, Message, Usage } from "../../llm/message.ts";

/** Marks around a message in a request. */
const MESSAGE_TOKENS = 4;
/** What models take for an image of usual size. */
const IMAGE_TOKENS = 1_200;
/** Base64 characters of a document for one token, by what providers say of pages. */
const DOCUMENT_CHARS = 40;
/** A longer text is measured by samples: all of it would cost more time than it is worth. */
const SAMPLE_FROM = 16 * 1024;
const SAMPLE_CHARS = 2 * 1024;
const SAMPLES = 4;

/** Tokens of a text, estimated. */
export function estimateTokens(text: string): number {
  if (text.length < SAMPLE_FROM) return estimateTokenCount(text);
  let tokens = 0;
  const step = Math.floor((text.length - SAMPLE_CHARS) / (SAMPLES - 1));
  for (let at = 0; at < SAMPLES; at++) {
    tokens += estimateTokenCount(text.slice(at * step, at * step + SAMPLE_CHARS));
  }
  return Math.round(tokens * text.length / (SAMPLE_CHARS * SAMPLES));
}

const counted = new WeakMap<Message, number>();

/** Tokens of a message, estimated; remembered, since messages never change. */
export function messageTokens(message: Message): number {
  let tokens = counted.get(message);
  if (tokens === undefined) counted.set(message, tokens = MESSAGE_TOKENS + contentTokens(message));
  return tokens;
}

function contentTokens(message: Message): number {
  switch (message.role) {
    case "system":
      return estimateTokens(message.text);
    case "assistant":
      return message.parts.reduce(
        (sum, part) =>
          sum +
          (part.type === "tool_call"
            ? MESSAGE_TOKENS + estimateTokens(part.name) + estimateTokens(part.arguments)
            : estimateTokens(part.text)),
        0,
      );
    default:
      return message.parts.reduce((sum, part) => sum + partTokens(part), 0);
  }
}

function partTokens(part: ContentPart): number {
  if (part.type === "text") return estimateTokens(part.text);
  return part.type === "image" ? IMAGE_TOKENS : Math.ceil(part.data.length / DOCUMENT_CHARS);
}

/** The size of a request. */
export interface Measure {
  readonly tokens: number;
  /** Whether a provider counted it; else it is an estimate and is to be shown as one. */
  readonly exact: boolean;
}

/** Measures one conversation, with what a provider has counted. */
export interface Meter {
  /** What the provider counted for a request and its answer, which is the last of `messages`. */
  observe(messages: readonly Message[], usage: Usage): void;
  /** The size of a request with these messages. */
  measure(messages: readonly Message[]): Measure;
  /** Tokens that no message explains: tools, and what the provider adds. */
  readonly fixed: number;
}

/** How far a provider's count may pull the estimate of texts; beyond, it is not the texts. */
const RATIO = { min: 0.6, max: 1.7 } as const;

/** A meter for one conversation. `tools`: the estimated tokens of the tools' declarations. */
export function createMeter(tools: number): Meter {
  let ratio = 1;
  let fixed = tools;
  let last: { readonly message: Message; readonly tokens: number; readonly estimate: number } | undefined;
  const sum = (messages: readonly Message[], from = 0) => {
    let tokens = 0;
    for (let at = from; at < messages.length; at++) tokens += messageTokens(messages[at]);
    return tokens;
  };
  return {
    observe(messages, usage) {
      const message = messages.at(-1);
      // The parts count: a total that disagrees with them is of no use.
      const tokens = usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
      if (message === undefined || tokens <= 0) return;
      const estimate = sum(messages);
      last = { message, tokens, estimate };
      ratio = Math.min(RATIO.max, Math.max(RATIO.min, (tokens - tools) / Math.max(1, estimate)));
      fixed = Math.max(0, tokens - Math.round(ratio * estimate));
    },
    measure(messages) {
      const estimate = sum(messages);
      const at = last === undefined ? -1 : messages.lastIndexOf(last.message);
      if (last !== undefined && at >= 0) {
        const added = sum(messages, at + 1);
        // Counted, as long as what stands before that answer still is what stood there.
        if (estimate - added === last.estimate) {
          return { tokens: last.tokens + Math.round(ratio * added), exact: added === 0 };
        }
      }
      return { tokens: fixed + Math.round(ratio * estimate), exact: false };
    },
    get fixed() {
      return fixed;
    },
  };
}

const INSTRUCTIONS = /<project_context>\n[\s\S]*?\n<\/project_context>/g;

const FILE = /<file path="([^"\n]+)">\n[\s\S]*?\n<\/file>/g;

/** The instruction files that a text brings. */
export function instructionFiles(text: string): { path: string; tokens: number }[] {
  if (!text.includes("<project_context>\n")) return [];
  return (text.match(INSTRUCTIONS) ?? []).flatMap((block) =>
    [...block.matchAll(FILE)].map(([file, path]) => ({ path, tokens: estimateTokens(file) }))
  );
}

/** Tokens of the instruction files that a text brings. */
export function instructionTokens(text: string): number {
  if (!text.includes("<project_context>\n")) return 0;
  return (text.match(INSTRUCTIONS) ?? []).reduce((sum, block) => sum + estimateTokens(block), 0);
}
