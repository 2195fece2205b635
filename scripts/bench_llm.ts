/**
 * Measures the protocols: decoding a long stream of small deltas (bytes a
 * second, and how the memory grows beside the text itself), and encoding a
 * request with a long history beside what `JSON.stringify` of the same body
 * costs. Ratios are taken side by side; medians of several rounds.
 *
 *   deno task bench-llm            both tables; fails where a bar is not met
 */
import { cpuUsage } from "node:process";
import { createSseReader } from "../src/lib/sse.ts";
import type { AssistantMessage, Message } from "../src/llm/message.ts";
import type { LlmRequest } from "../src/llm/provider.ts";
import { Decoder as MessagesDecoder } from "../src/llm/providers/anthropic_messages/decode.ts";
import { encode as encodeMessages } from "../src/llm/providers/anthropic_messages/encode.ts";
import { Decoder as ChatDecoder } from "../src/llm/providers/openai_completions/decode.ts";
import { encode as encodeChat } from "../src/llm/providers/openai_completions/encode.ts";
import { quirksOf } from "../src/llm/providers/openai_completions/quirks.ts";
import type { AnswerDecoder } from "../src/llm/providers/shared/answer.ts";
import { ResponsesDecoder } from "../src/llm/providers/shared/responses/decode.ts";
import { encode as encodeResponses } from "../src/llm/providers/shared/responses/encode.ts";

const SIZE = 50 * 1024 * 1024;
const MB_PER_SECOND = 40;
/** Beside the text of the answer; what the collector has not looked at yet is in it. */
const MEMORY_MB = 64;
const ENCODE_RATIO = 2;
/** What a connection hands over at a time. */
const CHUNK = 256 * 1024;

const quirks = quirksOf("http://127.0.0.1/v1");
const options = {
  asked: { provider: "bench", url: "http://127.0.0.1", secrets: [] },
  model: "bench/model",
  idPrefix: "call_1_",
};
const form = {
  system: "item",
  maxOutput: true,
  summaries: false,
  effort: true,
  cacheKey: false,
  documents: true,
} as const;

interface Row {
  readonly api: string;
  readonly decoder: () => AnswerDecoder;
  /** Events before the deltas, one delta with its text, and events after them. */
  readonly stream: readonly [string, (text: string) => string, string];
  readonly encode: (request: LlmRequest) => string;
}

const event = (type: string, more: Record<string, unknown>) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;

const ROWS: readonly Row[] = [
  {
    api: "openai-completions",
    decoder: () => new ChatDecoder({ ...options, quirks }),
    stream: [
      "",
      (text) =>
        `data: ${
          JSON.stringify({
            id: "chatcmpl-1",
            object: "chat.completion.chunk",
            created: 1,
            model: "m",
            choices: [{ index: 0, delta: { content: text }, finish_reason: null }],
          })
        }\n\n`,
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    ],
    encode: (request) => encodeChat(request, quirks),
  },
  {
    api: "anthropic-messages",
    decoder: () => new MessagesDecoder(options),
    stream: [
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      (text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } }),
      event("message_delta", { delta: { stop_reason: "end_turn" } }) + event("message_stop", {}),
    ],
    encode: encodeMessages,
  },
  {
    api: "openai-responses",
    decoder: () => new ResponsesDecoder(options),
    stream: [
      event("response.output_item.added", { output_index: 0, item: { id: "m", type: "message" } }),
      (delta) =>
        event("response.output_text.delta", {
          item_id: "m",
          output_index: 0,
          content_index: 0,
          delta,
          sequence_number: 1,
        }),
      event("response.completed", { response: { status: "completed", output: [] } }),
    ],
    encode: (request) => encodeResponses(request, form),
  },
];

const WORDS = ["the ", "quick", " brown fox", " jumps", ", ", "über", " 42", ".\n"];

function streamBytes([before, delta, after]: Row["stream"]): Uint8Array {
  const pieces = WORDS.map(delta).join("");
  const times = Math.ceil(SIZE / pieces.length);
  return new TextEncoder().encode(before + pieces.repeat(times) + after);
}

interface Decoded {
  readonly mbPerSecond: number;
  readonly grownMb: number;
}

