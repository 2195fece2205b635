import { assertEquals } from "@std/assert";
import { publicUrl } from "../../src/llm/asked.ts";

Deno.test("publicUrl() leaves out user information, query and fragment", () => {
  assertEquals(publicUrl("https://u:p@host:8/v1/x?key=1#a"), "https://host:8/v1/x");
});
