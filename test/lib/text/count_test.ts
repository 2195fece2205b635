import { assertEquals } from "@std/assert";
import { grouped } from "../../../src/lib/text/count.ts";

Deno.test("grouped() puts commas between thousands", () => {
  assertEquals([0, 7, 999, 1000, 12345, 1234567, -1234, 1999.6].map(grouped), [
    "0",
    "7",
    "999",
    "1,000",
    "12,345",
    "1,234,567",
    "-1,234",
    "2,000",
  ]);
});
