/** The whole path, retries included, against a server that misbehaves: recovery, or one clear message. */
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { LlmError, type LlmErrorCode } from "../../src/llm/errors.ts";
import type { StreamEvent } from "../../src/llm/event.ts";
import { toolCalls } from "../../src/llm/message.ts";
import { openProvider } from "../../src/llm/stream.ts";
import { type FaultScenario, startFaultServer } from "../support/fault_server.ts";
import { collect, errorOf, messageOf, testEndpoint } from "../support/llm_run.ts";

/** One request with retries in a time that passes at once. */
async function run(
  scenario: FaultScenario,
): Promise<{ events: StreamEvent[]; requests: number; waited: number[] }> {
  const server = startFaultServer(scenario);
  const waited: number[] = [];
  // Only where silence is the fault: elsewhere a busy machine must not be taken for a silent server.
  const silent = /stall|no_headers|comments/.test(JSON.stringify(scenario));
  try {
    const provider = openProvider({
      api: "openai-completions",
      endpoint: testEndpoint(server.url, { idleTimeoutMs: silent ? 400 : 30_000 }),
      retryDeps: { random: () => 1, wait: (ms) => (waited.push(ms), Promise.resolve()) },
    });
    const events = await collect(provider);
    return { events, requests: server.requests.length, waited };
  } finally {
    await server.close();
  }
}

const RECOVERED: FaultScenario[] = [
  ["429"],
  ["500"],
  ["no_headers"],
  ["cut"],
  ["unfinished"],
  ["stall"],
  ["html"],
  ["cut_arguments"],
  [{ fault: "cut", calls: [{ name: "bash", args: { command: "rm -r ./old && make everything anew" } }] }],
  [{ fault: "stall", calls: [{ name: "bash", args: { command: "rm -r ./old && make everything anew" } }] }],
  ["error_chunk"],
  ["empty"],
  [{ fault: "status", status: 529, times: 6 }],
  ["500", "cut", "no_headers", "429"],
];
for (const scenario of RECOVERED) {
  const name = scenario.map((step) => typeof step === "string" ? step : `${step.times ?? 1} × ${step.fault}`)
    .join(", ");
  Deno.test(`openProvider() recovers from ${name}, and no call of a broken answer comes out`, async () => {
    const { events, waited } = await run(scenario);
    const message = messageOf(events);
    assertEquals(message.parts, [{ type: "text", text: "done" }]);
    assertEquals(toolCalls(message), []);
    assertEquals(events.filter((event) => event.type === "retry").length, waited.length);
    assert(waited.length >= scenario.length);
  });
}

const REFUSED: [FaultScenario, LlmErrorCode, string, number][] = [
  [["401"], "auth", "401", 1],
  [[{ fault: "status", status: 400 }], "bad_request", "400: refused", 1],
  [[{ fault: "status", status: 413 }], "overflow", "413", 1],
  [[{ fault: "429", retryAfter: "7200" }], "rate_limit", "asks to wait 2 h", 1],
  [[{ fault: "html", times: 9 }], "protocol", "not an event stream", 2],
  [[{ fault: "empty", times: 9 }], "protocol", "an empty answer; tried 2 times", 2],
  [[{ fault: "500", times: 9 }], "overloaded", "tried 7 times", 7],
];
for (const [scenario, code, words, count] of REFUSED) {
  Deno.test(`openProvider() gives up on ${JSON.stringify(scenario)} after ${count} requests, with "${words}"`, async () => {
    const { events, requests } = await run(scenario);
    const error = errorOf(events);
    assertEquals([error.code, requests], [code, count]);
    assertStringIncludes(error.message, words);
  });
}

Deno.test("openProvider() waits as long as Retry-After says", async () => {
  assertEquals((await run([{ fault: "429", retryAfter: "2" }])).waited, [2000]);
});

const CALLS = [{ name: "read", args: { path: "a.md" } }, { name: "read", args: { path: "b.md" } }];
const ODD: [FaultScenario[number], unknown[]][] = [
  [{ fault: "object_arguments", calls: CALLS.slice(0, 1) }, ['{"path":"a.md"}']],
  [{ fault: "missing_index", calls: CALLS }, ['{"path":"a.md"}', '{"path":"b.md"}']],
  [{ fault: "index_zero", calls: CALLS }, ['{"path":"a.md"}', '{"path":"b.md"}']],
  [{ fault: "empty_arguments", calls: CALLS.slice(0, 1) }, ["{}"]],
];
for (const [step, expected] of ODD) {
  Deno.test(`openProvider() reads ${typeof step === "string" ? step : step.fault} without a retry`, async () => {
    const { events, requests } = await run([step]);
    const message = messageOf(events);
    assertEquals([message.stopReason, requests], ["tool_calls", 1]);
    assertEquals(toolCalls(message).map((call) => call.arguments), expected);
    assert(toolCalls(message).every((call) => !call.broken));
  });
}

Deno.test("openProvider() marks a call that the output limit cut, and says length", async () => {
  const { events } = await run([{
    fault: "length",
    calls: [{ name: "write", args: { path: "a", content: "b c d e f" } }],
  }]);
  const message = messageOf(events);
  assertEquals(message.stopReason, "length");
  assertEquals(toolCalls(message).map((call) => call.broken), [true]);
});

Deno.test("openProvider() refuses an api that does not exist and names those that do", () => {
  const error = assertThrows(
    () => openProvider({ api: "smoke-signals", endpoint: testEndpoint("http://127.0.0.1:1") }),
    LlmError,
    'Unknown api "smoke-signals"',
  );
  assertStringIncludes(error.hint ?? "", "openai-completions");
});
