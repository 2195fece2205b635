import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { LlmError } from "../../src/llm/errors.ts";
import type { StreamEvent } from "../../src/llm/event.ts";
import { openaiCompletions } from "../../src/llm/providers/openai_completions/mod.ts";
import type { Endpoint } from "../../src/llm/provider.ts";
import { startChatServer } from "../support/chat_script.ts";
import { type FaultScenario, startFaultServer } from "../support/fault_server.ts";
import { serveHttp } from "../support/http_server.ts";
import { collect, errorOf, messageOf, testEndpoint, testRequest } from "../support/llm_run.ts";

const KEY = "sk-very-secret-key-123456";

/** The events of one request, without retries. */
async function once(
  step: FaultScenario[number],
  endpoint: Partial<Endpoint> = {},
): Promise<{ events: StreamEvent[]; requests: number }> {
  const server = startFaultServer([step]);
  try {
    const provider = openaiCompletions.create(testEndpoint(server.url, endpoint));
    const events = await collect(provider);
    return { events, requests: server.requests.length };
  } finally {
    await server.close();
  }
}

Deno.test("post() ends a server that sends no headers as stalled", async () => {
  const error = errorOf((await once("no_headers", { idleTimeoutMs: 60 })).events);
  assertEquals([error.code, error.retryable], ["network", true]);
  assertStringIncludes(error.message, "stream stalled: no data for 0.1 s");
});

Deno.test("post() ends a stream that falls silent, and what came is kept as partial", async () => {
  const { events } = await once({ fault: "stall", text: "one two three four" }, { idleTimeoutMs: 60 });
  const last = events.at(-1);
  assert(last?.type === "error");
  assertStringIncludes(last.error.message, "stream stalled");
  assertEquals(last.partial?.parts, [{ type: "text", text: "one two three f" }]);
});

Deno.test("post() lets comments hold a stream open, ten times the idle time and no longer", async () => {
  const error = errorOf((await once("comments", { idleTimeoutMs: 200 })).events);
  assertStringIncludes(error.message, "stream stalled: no data for 2 s");
});

Deno.test("post() reports a connection that breaks in mid-stream", async () => {
  const { events } = await once("cut");
  const error = errorOf(events);
  assertEquals([error.code, error.retryable], ["network", true]);
  assertStringIncludes(error.message, "the connection broke in the middle of the answer");
});

Deno.test("post() says that a web page is not an event stream, with status and first bytes", async () => {
  const error = errorOf((await once("html")).events);
  assertEquals(error.code, "protocol");
  assertStringIncludes(
    error.message,
    "not an event stream (status 200, begins with: <!doctype html><title>Log in",
  );
});

Deno.test("post() says so too when the page claims to be an event stream", async () => {
  const page = "<!doctype html><p>Portal</p>";
  const error = errorOf((await once({ fault: "sse", sse: page, pieceLength: 1 })).events);
  assertStringIncludes(error.message, `not an event stream (status 200, begins with: ${page})`);
  const text = errorOf((await once({ fault: "sse", sse: "Bad gateway\n" })).events);
  assertStringIncludes(text.message, "begins with: Bad gateway");
});

Deno.test("post() takes an empty body for a stream that ended early", async () => {
  const error = errorOf((await once({ fault: "sse", sse: "" })).events);
  assertEquals([error.code, error.retryable], ["network", true]);
  assertStringIncludes(error.message, "ended early");
});

Deno.test("post() accepts a whole answer as JSON", async () => {
  const { events } = await once({ fault: "json", text: "Hi", calls: [{ name: "ls", args: { path: "." } }] });
  assertEquals(messageOf(events).parts, [
    { type: "text", text: "Hi" },
    { type: "tool_call", id: "call_1", name: "ls", arguments: '{"path":"."}' },
  ]);
});

Deno.test("post() reports JSON that is an error or no chat completion", async () => {
  const failed = errorOf(
    (await once({ fault: "status", status: 200, body: '{"error":{"code":503,"message":"busy"}}' })).events,
  );
  assertEquals(failed.code, "overloaded");
  const other = errorOf((await once({ fault: "status", status: 200, body: '{"status":"ok"}' })).events);
  assertEquals(other.code, "protocol");
  assertStringIncludes(other.message, "no chat completion");
});

