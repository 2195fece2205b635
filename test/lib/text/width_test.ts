import { assertEquals } from "@std/assert";
import { cells, fitCells } from "../../../src/lib/text/width.ts";

Deno.test("cells() counts wide characters twice and combining marks not at all", () => {
  assertEquals(["abc", "漢字", "한글", "é", "e\u0301", "⠋", "✓", "👍"].map(cells), [3, 4, 4, 1, 1, 1, 1, 2]);
});

Deno.test("fitCells() never goes past the limit", () => {
  assertEquals([fitCells("漢字漢字", 5), fitCells("abcdef", 4), fitCells("abc", 3)], [
    "漢字…",
    "abc…",
    "abc",
  ]);
});
