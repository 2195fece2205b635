/**
 * The whole program against a server that fails: answers that are errors,
 * connections that break or fall silent, streams that end too early. What
 * holds of every run is in test/support/fault_run.ts. Calls that come in odd
 * forms are in faults_calls_test.ts, Ctrl-C in faults_signals_test.ts.
 */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { assertCleanTexts, type Expected, meet, meetAll } from "../support/fault_run.ts";
import { type FaultStep, startFaultServer } from "../support/fault_server.ts";
import { createProject } from "../support/program.ts";

const says = (message: unknown, type?: string) => JSON.stringify({ error: { message, type } });
const status = (status: number, body: string, headers: Record<string, string> = {}): FaultStep => ({
  fault: "status",
  status,
  body,
  headers,
});
const sse = (...chunks: unknown[]): FaultStep => ({
  fault: "sse",
  sse: chunks.map((chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`).join(
    "",
  ),
});
const delta = (delta: unknown, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
/** Silence is short in these tests. */
const IMPATIENT = { idleTimeout: "1s" };

Deno.test("run ends at once, with one line, where sending again cannot help", async () => {
  const refused = (step: FaultStep, ...parts: (string | RegExp)[]): Expected => ({
    scenario: [step],
    code: 1,
    requests: 1,
    retries: 0,
    says: parts,
  });
  await meetAll({
    "401": refused({ fault: "401" }, "refuses the API key (401", "Correct MOCK_KEY."),
    "401 that echoes the key": refused(
      status(401, says("Incorrect API key provided: sk-mock-CANARY.")),
      "provided: [secret].",
    ),
    "403": refused(
      status(403, says("Your plan lacks it")),
      "denies access (403: Your plan lacks it)",
      "MOCK_KEY",
    ),
    "400": refused(
      status(400, says("Unsupported parameter: 'seed'")),
      "Unsupported parameter: 'seed'",
      "options",
    ),
    "404, no such model": refused(
      status(404, says("The model `mock-1` does not exist", "not_found_error")),
      "The model `mock-1` does not exist",
      "model's name",
    ),
    "404, a web page": refused(
      status(404, "<html><head><title>404 Not Found</title></head><body>nginx</body></html>"),
      "404 Not Found",
      "baseUrl",
    ),
    "413": refused(status(413, "Payload Too Large"), "too large for the server", "larger context window"),
    "400, context overflow": refused(
      status(400, says("This model's maximum context length is 8192 tokens.", "context_length_exceeded")),
      "too large for the model",
      "8192",
      "larger context window",
    ),
    "429, no credit": refused(
      status(429, says("You exceeded your current quota", "insufficient_quota")),
      "wants to be paid",
    ),
    "429, wait for ten minutes": refused(
      { fault: "429", retryAfter: "600" },
      "asks to wait 10 min, longer than the 2 min",
    ),
    "redirect": refused(
      status(307, "", { location: "https://me:CANARY@elsewhere.test/v1/chat?key=CANARY" }),
      "has moved to https://elsewhere.test/v1/chat (307)",
      "baseUrl",
    ),
    "an error of several lines": refused(
      status(400, says("one\n\u001b[31mtwo\nthree")),
      "(400: one [31mtwo three)",
    ),
  });
});

Deno.test("run waits exactly as long as the server asks for, in seconds or until a date", async () => {
  const waits = (step: FaultStep, least: number, most: number): Expected => ({
    scenario: [step],
    code: 0,
    requests: 2,
    retries: 1,
    says: ["limits requests (429"],
    also({ of, server: { requests } }) {
      const delay = Number(of("retry")[0].delayMs);
      assert(delay >= least && delay <= most, `it waits ${delay} ms`);
      assert(requests[1].at - requests[0].at >= delay - 2, "it did not wait");
    },
  });
  await meetAll({
    seconds: waits({ fault: "429", retryAfter: "1" }, 1000, 1000),
    date: waits(
      { fault: "429", retryAfter: () => new Date(Date.now() + 2000).toUTCString() },
      1,
      2000,
    ),
    milliseconds: waits(status(429, "", { "retry-after-ms": "50" }), 50, 50),
    "no time at all: its own schedule": waits({ fault: "429", retryAfter: "0" }, 250, 500),
  });
});

Deno.test("run recovers from what passes, and nothing of the failed attempt stays", async () => {
  const recovers = (step: FaultStep, ...parts: (string | RegExp)[]): Expected => ({
    scenario: [step],
    code: 0,
    requests: 2,
    retries: 1,
    says: parts,
  });
  const recoversFromSilence = (step: FaultStep): Expected => ({
    ...recovers(step, "stream stalled: no data for 1 s"),
    provider: IMPATIENT,
  });
  await meetAll({
    "no headers": recoversFromSilence({ fault: "no_headers" }),
    "stall": recoversFromSilence({ fault: "stall" }),
    "500": recovers({ fault: "500" }, "500"),
    "503, no JSON": recovers(status(503, "<h1>Service Unavailable</h1>"), "503: Service Unavailable"),
    "529": recovers(
      status(529, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'),
      "529: Overloaded",
    ),
    "cut": recovers({ fault: "cut" }, "the connection broke in the middle of the answer"),
    "clean end without a finish": recovers({ fault: "unfinished" }, "stream ended early"),
    "nothing at all": recovers(sse(), "the answer is empty"),
    "[DONE] without a finish": recovers(sse(delta({ content: "ha" }), "[DONE]"), "stream ended early"),
    "a web page": recovers({ fault: "html" }, "not an event stream (status 200", "Log in"),
    "an error in the stream": recovers({ fault: "error_chunk" }, "upstream has gone"),
    "an error alone, status 200": recovers(status(200, says("busy", "server_error")), "busy"),
    "finish_reason error": recovers(
      sse(delta({ content: "ha" }), delta({}, "error"), "[DONE]"),
      'the answer ended with "error"',
    ),
    "no JSON in an event": recovers(sse(delta({ content: "ha" }), "{oops"), "sent what is not JSON"),
    "empty success": recovers({ fault: "empty" }, "sent an empty answer"),
  });
});

Deno.test("run takes a whole answer from a server that does not stream", () =>
  meet({
    scenario: [{ fault: "json", text: "at once" }],
    code: 0,
    requests: 1,
    retries: 0,
    text: "at once",
  }));

Deno.test("run gives up after a while, says why and what to do, and its session goes on", async () => {
  const closed = startFaultServer([]);
  await closed.close();
  await meetAll({
    "stalls, each time": {
      scenario: [{ fault: "stall", times: 3 }],
      provider: IMPATIENT,
      code: 1,
      requests: 3,
      retries: 2,
      says: ["stream stalled: no data for 1 s; tried 3 times"],
      also: keepsHalf,
    },
    "no headers, ever": {
      scenario: [{ fault: "no_headers", times: 3 }],
      provider: IMPATIENT,
      code: 1,
      requests: 3,
      retries: 2,
      says: ["stream stalled: no data for 1 s; tried 3 times", "idleTimeout"],
    },
    "a storm of 529": {
      scenario: [{ ...status(529, says("Overloaded"), { "retry-after-ms": "5" }), times: 7 }],
      code: 1,
      requests: 7,
      retries: 6,
      says: ["529: Overloaded); tried 7 times", "Try again later"],
    },
    "a storm of 429": {
      scenario: [{ ...status(429, says("Slow down"), { "retry-after": "0.01" }), times: 7 }],
      code: 1,
      requests: 7,
      retries: 6,
      says: ["429: Slow down); tried 7 times"],
    },
    "six failures in a row, then an answer": {
      scenario: [{ ...status(529, says("Overloaded"), { "retry-after-ms": "5" }), times: 6 }],
      code: 0,
      requests: 7,
      retries: 6,
    },
    "a web page, each time": {
      scenario: [{ fault: "html", times: 2 }],
      code: 1,
      requests: 2,
      retries: 1,
      says: ["not an event stream (status 200, begins with: <!doctype html><title>Log in", "baseUrl"],
    },
    "empty successes": {
      scenario: [{ fault: "empty", times: 2 }],
      code: 1,
      requests: 2,
      retries: 1,
      says: ["sent an empty answer; tried 2 times", "another model"],
    },
    "nobody listens": {
      scenario: [],
      url: closed.url,
      code: 1,
      requests: 0,
      retries: 2,
      says: [
        `Cannot reach provider "mock" at ${closed.url}/chat/completions: connection refused`,
        "Start the server",
      ],
    },
    "a host that does not exist": {
      scenario: [],
      // A label longer than any name has: refused without a question to a name server, which may be slow.
      url: `http://${"a".repeat(64)}.invalid:8080/v1`,
      code: 1,
      requests: 0,
      retries: 2,
      says: ["Cannot reach", "aaa.invalid", "the host name is not known", "baseUrl"],
    },
    "an error after two steps": {
      scenario: [{ fault: "calls", text: "I look.", calls: [{ name: "ls" }] }, status(400, says("no more"))],
      code: 1,
      requests: 2,
      retries: 0,
      text: "I look.",
      says: ["400: no more"],
    },
  });
});

