import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { LlmError } from "../../src/llm/errors.ts";
import type { StreamEvent } from "../../src/llm/event.ts";
import type { Provider } from "../../src/llm/provider.ts";
import { parseRecording, record } from "../../src/llm/recording.ts";
import { openProvider } from "../../src/llm/stream.ts";
import { startFaultServer } from "../support/fault_server.ts";
import { collect, errorOf, messageOf, testEndpoint } from "../support/llm_run.ts";

const KEY = "sk-very-secret-key-123456";

function replayOf(text: string): Provider {
  return openProvider({
    api: "replay",
    endpoint: testEndpoint("replay:", { recording: () => Promise.resolve(text) }),
  });
}

const plain = (events: StreamEvent[]) =>
  events.map((event) =>
    event.type === "error" || event.type === "retry"
      ? { type: event.type, text: Deno.inspect(event).split("\n")[0] }
      : event
  );

Deno.test("record() writes what replay plays back, errors and retries included, and no key", async () => {
  const server = startFaultServer([
    { fault: "calls", text: "I look.", calls: [{ name: "ls", args: { path: "." } }] },
    "500",
    { fault: "text", text: "Zoë 😀" },
    { fault: "401" },
  ]);
  const lines: string[] = [];
  const live = record(
    openProvider({
      api: "openai-completions",
      endpoint: testEndpoint(server.url, { apiKey: () => Promise.resolve(KEY) }),
      retryDeps: { random: () => 0, wait: () => Promise.resolve() },
    }),
    (line) => void lines.push(line),
  );
  const recorded = [await collect(live), await collect(live), await collect(live)];
  await server.close();
  const text = lines.map((line) => line + "\n").join("");
  assert(!text.includes(KEY) && !text.includes("hello"), "the recording holds a key or what was sent");

  const played = replayOf(text);
  for (const events of recorded) assertEquals(plain(await collect(played)), plain(events));
  assertEquals(errorOf(recorded[2]).code, "auth");
  const beyond = errorOf(await collect(played));
  assertStringIncludes(beyond.message, "has 3 answers and this is request 4");
});

Deno.test("record() goes on without its file, and says so once", async () => {
  const server = startFaultServer([{ fault: "text", text: "one two three four five" }]);
  const provider = openProvider({ api: "openai-completions", endpoint: testEndpoint(server.url) });
  const events = await collect(record(provider, () => Promise.reject(new Error("disk full"))));
  await server.close();
  assertEquals(messageOf(events).stopReason, "stop");
  assertEquals(events.filter((event) => event.type === "notice"), [
    { type: "notice", text: "The recording stops here: disk full" },
  ]);
});

Deno.test("replay says when a request is another than the recorded one", async () => {
  const done = { role: "assistant", parts: [{ type: "text", text: "x" }], stopReason: "stop", model: "a/b" };
  const text = [
    { recording: 1 },
    { request: 1, model: "a/b", messages: 4, tools: 0 },
    { request: 1, event: { type: "done", message: done } },
    { request: 2, model: "a/b", messages: 1, tools: 0 },
    { request: 2, event: { type: "text_delta", text: "half" } },
    { request: 2, cancelled: true },
  ].map((line) => JSON.stringify(line)).join("\n");
  const played = replayOf(text);
  assertEquals((await collect(played)).map((event) => event.type === "notice" ? event.text : event.type), [
    "Request 1 has 1 messages, the recorded one had 4",
    "done",
  ]);
  const error = errorOf(await collect(played));
  assertStringIncludes(error.message, "request 2 was cancelled before its end");
  assertEquals(error.retryable, false);
});

Deno.test("parseRecording() names the line that is wrong", () => {
  assertThrows(() => parseRecording("hello"), LlmError, "Line 1 of the recording is not JSON");
  assertThrows(() => parseRecording('{"a":1}'), LlmError, "Line 1 of the recording does not begin");
  assertThrows(
    () => parseRecording('{"recording":1}\n[1]'),
    LlmError,
    "Line 2 of the recording is not an object",
  );
  assertThrows(
    () => parseRecording('{"recording":1}\n{"request":3,"event":{}}'),
    LlmError,
    "Line 2 of the recording belongs to a request that it does not begin",
  );
});

Deno.test("replay without a recording is a clear error", async () => {
  const provider = openProvider({ api: "replay", endpoint: testEndpoint("replay:") });
  assertStringIncludes(errorOf(await collect(provider)).message, "no recording was given");
});
