import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { httpError, networkError, publicUrl, retryAfter, streamError } from "../../src/llm/classify.ts";
import { saysOverflow } from "../../src/llm/overflow.ts";

const asked = { provider: "local", url: "http://127.0.0.1:8080/v1", secrets: ["abcdefgh-secret"] };
const none = new Headers();
const openaiError = (message: string, more = {}) => JSON.stringify({ error: { message, ...more } });

const STATUSES: [number, string, string, boolean][] = [
  [401, openaiError("bad key"), "auth", false],
  [403, openaiError("not allowed"), "auth", false],
  [429, openaiError("slow down"), "rate_limit", true],
  [429, openaiError("You exceeded your current quota", { code: "insufficient_quota" }), "rate_limit", false],
  [402, openaiError("no credit"), "rate_limit", false],
  [500, openaiError("oops"), "overloaded", true],
  [502, "<html><title>502 Bad Gateway</title></html>", "overloaded", true],
  [503, "", "overloaded", true],
  [529, openaiError("Overloaded", { type: "overloaded_error" }), "overloaded", true],
  [408, "", "overloaded", true],
  [400, openaiError("unknown field"), "bad_request", false],
  [404, openaiError("model not found"), "bad_request", false],
  [422, '{"detail":[{"msg":"field required"}]}', "bad_request", false],
  [400, '[{"error":{"message":"API key not valid. Please pass a valid API key."}}]', "auth", false],
  [403, "<!doctype html><title>Just a moment...</title>", "auth", false],
  [405, "Method Not Allowed", "bad_request", false],
  [407, "Proxy Authentication Required", "bad_request", false],
  [413, "<h1>Request Entity Too Large</h1>", "overflow", false],
  [400, openaiError("too much", { code: "context_length_exceeded" }), "overflow", false],
  [500, openaiError("the request exceeds the available context size"), "overflow", false],
];
for (const [status, body, code, retryable] of STATUSES) {
  Deno.test(`httpError() takes ${status} with ${body.slice(0, 60) || "no body"} for ${code}`, () => {
    const error = httpError(asked, status, none, body);
    assertEquals([error.code, error.retryable, error.status], [code, retryable, status]);
    assertStringIncludes(error.message, '"local"');
    assert(!error.message.includes("\n"));
  });
}

Deno.test("httpError() shows what the server says, on one line, cut, without secrets", () => {
  const long = `first\nline \u001b[31mred abcdefgh-secret ${"x".repeat(1000)}`;
  const { message } = httpError(asked, 400, none, openaiError(long));
  assertStringIncludes(message, "(400: first line [31mred [secret] xxx");
  assert(message.length < 420);
});

Deno.test("httpError() reads the shapes in which servers wrap a message", () => {
  const says = (body: unknown) => httpError(asked, 400, none, JSON.stringify(body)).message;
  assertStringIncludes(says({ error: "plain" }), "(400: plain)");
  assertStringIncludes(says({ message: "flat" }), "(400: flat)");
  assertStringIncludes(says({ detail: "detail" }), "(400: detail)");
  assertStringIncludes(says([{ error: { message: "listed" } }]), "(400: listed)");
  assertStringIncludes(
    says({ error: { message: "Provider error", metadata: { raw: "real one" } } }),
    "real one",
  );
  assertStringIncludes(
    httpError(asked, 502, none, "<title>Bad gateway</title>").message,
    "(502: Bad gateway)",
  );
  const page = "<style>p { color: red }</style><script>go()</script><p>Out of <b>order</b></p>";
  assertStringIncludes(httpError(asked, 503, none, page).message, "(503: Out of order)");
});

Deno.test("networkError() does not send again what a blocked port would refuse again", () => {
  const error = networkError(asked, new TypeError("Fetch failed: Requests to port 9 are blocked"));
  assertEquals([error.code, error.retryable], ["bad_request", false]);
  assertStringIncludes(error.hint ?? "", "another port");
});

Deno.test("retryAfter() reads seconds, milliseconds and an HTTP date", () => {
  const now = Date.parse("Tue, 01 Dec 2026 10:00:00 GMT");
  const read = (headers: Record<string, string>) => retryAfter(new Headers(headers), now);
  assertEquals(read({ "retry-after": "2" }), 2000);
  assertEquals(read({ "retry-after": "1.5" }), 1500);
  assertEquals(read({ "retry-after-ms": "250", "retry-after": "1" }), 250);
  assertEquals(read({ "retry-after": "Tue, 01 Dec 2026 10:00:07 GMT" }), 7000);
  assertEquals(read({ "retry-after": "Tue, 01 Dec 2026 09:00:00 GMT" }), 0);
  assertEquals(read({ "retry-after": "soon" }), undefined);
  assertEquals(read({}), undefined);
});