async function decode(row: Row, bytes: Uint8Array): Promise<Decoded> {
  const decoder = row.decoder();
  const reader = createSseReader();
  const before = Deno.memoryUsage().heapUsed;
  let top = before;
  let events = 0;
  let seconds = 0;
  for (let at = 0; at < bytes.length; at += CHUNK) {
    const started = cpuSeconds();
    for (const one of reader.feed(bytes.subarray(at, at + CHUNK))) events += decoder.push(one).length;
    seconds += cpuSeconds() - started;
    if (at % (CHUNK * 64) === 0) top = Math.max(top, Deno.memoryUsage().heapUsed);
  }
  const last = (await decoder.end()).at(-1);
  if (last?.type !== "done") throw new Error(`${row.api}: the stream did not end well`);
  const text = last.message.parts.reduce(
    (sum, part) => sum + (part.type === "text" ? part.text.length : 0),
    0,
  );
  if (events === 0) throw new Error(`${row.api}: no events`);
  return { mbPerSecond: bytes.length / 1e6 / seconds, grownMb: (top - before - text) / 1e6 };
}

/** Of this process: other programs on the machine do not count. */
function cpuSeconds(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1e6;
}

function history(): Message[] {
  const messages: Message[] = [{ role: "system", text: "You are careful. ".repeat(200) }];
  for (let i = 0; messages.length < 500; i++) {
    const call = {
      type: "tool_call",
      id: `call_${i}`,
      name: "read",
      arguments: `{"path":"src/file_${i}.ts"}`,
    } as const;
    const answer: AssistantMessage = {
      role: "assistant",
      parts: [{ type: "text", text: `Now I look at file ${i} "quoted".` }, call],
      stopReason: "tool_calls",
      model: "bench/model",
    };
    messages.push(
      { role: "user", parts: [{ type: "text", text: `Look at file ${i}, please.\n`.repeat(5) }] },
      answer,
      {
        role: "tool_result",
        callId: call.id,
        name: "read",
        parts: [{ type: "text", text: `1\tconst a = "${i}";\n2\texport { a };\n`.repeat(40) }],
        isError: false,
      },
    );
  }
  // As they come from a session file: texts in one piece each.
  return JSON.parse(JSON.stringify(messages.slice(0, 500)));
}

/** Milliseconds: encoded with nothing known of the messages, and JSON.stringify of the same body. */
function encodeTimes(row: Row): { own: number; plain: number; again: number } {
  const own: number[] = [];
  const plain: number[] = [];
  const again: number[] = [];
  for (let round = 0; round < 200; round++) {
    const request: LlmRequest = {
      model: { provider: "bench", id: "model", reasoning: false, images: false, options: {} },
      messages: history(),
      tools: [],
    };
    let started = performance.now();
    const text = row.encode(request);
    own.push(performance.now() - started);
    started = performance.now();
    row.encode(request);
    again.push(performance.now() - started);
    const body = JSON.parse(text);
    started = performance.now();
    JSON.stringify(body);
    plain.push(performance.now() - started);
  }
  // The best of each: what other programs cost is in the rest.
  return { own: Math.min(...own), plain: Math.min(...plain), again: Math.min(...again) };
}

let failed = false;
const verdict = (good: boolean) => {
  if (!good) failed = true;
  return good ? "" : "  FAILS";
};

console.log(
  `decoding ${SIZE / 1024 / 1024} MiB of small deltas (bars: ${MB_PER_SECOND} MB/s, ${MEMORY_MB} MB)`,
);
for (const row of ROWS) {
  const bytes = streamBytes(row.stream);
  // Once before, for the compiler.
  await decode(row, bytes);
  const { mbPerSecond, grownMb } = await decode(row, bytes);
  const good = mbPerSecond >= MB_PER_SECOND && grownMb <= MEMORY_MB;
  console.log(
    `${row.api.padEnd(20)} ${mbPerSecond.toFixed(0).padStart(5)} MB/s  ${
      grownMb.toFixed(0).padStart(4)
    } MB beside the text${verdict(good)}`,
  );
}
console.log(`\nencoding 500 messages (bar: ${ENCODE_RATIO} × JSON.stringify)`);
for (const row of ROWS) {
  const { own, plain, again } = encodeTimes(row);
  const ratio = own / plain;
  console.log(
    `${row.api.padEnd(20)} ${own.toFixed(2)} ms, ${ratio.toFixed(2)} × JSON.stringify (${
      plain.toFixed(2)
    } ms); sent again: ${again.toFixed(2)} ms${verdict(ratio <= ENCODE_RATIO)}`,
  );
}
if (failed) Deno.exit(1);
