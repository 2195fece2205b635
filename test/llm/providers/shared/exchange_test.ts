import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { AppError } from "../../../../src/lib/errors.ts";
import type { Message } from "../../../../src/llm/message.ts";
import { openProvider } from "../../../../src/llm/stream.ts";
import { chatEvents } from "../../../support/chat_script.ts";
import { type HttpRequest, serveHttp } from "../../../support/http_server.ts";
import {
  collect,
  errorOf,
  messageOf,
  testEndpoint,
  testModel,
  testRequest,
} from "../../../support/llm_run.ts";

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });

interface Refusal {
  readonly status?: number;
  readonly message: string;
}

/** Asks a server that refuses what `refuse` does not like; answers with the requests that it got. */
async function ask(
  refuse: (request: HttpRequest) => Refusal | undefined,
  options: Partial<Parameters<typeof openProvider>[0]>,
  request = testRequest(),
) {
  const got: HttpRequest[] = [];
  const server = serveHttp(async (one, reply) => {
    got.push(one);
    const refusal = refuse(one);
    if (refusal !== undefined) {
      const body = JSON.stringify({ error: { message: refusal.message } });
      return await reply.send(refusal.status ?? 400, { "content-type": "application/json" }, body);
    }
    await reply.send(
      200,
      { "content-type": "text/event-stream" },
      chatEvents({ text: "ok" }, () => "c").join(""),
    );
  });
  try {
    const endpoint = testEndpoint(server.origin, options.endpoint ?? {});
    const provider = openProvider({ api: "openai-completions", retry: false, ...options, endpoint });
    const events = await collect(provider, request);
    return { got, bodies: got.map(({ text }) => text), events };
  } finally {
    await server.close();
  }
}

Deno.test("a refused key is renewed once, and the request sent again with the fresh one", async () => {
  let key = "old";
  const endpoint = testEndpoint("", {
    apiKey: () => Promise.resolve(key),
    renewKey: () => Promise.resolve(key = "fresh"),
  });
  const { baseUrl: _, ...rest } = endpoint;
  const good = await ask(
    ({ headers }) =>
      headers.authorization === "Bearer fresh" ? undefined : { status: 401, message: "expired" },
    { endpoint: rest as typeof endpoint },
  );
  messageOf(good.events);
  assertEquals(good.got.map(({ headers }) => headers.authorization), ["Bearer old", "Bearer fresh"]);

  const bad = await ask(() => ({ status: 401, message: "no" }), { endpoint: rest as typeof endpoint });
  assertEquals([errorOf(bad.events).code, bad.got.length], ["auth", 2]);
});

Deno.test("no request leaves before the endpoint is ready, and none at all where that fails", async () => {
  const endpointWith = (ready: () => Promise<void>) => {
    const { baseUrl: _, ...rest } = testEndpoint("", { ready });
    return rest as ReturnType<typeof testEndpoint>;
  };
  const log: string[] = [];
  const ready = async () => {
    await new Promise((resolve) => setTimeout(resolve, 0));
    log.push("ready");
  };
  const good = await ask(() => void log.push("asked"), { endpoint: endpointWith(ready) });
  messageOf(good.events);
  assertEquals(log, ["ready", "asked"]);

  const full = () => Promise.reject(new Error("the disk is full"));
  const bad = await ask(() => undefined, {
    retry: { retries: 3 },
    endpoint: endpointWith(full),
  });
  assertStringIncludes(errorOf(bad.events).message, "the disk is full");
  assertEquals(bad.got.length, 0);
});

Deno.test("requests after answers with calls go over the same connection", async () => {
  const server = serveHttp((_one, reply) =>
    reply.send(
      200,
      { "content-type": "text/event-stream" },
      chatEvents({ calls: [{ name: "read", args: {} }] }, () => "c").join(""),
    )
  );
  try {
    const provider = openProvider({
      api: "openai-completions",
      retry: false,
      endpoint: testEndpoint(server.origin),
    });
    const stop = new AbortController();
    for (let i = 0; i < 5; i++) messageOf(await collect(provider, testRequest(), stop.signal));
    assertEquals(server.connections, 1);
  } finally {
    await server.close();
  }
});

