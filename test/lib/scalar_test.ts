import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { formatDuration, formatSize, parseDuration, parseSize } from "../../src/lib/scalar.ts";

Deno.test("parseDuration() reads what people write, and refuses the rest", () => {
  assertEquals(["500ms", "90s", "5m", "2h", "1.5s", "0", " 3 s "].map(parseDuration), [
    500,
    90_000,
    300_000,
    7_200_000,
    1500,
    0,
    3000,
  ]);
  assertEquals(["", "5", "-1s", "1d", "s", "1e9s", "5 minutes"].map(parseDuration), Array(7).fill(undefined));
});

Deno.test("parseSize() reads what people write, and refuses the rest", () => {
  assertEquals(["32KiB", "10MB", "1gib", "7B", "0"].map(parseSize), [
    32_768,
    10_000_000,
    1_073_741_824,
    7,
    0,
  ]);
  assertEquals(["", "32", "32K", "-1B", "1TB"].map(parseSize), Array(5).fill(undefined));
});

Deno.test("formatDuration() and formatSize() are read back as what they were", () => {
  fc.assert(fc.property(fc.nat(), (value) => {
    assertEquals(parseDuration(formatDuration(value)), value);
    assertEquals(parseSize(formatSize(value)), value);
  }));
  assertEquals([120_000, 300_000, 3_600_000, 1500].map(formatDuration), ["120s", "5m", "1h", "1500ms"]);
  assertEquals([32_768, 10_000_000, 1001].map(formatSize), ["32KiB", "10MB", "1001B"]);
});
