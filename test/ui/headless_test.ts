import { assert, assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import { errorResult, textResult } from "../../src/agent/tool.ts";
import type { EngineEvent, RunResult } from "../../src/engine/event.ts";
import { LlmError } from "../../src/llm/errors.ts";
import { createReporter } from "../../src/ui/headless/mod.ts";
import type { Output } from "../../src/ui/interface.ts";
import { answer } from "../support/fakes.ts";

function sink(options: Partial<Output> = {}): Output & { text: string } {
  return {
    text: "",
    terminal: false,
    color: false,
    columns: 80,
    write(text) {
      this.text += text;
    },
    flush: () => Promise.resolve(),
    ...options,
  };
}

const RESULT: RunResult = {
  sessionId: "s",
  sessionFile: "/h/s.jsonl",
  model: "p/m",
  reason: "stop",
  stopReason: "stop",
  text: "The \x1b[31manswer\x1b[0m.",
  structured: null,
  usage: { input: 1200, output: 34, cacheRead: 1000, cacheWrite: 0, reasoning: 0 },
  costUsd: 0.0123,
  steps: 2,
  toolCalls: 1,
  durationMs: 4200,
  error: null,
  hint: null,
};

const EVENTS: EngineEvent[] = [
  { type: "run_start", sessionId: "s", sessionFile: "/h/s.jsonl", model: "p/m", cwd: "/ws", resumed: false },
  { type: "step_start", step: 1 },
  { type: "thinking_delta", text: "hm" },
  { type: "text_delta", text: "I look." },
  { type: "message_end", message: answer("I look.", [["edit", { path: "a.ts" }]]) },
  { type: "usage", usage: undefined, costUsd: undefined },
  { type: "tool_start", callId: "c0", name: "edit", args: { path: "a.ts\x1b[2J" } },
  { type: "tool_output", callId: "c0", text: "live\x1b]0;evil\x07" },
  {
    type: "tool_end",
    callId: "c0",
    name: "edit",
    durationMs: 12,
    result: textResult("ok", {
      view: { type: "diff", path: "a.ts", diff: "@@ -1 +1 @@\n-old\n+new\x1b[2J\n", added: 1, removed: 1 },
    }),
  },
  { type: "retry", attempt: 1, delayMs: 2000, cause: new LlmError("rate_limit", "too many requests") },
  { type: "permission", callId: "c0", request: "run make", decision: "deny", by: "never" },
  { type: "notice", level: "warning", text: "mind \u202ethis" },
  { type: "run_end", result: RESULT },
];

function play(
  format: "text" | "json" | "stream-json",
  level: "quiet" | "normal" | "verbose" = "normal",
  events = EVENTS,
) {
  const [stdout, stderr] = [sink(), sink()];
  const reporter = createReporter(stdout, stderr, { format, level });
  for (const event of events) reporter.watch(event);
  reporter.stop();
  return { stdout: stdout.text, stderr: stderr.text };
}

Deno.test("text: the answer alone on stdout, work on stderr, no control sequence anywhere", () => {
  const { stdout, stderr } = play("text", "verbose");
  assertEquals(stdout, "The answer.\n");
  for (
    const part of [
      "I look.",
      "edit a.ts",
      "+1 -1",
      "-old",
      "+new",
      "too many requests",
      "2.0 s",
      "denied: run make",
      "<U+202E>",
      "2 steps, 1 tool call",
      "1,000 cached",
      "$0.0123",
      "4.2 s",
    ]
  ) {
    assertStringIncludes(stderr, part);
  }
  assertNotMatch(stdout + stderr, /\x1b|\u202e|evil/);
});

Deno.test("quiet: nothing on stderr but problems", () => {
  const { stderr } = play("text", "quiet");
  assertNotMatch(stderr, /edit|steps|I look/);
  assertStringIncludes(stderr, "mind");
});

Deno.test("json: one object with the run's result", () => {
  const { stdout } = play("json");
  assertEquals(stdout.split("\n").length, 2);
  assertEquals(JSON.parse(stdout), JSON.parse(JSON.stringify(RESULT)));
});

Deno.test("stream-json: a line each, numbered, in the contract's shapes", () => {
  const { stdout } = play("stream-json");
  const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.map((line) => line.seq), lines.map((_, i) => i));
  assertEquals(lines.map((line) => line.type), [
    "run_start",
    "thinking_delta",
    "text_delta",
    "message_end",
    "usage",
    "tool_start",
    "tool_output",
    "tool_end",
    "retry",
    "permission",
    "notice",
    "run_end",
  ]);
  const of = (type: string) => lines.find((line) => line.type === type);
  assertEquals(Object.keys(of("tool_end")), [
    "type",
    "seq",
    "callId",
    "name",
    "isError",
    "text",
    "durationMs",
    "view",
  ]);
  assertEquals([of("retry").attempt, of("retry").delayMs, of("retry").cause], [1, 2000, "too many requests"]);
  assertEquals(of("usage"), { type: "usage", seq: 4, usage: null, costUsd: null });
  assertEquals(of("run_end").text, RESULT.text);
});

Deno.test("stream-json: lines stay lines, and well formed, whatever a model says", () => {
  const { stdout } = play("stream-json", "normal", [
    { type: "text_delta", text: "a\nb\u2028c\ud83d" },
    { type: "tool_end", callId: "c", name: "x", durationMs: 0, result: errorResult("no") },
  ]);
  assertEquals(stdout.split("\n").length, 3);
  assertNotMatch(stdout, /\u2028/);
  assertEquals(JSON.parse(stdout.split("\n")[0]).text, "a\nb\u2028c\ufffd");
});

Deno.test("a failure is told with its remedy, in every format", () => {
  const failed: RunResult = {
    ...RESULT,
    reason: "error",
    text: "",
    error: "No connection to x",
    hint: "Is it running?",
  };
  for (const format of ["text", "json", "stream-json"] as const) {
    const { stdout, stderr } = play(format, "quiet", [{ type: "run_end", result: failed }]);
    assertStringIncludes(stderr, "Error: No connection to x\nIs it running?\n");
    if (format === "text") assertEquals(stdout, "");
    else assertEquals(JSON.parse(stdout).error, "No connection to x");
  }
});

Deno.test("on a terminal: colour, a spinner that leaves nothing behind, diffs red and green", () => {
  const [stdout, stderr] = [
    sink({ terminal: true, color: true }),
    sink({ terminal: true, color: true, columns: 40 }),
  ];
  const reporter = createReporter(stdout, stderr, { format: "text", level: "normal" });
  for (const event of EVENTS) reporter.watch(event);
  reporter.stop();
  assertStringIncludes(stderr.text, "\x1b[31m-old\x1b[39m");
  assertStringIncludes(stderr.text, "\x1b[32m+new\x1b[39m");
  assert(!stderr.text.includes("\x1b[2J"));
  // Whatever the spinner drew was cleared before a line was written over it.
  const lastDraw = stderr.text.lastIndexOf("⠋");
  assert(lastDraw < stderr.text.lastIndexOf("\r\x1b[K"));
});

Deno.test("text: a call without arguments has one space between its name and its outcome", () => {
  const { stderr } = play("text", "normal", [
    { type: "tool_start", callId: "c", name: "frobnicate", args: {} },
    { type: "tool_end", callId: "c", name: "frobnicate", durationMs: 0, result: errorResult("no such tool") },
  ]);
  assertStringIncludes(stderr, "✗ frobnicate (failed)\n");
});