const image: Message = { role: "user", parts: [{ type: "image", mediaType: "image/png", data: "AAAA" }] };
const call = { type: "tool_call", id: "c1", name: "read", arguments: "{}" } as const;
const called: Message[] = [
  user("go"),
  { role: "assistant", parts: [call], stopReason: "tool_calls", model: "local/mock-1" },
  { role: "tool_result", callId: "c1", name: "read", parts: [{ type: "text", text: "x" }], isError: false },
  user("and?"),
];
const able = { ...testModel, reasoning: true, images: true };
const tools = [{ name: "read", description: "", schema: {} }];

const LESSONS: readonly [
  string,
  Parameters<typeof testRequest>[0],
  (body: string) => Refusal | undefined,
  string,
][] = [
  [
    "stream_options",
    {},
    (body) => body.includes("stream_options") ? { message: "unknown field stream_options" } : undefined,
    "",
  ],
  [
    "max_tokens under the other name",
    { maxOutput: 5 },
    (body) => body.includes('"max_tokens"') ? { message: "Use 'max_completion_tokens' instead" } : undefined,
    "",
  ],
  [
    "a thinking level",
    { model: able, thinking: "low" },
    (body) => body.includes("reasoning_effort") ? { message: "does not support reasoningEffort" } : undefined,
    "thinking level",
  ],
  [
    "a schema",
    { outputSchema: { type: "object" } },
    (body) => body.includes("response_format") ? { message: "response_format is not available" } : undefined,
    "tool call",
  ],
  [
    "images, called an error of its own",
    { model: able, messages: [image] },
    (body) =>
      body.includes("image_url") ? { status: 500, message: "image input is not supported" } : undefined,
    "images",
  ],
  [
    "a user's message after a result",
    { messages: called },
    (body) =>
      /"role":"tool"[^}]*\},\{"role":"user"/.test(body)
        ? { message: "Unexpected role 'user' after role 'tool'" }
        : undefined,
    "",
  ],
  [
    "content that is null",
    { messages: called },
    (body) =>
      body.includes('"content":null') ? { message: "messages[1].content must be a string" } : undefined,
    "",
  ],
  [
    'tool_choice "none"',
    { tools, toolChoice: "none" },
    (body) => body.includes("tool_choice") ? { message: "tool_choice: none is not supported" } : undefined,
    "",
  ],
];

for (const [what, more, refuse, told] of LESSONS) {
  Deno.test(`a server that refuses ${what} gets the request without it, and the user is told where it matters`, async () => {
    const { events, bodies } = await ask(({ text }) => refuse(text), {}, testRequest(more));
    messageOf(events);
    assertEquals(bodies.length, 2);
    const notices = events.flatMap((event) => event.type === "notice" ? [event.text] : []);
    if (told === "") assertEquals(notices, []);
    else assertStringIncludes(notices.join(), told);
  });
}

Deno.test("a refusal that nothing would change is told at once, and asked no second time", async () => {
  const { events, bodies } = await ask(
    () => ({ message: "thinking, images, stream: all wrong" }),
    {},
    testRequest(),
  );
  assertEquals([errorOf(events).code, bodies.length], ["bad_request", 1]);
  const known = await ask(() => ({ message: "qwen does not support tools" }), {}, testRequest({ tools }));
  assertStringIncludes(errorOf(known.events).hint ?? "", "--no-tools");
});

Deno.test("openai-codex-responses sends the login's account and the conversation beside its token", async () => {
  const claims = { "https://api.openai.com/auth": { chatgpt_account_id: "acc-1" } };
  const token = `h.${btoa(JSON.stringify(claims)).replaceAll("=", "")}.s`;
  const got: HttpRequest[] = [];
  const server = serveHttp(async (request, reply) => {
    got.push(request);
    const done = {
      type: "response.completed",
      response: {
        status: "completed",
        output: [{ type: "message", content: [{ type: "output_text", text: "Hi." }] }],
      },
    };
    await reply.send(200, { "content-type": "text/event-stream" }, `data: ${JSON.stringify(done)}\n\n`);
  });
  try {
    const provider = openProvider({
      api: "openai-codex-responses",
      endpoint: testEndpoint(`${server.origin}/backend-api`, { apiKey: () => Promise.resolve(token) }),
    });
    const request = testRequest({
      cacheKey: "session-1",
      messages: [{ role: "system", text: "Be brief." }, user("hi")],
    });
    assertEquals(messageOf(await collect(provider, request)).parts, [{ type: "text", text: "Hi." }]);
  } finally {
    await server.close();
  }
  const [{ path, headers, text }] = got;
  assertEquals([path, headers.authorization, headers["chatgpt-account-id"], headers.session_id], [
    "/backend-api/codex/responses",
    `Bearer ${token}`,
    "acc-1",
    "session-1",
  ]);
  const body = JSON.parse(text);
  assertEquals([body.instructions, body.store, body.stream, body.prompt_cache_key], [
    "Be brief.",
    false,
    true,
    "session-1",
  ]);
  assert(!("max_output_tokens" in body));
});

