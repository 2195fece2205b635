/**
 * Measures what a long conversation costs beside the model: making the next
 * request of a session of 10,000 entries, and planning what to do about one of
 * 200,000 tokens. Figures are medians of the rounds; where garbage is
 * collected in between, the best. Prints each with its bar and
 * writes bench-results/context.json; a missed bar makes the exit status 1.
 *
 *     deno task bench-context [ROUNDS]
 */
import { createMeter, gather, planSpace } from "../src/context/compact/mod.ts";
import { serializeConversation } from "../src/context/compact/serialize.ts";
import type { Message } from "../src/llm/message.ts";
import type { LlmRequest } from "../src/llm/provider.ts";
import { encode as encodeMessages } from "../src/llm/providers/anthropic_messages/encode.ts";
import { encode as encodeChat } from "../src/llm/providers/openai_completions/encode.ts";
import { quirksOf } from "../src/llm/providers/openai_completions/quirks.ts";
import type { Entry } from "../src/session/entry.ts";
import { project } from "../src/session/project.ts";
import { median } from "./bench/process.ts";
import { type Bar, showBars } from "./bench/table.ts";

const ENTRIES = 10_000;
const TOKENS = 200_000;
const CHARS_PER_TOKEN = 4;
const rounds = Number(Deno.args[0] ?? 25);

const model = { provider: "bench", id: "model", reasoning: false, images: false, options: {} };
const quirks = quirksOf("http://127.0.0.1/v1");
const limits = { contextWindow: TOKENS, reserve: 16_384, keepRecentTokens: 20_000 };

/** Lines of a session's file: a prompt, then ten calls with their results, and again. */
function sessionLines(): string[] {
  const lines: string[] = [];
  const add = (payload: Record<string, unknown>) => {
    const id = `e${lines.length + 1}`;
    const parentId = lines.length === 0 ? null : `e${lines.length}`;
    lines.push(JSON.stringify({ ...payload, id, parentId, at: "2026-01-01T00:00:00.000Z" }));
  };
  add({ kind: "system", text: "You are careful. ".repeat(300) });
  for (let i = 0; lines.length < ENTRIES; i++) {
    if (i % 10 === 0) {
      const text = `Look at file ${i}, please.\n`.repeat(5);
      add({
        kind: "submission",
        requestId: `r${i}`,
        parts: [{ type: "text", text }],
        message: [{ type: "text", text }],
      });
      add({ kind: "run_start", runId: `r${i}`, model: "bench/model" });
    }
    const callId = `call_${i}`;
    add({
      kind: "assistant",
      message: {
        role: "assistant",
        model: "bench/model",
        stopReason: "tool_calls",
        parts: [
          { type: "text", text: `Now I look at file ${i} "quoted".` },
          { type: "tool_call", id: callId, name: "read", arguments: `{"path":"src/file_${i}.ts"}` },
        ],
      },
    });
    add({ kind: "intent", callId, name: "read", replay: "safe" });
    const text = `1\tconst a = "${i}";\n2\texport { a };\n`.repeat(40);
    add({ kind: "result", callId, name: "read", isError: false, parts: [{ type: "text", text }] });
  }
  return lines.slice(0, ENTRIES);
}

const WORDS = [
  "const x = 1;\n",
  "the quick brown fox ",
  "import { a } from './b.ts';\n",
  "12345 ",
  "über ",
  "not found\n",
];

