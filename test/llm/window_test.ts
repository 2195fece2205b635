import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { LlmError } from "../../src/llm/errors.ts";
import { Calibration, estimateRequest, estimateText } from "../../src/llm/estimate.ts";
import type { StreamEvent } from "../../src/llm/event.ts";
import { readLimits, watchingWindow } from "../../src/llm/window.ts";
import { collect, errorOf, testModel, testRequest } from "../support/llm_run.ts";

const long = testRequest({
  messages: [{ role: "system", text: "rule ".repeat(4000) }, {
    role: "user",
    parts: [{ type: "text", text: "hi" }],
  }],
});

function answering(input: number | undefined): StreamEvent {
  const usage = { input: input ?? 0, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  return {
    type: "done",
    message: {
      role: "assistant",
      parts: [{ type: "text", text: "ok" }],
      stopReason: "stop",
      model: "local/mock-1",
      ...(input === undefined ? {} : { usage }),
    },
  };
}
const saying = (...events: StreamEvent[]) => ({
  async *stream() {
    yield* events;
  },
});

Deno.test("watchingWindow() tells once, with the remedy, of a server that counts far less than was sent", async () => {
  const provider = watchingWindow(saying(answering(2048)), "ollama");
  const [notice] = await collect(provider, long);
  assert(notice.type === "notice");
  assertStringIncludes(notice.text, "2048 tokens of about ");
  assertStringIncludes(notice.text, "OLLAMA_CONTEXT_LENGTH");
  assertEquals((await collect(provider, long)).map((event) => event.type), ["done"]);
});

Deno.test("watchingWindow() says nothing where the counts agree, are unknown, or the prompt is short", async () => {
  for (const [input, request] of [[4200, long], [undefined, long], [3, testRequest()]] as const) {
    assertEquals((await collect(watchingWindow(saying(answering(input))), request)).map((one) => one.type), [
      "done",
    ]);
  }
});

Deno.test("watchingWindow() says nothing of images that a server counts for next to nothing, or was not sent", async () => {
  const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
  const icons = testRequest({ messages: [{ role: "user", parts: Array.from({ length: 5 }, () => image) }] });
  assertEquals((await collect(watchingWindow(saying(answering(300))), icons)).map((one) => one.type), [
    "done",
  ]);
});

Deno.test("watchingWindow() says of an overflow what fills the window, by the server's own numbers", async () => {
  const error = new LlmError("overflow", "prompt is too long: 12000 tokens > 8000 maximum", {
    hint: "Start anew.",
  });
  const said = errorOf(await collect(watchingWindow(saying({ type: "error", error })), long));
  assertEquals([said.code, said.contextWindow], ["overflow", 8000]);
  assertStringIncludes(said.hint ?? "", "About 12000 tokens for a window of 8000");
  assertStringIncludes(said.hint ?? "", "of instructions");
  assertStringIncludes(said.hint ?? "", "Start anew.");
});

Deno.test("readLimits() finds window and count in many wordings", () => {
  const texts: [string, number | undefined, number | undefined][] = [
    ["This model's maximum context length is 8192 tokens. However, you requested 10,240 tokens", 8192, 10240],
    ["prompt is too long: 213462 tokens > 200000 maximum", 200000, 213462],
    ["the request exceeds the available context size (4096 tokens)", 4096, undefined],
    ['{"n_prompt_tokens":9000,"n_ctx":8192}', 8192, 9000],
    [
      "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).",
      1048576,
      1196265,
    ],
    ["too large", undefined, undefined],
  ];
  for (const [text, limit, requested] of texts) {
    assertEquals([readLimits(text).limit, readLimits(text).requested], [limit, requested], text);
  }
});

Deno.test("estimateText() is near for Latin and wide scripts, and corrected by what a server counted", () => {
  assert(Math.abs(estimateText("The quick brown fox jumps over the lazy dog. ".repeat(100)) - 1250) < 400);
  assert(estimateText("敏捷的棕色狐狸跳过懒狗".repeat(100)) > 800);
  assertEquals(estimateText(""), 0);
  const calibration = new Calibration();
  calibration.learn(1000, 1500);
  assertEquals(calibration.correct(2000), 3000);
  calibration.learn(1000, 1);
  assertEquals(calibration.correct(2000), 1000, "what differs by more is another request");
  const size = estimateRequest(long);
  assertEquals(size.total, size.system + size.tools + size.messages + size.results);
});

Deno.test("watchingWindow() tells, after the server was asked in the background, that it keeps less than the settings say", async () => {
  const request = testRequest({ model: { ...testModel, contextWindow: 32_768 } });
  const asked: string[] = [];
  const provider = watchingWindow(saying(answering(3)), undefined, ({ model }) => {
    asked.push(model.id);
    return Promise.resolve({ models: [], vendor: "llamacpp", contextWindow: 4096 });
  });
  assertEquals((await collect(provider, request)).map(({ type }) => type), ["done"]);
  const [notice] = await collect(provider, request);
  assert(notice.type === "notice");
  assertStringIncludes(notice.text, "keeps 4096 tokens");
  assertStringIncludes(notice.text, "llama-server with -c");
  await collect(provider, request);
  assertEquals(asked, ["mock-1"]);
});