Deno.test("run does not wait for ever for a server that sends nothing but comments", async () => {
  const server = startFaultServer([{ fault: "comments", times: 10 }]);
  await using project = await createProject({ url: server.url, provider: { idleTimeout: "250ms" } });
  const ended = await project.run(["run", "-o", "json", "do it"]);
  assertEquals([ended.code, ended.lines[0].reason], [1, "error"], ended.stderr);
  // On a busy machine it may fall silent, too, and is tried once more then; what counts is that it ends.
  assertMatch(
    String(ended.lines[0].error),
    /^Provider "mock": stream stalled: no data for [\d.]+ s; tried [23] times$/,
  );
  assert(server.requests.length <= 3);
  await server.close();
});

/** The half that arrived is told as what it is, and the model is told of it. */
async function keepsHalf(
  { of, end }: { of: (type: string) => readonly Record<string, unknown>[]; end: object },
) {
  const told = of("notice").map((notice) => String(notice.text));
  assertEquals(told.filter((text) => /broke off after: half of an/.test(text)).length, 1, told.join("\n"));
  const session = await Deno.readTextFile(String((end as { sessionFile?: unknown }).sessionFile));
  assertStringIncludes(session, "Your answer broke off");
}

Deno.test("run -o text and -o json keep stdout for the answer, whatever went wrong before it", async () => {
  const server = startFaultServer(["cut", { fault: "text", text: "Whole." }, "error_chunk", {
    fault: "text",
    text: "Whole.",
  }]);
  await using project = await createProject({ url: server.url });
  const text = await project.run(["run", "do it"]);
  assertEquals([text.code, text.stdout], [0, "Whole.\n"], text.stderr);
  assertStringIncludes(text.stderr, "trying again in");
  const json = await project.run(["run", "-q", "-o", "json", "do it"]);
  assertEquals([json.code, json.lines.length, json.lines[0].text], [0, 1, "Whole."]);
  assertStringIncludes(json.stderr, "trying again in");
  await server.close();
});

