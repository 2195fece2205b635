import { assertEquals } from "@std/assert";
import { applyPatch } from "diff";
import fc from "fast-check";
import { unifiedDiff } from "../../../src/lib/text/unified_diff.ts";

Deno.test("unifiedDiff() shows changes with lines around them and their places", () => {
  const before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n";
  const after = "a\nb\nc\nD\ne\nf\ng\nh\ni\nj\nk";
  const { diff, added, removed } = unifiedDiff("f.txt", before, after, { context: 1 });
  assertEquals(
    diff,
    "--- f.txt\n+++ f.txt\n@@ -3,3 +3,3 @@\n c\n-d\n+D\n e\n@@ -10,2 +10,2 @@\n j\n-k\n+k\n\\ No newline at end of file\n",
  );
  assertEquals([added, removed], [2, 2]);
  assertEquals(unifiedDiff("f", "x", "x"), { diff: "", added: 0, removed: 0 });
  assertEquals(unifiedDiff("f", "", "x\n", { bare: true }).diff, "@@ -0,0 +1 @@\n+x\n");
});

Deno.test("unifiedDiff() makes what patch programs apply", () => {
  const line = fc.constantFrom("a", "b", "c", "", "  x", "é🙂");
  const text = fc.tuple(fc.array(line, { maxLength: 14 }), fc.boolean())
    .map(([lines, end]) => lines.join("\n") + (end && lines.length > 0 ? "\n" : ""));
  fc.assert(
    fc.property(text, text, fc.integer({ min: 0, max: 4 }), (before, after, context) => {
      fc.pre(before !== after);
      assertEquals(applyPatch(before, unifiedDiff("f", before, after, { context }).diff), after);
    }),
    { numRuns: 2000 },
  );
});
