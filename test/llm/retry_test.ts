import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { LlmError } from "../../src/llm/errors.ts";
import type { StreamEvent } from "../../src/llm/event.ts";
import type { Provider } from "../../src/llm/provider.ts";
import { decideRetry, DEFAULT_RETRY, retrying } from "../../src/llm/retry.ts";
import { collect, errorOf, messageOf, testRequest } from "../support/llm_run.ts";

const overloaded = () => new LlmError("overloaded", "busy", { status: 529 });

function delays(random: number): number[] {
  return [1, 2, 3, 4, 5, 6, 7].flatMap((attempt) => {
    const decision = decideRetry(overloaded(), attempt, DEFAULT_RETRY, random);
    return decision.again ? [decision.delayMs] : [];
  });
}

/** A provider that plays one list of events an attempt. */
function scripted(attempts: StreamEvent[][]): { provider: Provider; calls: () => number } {
  let calls = 0;
  return {
    calls: () => calls,
    provider: {
      async *stream() {
        for (const event of attempts[calls++] ?? []) yield await Promise.resolve(event);
      },
    },
  };
}

const failure = (error: LlmError): StreamEvent[] => [{ type: "start" }, { type: "error", error }];
const success: StreamEvent[] = [
  { type: "start" },
  {
    type: "done",
    message: { role: "assistant", parts: [{ type: "text", text: "ok" }], stopReason: "stop", model: "a/b" },
  },
];

/** Time that passes at once, and remembers how much it was. */
function clock(): { waited: number[]; random: () => number; wait: (ms: number) => Promise<void> } {
  const waited: number[] = [];
  return { waited, random: () => 1, wait: (ms) => (waited.push(ms), Promise.resolve()) };
}

Deno.test("decideRetry() doubles the wait, half of it by chance, and gives up after six retries", () => {
  assertEquals(delays(1), [500, 1000, 2000, 4000, 8000, 16000]);
  assertEquals(delays(0), [250, 500, 1000, 2000, 4000, 8000]);
});

Deno.test("decideRetry() obeys Retry-After exactly, up to its bound", () => {
  const limited = (ms: number) => new LlmError("rate_limit", "slow down", { retryAfterMs: ms });
  assertEquals(decideRetry(limited(2000), 1, DEFAULT_RETRY, 0), { again: true, delayMs: 2000 });
  const decision = decideRetry(limited(3_600_000), 1, DEFAULT_RETRY, 0);
  assert(!decision.again);
  assertEquals(decision.error.code, "rate_limit");
  assertStringIncludes(decision.error.message, "asks to wait 60 min, longer than the 2 min");
});

Deno.test("decideRetry() keeps its own schedule where Retry-After is 0 or has passed", () => {
  const now = new LlmError("overloaded", "busy", { retryAfterMs: 0 });
  assertEquals(decideRetry(now, 3, DEFAULT_RETRY, 1), { again: true, delayMs: 2000 });
});

Deno.test("decideRetry() never repeats what cannot succeed", () => {
  for (const code of ["auth", "bad_request", "overflow"] as const) {
    const error = new LlmError(code, "no");
    assertEquals(decideRetry(error, 1, DEFAULT_RETRY, 0), { again: false, error });
  }
});

Deno.test("retrying() outlasts six overloaded answers in a row and shows each wait", async () => {
  const { provider, calls } = scripted([...Array(6).fill(failure(overloaded())), success]);
  const time = clock();
  const events = await collect(retrying(provider, DEFAULT_RETRY, time));
  assertEquals(messageOf(events).parts, [{ type: "text", text: "ok" }]);
  const retries = events.filter((event) => event.type === "retry");
  assertEquals(
    retries.map((retry) => [retry.attempt, retry.delayMs]),
    time.waited.map((ms, i) => [i + 1, ms]),
  );
  assertEquals(calls(), 7);
});

Deno.test("retrying() says how often it tried when it gives up", async () => {
  const { provider, calls } = scripted(Array(20).fill(failure(overloaded())));
  const error = errorOf(await collect(retrying(provider, DEFAULT_RETRY, clock())));
  assertEquals([error.message, error.code, error.status, calls()], [
    "busy; tried 7 times",
    "overloaded",
    529,
    7,
  ]);
});

Deno.test("retrying() repeats an empty success once only", async () => {
  const empty = new LlmError("protocol", "sent an empty answer", { retryLimit: 1 });
  const { provider, calls } = scripted(Array(5).fill(failure(empty)));
  const error = errorOf(await collect(retrying(provider, DEFAULT_RETRY, clock())));
  assertEquals([error.message, calls()], ["sent an empty answer; tried 2 times", 2]);
});

Deno.test("retrying() stops waiting at once when the signal aborts, without a last event", async () => {
  const controller = new AbortController();
  const { provider, calls } = scripted([
    failure(new LlmError("rate_limit", "slow", { retryAfterMs: 100_000 })),
  ]);
  const types: string[] = [];
  for await (const event of retrying(provider).stream(testRequest(), controller.signal)) {
    types.push(event.type);
    if (event.type === "retry") controller.abort();
  }
  assertEquals([types, calls()], [["start", "retry"], 1]);
});

Deno.test("retrying() ends quietly when the attempt itself was cancelled", async () => {
  const { provider } = scripted([[{ type: "start" }, { type: "text_delta", text: "a" }]]);
  const events = await collect(retrying(provider));
  assertEquals(events.map((event) => event.type), ["start", "text_delta"]);
});
