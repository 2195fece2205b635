import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { httpError, retryAfter, streamError } from "../../src/llm/classify.ts";

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