Deno.test("run prints no answer that broke off: it goes to stderr, named", async () => {
  const server = startFaultServer([
    sse(delta({ content: "The fault is in line 17" }), {
      error: { message: "no", type: "invalid_request_error" },
    }),
  ]);
  await using project = await createProject({ url: server.url });
  const ended = await project.run(["run", "do it"]);
  assertEquals([ended.code, ended.stdout], [1, ""], ended.stderr);
  assertStringIncludes(ended.stderr, "broke off after: The fault is in line");
  assertCleanTexts(ended);
  await server.close();
});

Deno.test("run --quiet prints a failure and its remedy, and nothing else", async () => {
  const server = startFaultServer(["401"]);
  await using project = await createProject({ url: server.url });
  const ended = await project.run(["run", "-q", "do it"]);
  assertEquals([ended.code, ended.stdout], [1, ""]);
  assertEquals(
    ended.stderr,
    'Error: Provider "mock" refuses the API key (401: Incorrect API key provided)\nCorrect MOCK_KEY.\n',
  );
  await server.close();
});

Deno.test("run says which variable is wanted where a server asks for a key and there is none", async () => {
  const server = startFaultServer(["401"]);
  await using project = await createProject();
  const ended = await project.run(["run", "-m", "openai/x", "-o", "json", "do it"], {
    env: { OPENAI_BASE_URL: server.url },
  });
  assertEquals([ended.code, server.requests.length], [1, 1], ended.stderr);
  assertStringIncludes(String(ended.lines[0].error), "wants an API key and none is set");
  assertEquals(ended.lines[0].hint, "Set OPENAI_API_KEY.");
  await server.close();
});
