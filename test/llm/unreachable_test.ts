import { assertEquals, assertStringIncludes } from "@std/assert";
import { networkError } from "../../src/llm/unreachable.ts";

const asked = { provider: "local", url: "http://127.0.0.1:8080/v1", secrets: ["abcdefgh-secret"] };

Deno.test("networkError() does not send again what a blocked port would refuse again", () => {
  const error = networkError(asked, new TypeError("Fetch failed: Requests to port 9 are blocked"));
  assertEquals([error.code, error.retryable], ["bad_request", false]);
  assertStringIncludes(error.hint ?? "", "another port");
});

Deno.test("networkError() names what helps against a certificate that nobody here knows, and does not try again", () => {
  const error = networkError(
    asked,
    new TypeError("client error (Connect): invalid peer certificate: UnknownIssuer"),
  );
  assertEquals([error.code, error.retryable], ["network", false]);
  assertStringIncludes(error.hint ?? "", "DENO_CERT");
});
