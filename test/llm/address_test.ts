import { assertEquals } from "@std/assert";
import { hostOf, methodUrl } from "../../src/llm/address.ts";

Deno.test("methodUrl() adds a version where the base names none, and nothing below a deployment", () => {
  for (
    const [base, url] of [
      ["http://h", "http://h/v1/chat/completions"],
      ["http://h/", "http://h/v1/chat/completions"],
      ["http://h/v1", "http://h/v1/chat/completions"],
      [" http://h/v1/ ", "http://h/v1/chat/completions"],
      ["http://h/api/v2", "http://h/api/v2/chat/completions"],
      ["https://h/v1beta/openai", "https://h/v1beta/openai/chat/completions"],
      ["https://h/v1/chat/completions", "https://h/v1/chat/completions"],
      ["https://h/openai/v1?api-version=preview", "https://h/openai/v1/chat/completions?api-version=preview"],
      ["https://h/openai/deployments/a?v=1", "https://h/openai/deployments/a/chat/completions?v=1"],
    ]
  ) assertEquals(methodUrl(base, "chat/completions"), url);
});

Deno.test("hostOf() takes names, addresses and user information", () => {
  assertEquals(
    ["https://Api.Example.com/v1", "http://u:p@h:8/x", "http://[::1]:8080/v1", "nothing"].map(hostOf),
    ["api.example.com", "h", "[::1]", ""],
  );
});