Deno.test("streamError() takes an error in mid-stream for one that may pass, unless it says otherwise", () => {
  const code = (error: unknown) => streamError(asked, error).code;
  assertEquals(code({ code: 502, message: "gone" }), "overloaded");
  assertEquals(code("runner stopped"), "overloaded");
  assertEquals(code({ type: "overloaded_error", message: "Overloaded" }), "overloaded");
  assertEquals(code({ type: "rate_limit_error", message: "slow" }), "rate_limit");
  assertEquals(code({ type: "invalid_request_error", message: "no" }), "bad_request");
  assertEquals(code({ code: "context_length_exceeded", message: "no" }), "overflow");
  assertEquals(code({ type: "authentication_error", message: "no" }), "auth");
});

Deno.test("publicUrl() leaves out user information, query and fragment", () => {
  assertEquals(publicUrl("https://u:p@host:8/v1/x?key=1#a"), "https://host:8/v1/x");
});

Deno.test("httpError() says of a page in the server's place that it is one, and of a wrong address what was asked", () => {
  const page = httpError(asked, 403, none, "<html><title>Just a moment...</title></html>");
  assertStringIncludes(page.message, "A web page answers");
  assertStringIncludes(page.hint ?? "", "http://127.0.0.1:8080/v1");
  assertStringIncludes(
    httpError(asked, 404, none, "404 page not found").hint ?? "",
    "http://127.0.0.1:8080/v1",
  );
  assertStringIncludes(
    httpError(asked, 413, none, "<h1>Request Entity Too Large</h1>").message,
    "the server of provider",
  );
});

Deno.test("networkError() names what helps against a certificate that nobody here knows, and does not try again", () => {
  const error = networkError(
    asked,
    new TypeError("client error (Connect): invalid peer certificate: UnknownIssuer"),
  );
  assertEquals([error.code, error.retryable], ["network", false]);
  assertStringIncludes(error.hint ?? "", "DENO_CERT");
});

const OVERFLOWS = [
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "prompt is too long: 213462 tokens > 200000 maximum",
  "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
  "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
  "the request exceeds the available context size (4096 tokens), try increasing it",
  "request (5000 tokens) exceeds the available context size (4096 tokens)",
  "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
  "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
  "Requested token count exceeds the model's maximum context length of 4096 tokens.",
  "The number of tokens to keep from the initial prompt is greater than the context length.",
  "the input length exceeds the context length",
  "prompt too long; exceeded max context length by 200 tokens",
  "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
  "too many tokens: size limit exceeded by 300 tokens",
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  "Please reduce the length of the messages or completion.",
  "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens",
  "prompt token count of 123456 exceeds the limit of 64000",
  "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens",
  "Input is too long for requested model.",
  "Your request exceeded model token limit: 131072",
  "tokens in request more than max tokens allowed",
  "invalid params, context window exceeds limit (2013)",
  "Range of input length should be [1, 30720]",
  "`inputs` must have less than 1024 tokens. Given: 2000",
  "Input length (5000) exceeds model's maximum context length (4096).",
  "Input tokens exceed the configured limit of 272000 tokens.",
  "tokens limit exceeded: 40000 > 32768",
  "The request requires 12000 tokens, but the model only supports 8192",
  "The number of tokens in the prompt (9000) is larger than the maximum of 8192",
  "slot context is full",
  "the prompt (9000 tokens) does not fit into n_ctx 8192",
  "The engine prompt length 9000 exceeds the max_model_len 8192",
  "You passed 9000 input tokens. However the model's context length is only 8192 tokens",
  "context_window_exceeded",
  "Conversation exceeds maximum length",
];
for (const text of OVERFLOWS) {
  Deno.test(`saysOverflow() knows "${text.slice(0, 70)}"`, () => assert(saysOverflow(text)));
}

for (
  const text of [
    "Rate limit reached for requests per minute",
    "Invalid value for temperature: exceeds the maximum of 2",
    "Unknown model: tern-2",
    "messages: text content blocks must be non-empty",
    "You have exceeded the maximum number of concurrent requests",
    "Tool name is too long",
    "max_tokens must be <= 8192",
    "max_completion_tokens: 100000 exceeds the maximum of 16384",
    "Your credit limit has been exceeded",
  ]
) {
  Deno.test(`saysOverflow() does not take "${text}" for one`, () => assert(!saysOverflow(text)));
}