Deno.test("post() makes a wrong key one clear line that never holds the key", async () => {
  const body = JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}` } });
  const { events, requests } = await once({ fault: "status", status: 401, body }, {
    apiKey: () => Promise.resolve(KEY),
    keySource: "LOCAL_KEY",
  });
  const error = errorOf(events);
  assertEquals([error.code, error.retryable, requests], ["auth", false, 1]);
  assertMatch(
    error.message,
    /^Provider "local" refuses the API key \(401: Incorrect API key provided: \[secret\]\)$/,
  );
  assertEquals(error.hint, "Correct LOCAL_KEY.");
  assert(!Deno.inspect(error, { depth: 20 }).includes(KEY));
});

Deno.test("post() says that a key is missing where none was sent", async () => {
  const error = errorOf((await once("401")).events);
  assertStringIncludes(error.message, "wants an API key and none is set");
  assertStringIncludes(error.hint ?? "", 'apiKey of "local"');
});

Deno.test("post() says in a few words that what answers does not speak HTTP", async () => {
  const server = serveHttp(async (_, reply) => {
    await reply.raw("SSH-2.0-Server\r\n");
    reply.cut();
  });
  const provider = openaiCompletions.create(testEndpoint(`${server.origin}/v1`));
  const { message } = errorOf(await collect(provider));
  await server.close();
  assertMatch(message, /chat\/completions: it does not speak http$/);
});

Deno.test("post() ends an event that never ends, and says so", async () => {
  const piece = "a".repeat(1 << 20);
  const server = serveHttp(async (_, reply) => {
    let gone = false;
    reply.gone.then(() => gone = true);
    await reply.head(200, { "content-type": "text/event-stream" });
    await reply.write("data: ");
    while (!gone) {
      await reply.write(piece);
      // A turn of the loop, in which `gone` is noticed.
      await new Promise((resolve) => setTimeout(resolve));
    }
  });
  const provider = openaiCompletions.create(testEndpoint(`${server.origin}/v1`));
  const { message } = errorOf(await collect(provider));
  await server.close();
  assertStringIncludes(message, "a server-sent event is longer than");
});

Deno.test("post() names the URL of a server that is not there, without what is secret in it", async () => {
  const server = startFaultServer([]);
  await server.close();
  const url = server.url.replace("http://", "http://user:word@");
  const provider = openaiCompletions.create(testEndpoint(`${url}?token=abcdef`));
  const error = errorOf(await collect(provider));
  assertEquals([error.code, error.retryable], ["network", true]);
  assertStringIncludes(
    error.message,
    `Cannot reach provider "local" at ${server.url}/chat/completions: connection refused`,
  );
  const everything = Deno.inspect(error, { depth: 20 });
  assert(!everything.includes("word") && !everything.includes("abcdef"), everything);
});

Deno.test("post() says that a base URL is none, without what is secret in it", async () => {
  for (const baseUrl of ["localhost:8080/v1?key=abcdef", "nowhere?key=abcdef"]) {
    const error = errorOf(await collect(openaiCompletions.create(testEndpoint(baseUrl))));
    assertEquals(error.code, "bad_request");
    assertStringIncludes(error.message, 'baseUrl of provider "local" is no URL');
    assert(!Deno.inspect(error, { depth: 20 }).includes("abcdef"));
  }
});

Deno.test("post() does not follow a redirect and names where it leads", async () => {
  const { events } = await once({
    fault: "status",
    status: 308,
    headers: { location: "https://new.example/v1?k=1" },
  });
  const error = errorOf(events);
  assertEquals(error.code, "bad_request");
  assertStringIncludes(error.message, "has moved to https://new.example/v1 (308)");
});

Deno.test("post() ends without a last event when the signal aborts, before and in the answer", async () => {
  for (const fault of ["no_headers", "stall"] as const) {
    const server = startFaultServer([{ fault, text: "one two three f" }]);
    const controller = new AbortController();
    const provider = openaiCompletions.create(testEndpoint(server.url));
    const seen: string[] = [];
    const running = (async () => {
      for await (const event of provider.stream(testRequest(), controller.signal)) {
        seen.push(event.type);
        if (event.type === "text_delta") controller.abort();
      }
    })();
    if (fault === "no_headers") {
      while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      controller.abort();
    }
    await running;
    assert(!seen.includes("error") && !seen.includes("done"), `${fault}: ${seen}`);
    await server.close();
  }
});

Deno.test("post() stops waiting once the answer is finished and the server forgets to end it", async () => {
  const events = [
    'data: {"choices":[{"index":0,"delta":{"content":"All."},"finish_reason":"stop"}]}\n\n',
    "data: [DONE]\n\n",
  ];
  // A fetch whose body never ends: what a proxy that keeps the connection does.
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const event of events) controller.enqueue(new TextEncoder().encode(event));
    },
    cancel() {
      cancelled = true;
    },
  });
  const original = globalThis.fetch;
  globalThis.fetch = () => Promise.resolve(new Response(body));
  try {
    const got = await collect(openaiCompletions.create(testEndpoint("http://127.0.0.1:9/v1")));
    assertEquals(messageOf(got).parts, [{ type: "text", text: "All." }]);
    assert(cancelled, "the body was left open");
  } finally {
    globalThis.fetch = original;
  }
});

Deno.test("post() uses one connection for one request after another", async () => {
  const server = startChatServer({ turns: [{ text: "one" }], repeatLast: true });
  try {
    const provider = openaiCompletions.create(testEndpoint(server.url));
    for (let i = 0; i < 5; i++) messageOf(await collect(provider));
    assertEquals([server.requests.length, server.connections], [5, 1]);
  } finally {
    await server.close();
  }
});

Deno.test("post() refuses a key that cannot be one before anything is sent", async () => {
  const { events, requests } = await once("text", { apiKey: () => Promise.resolve("sk-a b\nc") });
  const error = errorOf(events);
  assert(error instanceof LlmError);
  assertEquals([error.code, requests], ["auth", 0]);
  assert(!error.message.includes("sk-a"));
});

Deno.test("post() sends key, headers and one JSON body", async () => {
  const server = startFaultServer(["text"]);
  try {
    const endpoint = testEndpoint(server.url.replace(/\/v1$/, "/"), {
      apiKey: () => Promise.resolve(` ${KEY}\n`),
      headers: { "X-Team": "blue" },
    });
    messageOf(await collect(openaiCompletions.create(endpoint)));
    const [request] = server.requests;
    assertEquals(request.path, "/v1/chat/completions");
    assertEquals(request.headers.authorization, `Bearer ${KEY}`);
    assertEquals(request.headers["x-team"], "blue");
    assertEquals(request.body.messages, [{ role: "user", content: "hello" }]);
  } finally {
    await server.close();
  }
});