/** About 200,000 tokens: results of 1 to 32 KiB, as reads and commands give them. */
function longConversation(seed: number): Message[] {
  let state = seed;
  const random = () => (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff;
  const text = (chars: number) => {
    let made = "";
    while (made.length < chars) made += WORDS[Math.floor(random() * WORDS.length)];
    return made;
  };
  const messages: Message[] = [{ role: "system", text: text(6_000) }];
  let chars = 6_000;
  for (let i = 0; chars < TOKENS * CHARS_PER_TOKEN; i++) {
    const result = text(1_024 + 31 * 1_024 * random() ** 2);
    chars += result.length + 500;
    messages.push(
      { role: "user", parts: [{ type: "text", text: text(200) }] },
      {
        role: "assistant",
        model: "bench/model",
        stopReason: "tool_calls",
        parts: [
          { type: "text", text: text(300) },
          { type: "tool_call", id: `c${i}`, name: "read", arguments: `{"path":"src/${i}.ts"}` },
        ],
      },
      {
        role: "tool_result",
        callId: `c${i}`,
        name: "read",
        isError: false,
        parts: [{ type: "text", text: result }],
      },
    );
  }
  return messages;
}

interface Times {
  readonly best: number;
  readonly middle: number;
}

/** `prepare` is not measured. */
function measure<T>(prepare: (round: number) => T, work: (prepared: T) => unknown): Times {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const prepared = prepare(round);
    const from = performance.now();
    work(prepared);
    times.push(performance.now() - from);
  }
  return { best: Math.min(...times), middle: median(times) };
}

const request = (messages: readonly Message[]): LlmRequest => ({ model, messages, tools: [] });

/** Tokens counted and the action chosen. */
function plan(messages: readonly Message[]): void {
  const meter = createMeter(1_500);
  const { tokens } = meter.measure(messages);
  const action = planSpace(messages, { tokens: Math.max(tokens, TOKENS), fixed: meter.fixed }, limits);
  if (action.type === "none") throw new Error("nothing was planned");
}

const lines = sessionLines();
const entries = lines.map((line): Entry => JSON.parse(line));
const running = { chat: project(entries), messages: project(entries) };
let added = 0;
/** What a request of a running session takes: an entry more, everything else as it was. */
function next(projection: ReturnType<typeof project>): readonly Message[] {
  const parts = [{ type: "text" as const, text: `and ${++added}` }];
  projection.add({
    kind: "submission",
    requestId: `more${added}`,
    parts,
    message: parts,
    id: `m${added}`,
    parentId: null,
    at: "",
  });
  return projection.messages;
}
encodeChat(request(running.chat.messages), quirks);
encodeMessages(request(running.messages.messages));
const times = {
  "next, chat completions": measure(
    () => running.chat,
    (own) => encodeChat(request(next(own)), quirks),
  ),
  "next, messages": measure(() => running.messages, (own) => encodeMessages(request(next(own)))),
  "anew, chat completions": measure(
    () => entries,
    (path) => encodeChat(request(project(path).messages), quirks),
  ),
  "anew, messages": measure(() => entries, (path) => encodeMessages(request(project(path).messages))),
  "plan": measure(longConversation, plan),
  "carry": measure(() => entries, (path) => gather(path, new Set(), () => undefined)),
  "serialize": measure(longConversation, (messages) => serializeConversation(messages, TOKENS / 2)),
};
const bars: Bar[] = [
  {
    what: `the next request of a session of ${ENTRIES} entries, chat completions`,
    value: times["next, chat completions"].middle,
    limit: 30,
    unit: "ms",
  },
  { what: "the same, messages protocol", value: times["next, messages"].middle, limit: 30, unit: "ms" },
  {
    what: "all of its path anew: projected, and every message encoded",
    value: times["anew, chat completions"].best,
    limit: 30,
    unit: "ms",
  },
  {
    what: `a compaction of ${TOKENS} tokens planned, nothing counted before`,
    value: times.plan.middle,
    limit: 50,
    unit: "ms",
  },
];
const met = showBars(bars);
const shown = (one: Times) => `${one.best.toFixed(1)} (median ${one.middle.toFixed(1)}) ms`;
for (const [name, one] of Object.entries(times)) console.log(`${name.padEnd(24)} ${shown(one)}`);
await Deno.mkdir("bench-results", { recursive: true });
await Deno.writeTextFile(
  "bench-results/context.json",
  JSON.stringify({ rounds, bars, times }, null, 2) + "\n",
);
if (!met) Deno.exit(1);