Deno.test("a key that cannot be got is told with its remedy, and nothing is sent", async () => {
  const endpoint = testEndpoint("", {
    apiKey: () => Promise.reject(new AppError("secret", "The login has ended", { hint: "Log in again" })),
  });
  const { baseUrl: _, ...rest } = endpoint;
  const { events, bodies } = await ask(() => undefined, { endpoint: rest as typeof endpoint });
  const error = errorOf(events);
  assertEquals([error.code, error.hint, bodies.length], ["auth", "Log in again", 0]);
  assertStringIncludes(error.message, "The login has ended");
});

Deno.test("a key that is none, or a header that cannot be sent, is told with its remedy and sent nowhere", async () => {
  for (
    const [own, remedy] of [
      [{ apiKey: () => Promise.resolve("Bearer sk-1") }, "Leave that word out"],
      [{ apiKey: () => Promise.resolve('"sk-1"') }, "quotation marks"],
      [{ apiKey: () => Promise.resolve("sk\u200b1") }, "invisible character"],
      [{ headers: { "x-team": "a\nb" } }, "x-team"],
      [{ headers: { "x team": "a" } }, "x team"],
      [{ headers: { "x-team": "naïve →" } }, "x-team"],
    ] as const
  ) {
    const { baseUrl: _, ...endpoint } = testEndpoint("", own);
    const { got, events } = await ask(() => undefined, { endpoint: endpoint as never });
    const error = errorOf(events);
    assertEquals([got.length, error.retryable], [0, false]);
    assertStringIncludes(`${error.message} ${error.hint}`, remedy);
  }
});

Deno.test("a header with white space around its value is sent without it", async () => {
  const { baseUrl: _, ...endpoint } = testEndpoint("", { headers: { "X-Team": " a \n" } });
  const { got } = await ask(() => undefined, { endpoint: endpoint as never });
  assertEquals(got[0].headers["x-team"], "a");
});

Deno.test("a server that takes few images is sent no more of them, in every protocol", async () => {
  const shots = Array.from({ length: 4 }, () => image);
  const model = { ...testModel, images: true };
  for (const api of ["openai-completions", "anthropic-messages", "openai-responses"]) {
    const count = (text: string) => text.split("AAAA").length - 1;
    const { bodies, events } = await ask(
      ({ text }) =>
        count(text) > 2 ? { message: "Too many images: this model supports up to 2 images" } : undefined,
      { api },
      testRequest({ model, messages: [...shots, user("what is it?")] }),
    );
    assertEquals(bodies.map(count), [4, 2], api);
    assert(events.some((event) => event.type === "notice" && event.text.includes("2 images")), api);
  }
});

Deno.test("calls that a model writes as text are told of once, however often it does so", async () => {
  const text = '<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>';
  const server = serveHttp((_, reply) =>
    reply.send(200, { "content-type": "text/event-stream" }, chatEvents({ text }, () => "c").join(""))
  );
  try {
    const endpoint = testEndpoint(server.origin);
    const provider = openProvider({ api: "openai-completions", retry: false, endpoint });
    const tools = [{ name: "read", description: "Reads.", schema: { type: "object" } }];
    const notices = async () =>
      (await collect(provider, testRequest({ tools }))).filter((event) => event.type === "notice");
    assertEquals((await notices()).length, 1);
    assertEquals(await notices(), []);
  } finally {
    await server.close();
  }
});
