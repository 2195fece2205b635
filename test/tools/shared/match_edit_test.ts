import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { matchEdit } from "../../../src/tools/shared/match_edit.ts";

const piece = fc.constantFrom(
  ..."a b foo “ \" ' ’ - — } { é 🙂 ⟨E9⟩ ␛".split(" "),
  ...["  ", "\t", "\n", "\r\n", "\r", "\u00a0", " ", "\udce9", "\x1b", "1\t", "2\t"],
);
const text = (maxLength: number) => fc.array(piece, { maxLength }).map((pieces) => pieces.join(""));

Deno.test("matchEdit() gives places in order, apart, and sound new text, whatever it is given", () => {
  fc.assert(
    fc.property(text(40), text(8), text(8), fc.boolean(), (whole, oldText, newText, replaceAll) => {
      const found = matchEdit(whole, { oldText, newText, replaceAll });
      if (!found.ok) return assert(found.reason.length > 0);
      let at = 0;
      for (const splice of found.splices) {
        assert(splice.start >= at && splice.end >= splice.start && splice.end <= whole.length);
        if (!whole.includes("\udce9")) assert(splice.text.isWellFormed());
        at = splice.end;
      }
    }),
    { numRuns: 5000 },
  );
});

Deno.test("matchEdit() finds a part of a text that is there once, as it is", () => {
  fc.assert(
    fc.property(text(30), fc.nat(), fc.nat(), (whole, a, b) => {
      const [start, end] = [a % (whole.length + 1), b % (whole.length + 1)].sort((x, y) => x - y);
      const oldText = whole.slice(start, end);
      fc.pre(oldText !== "" && whole.indexOf(oldText) === whole.lastIndexOf(oldText));
      // A line feed alone, or half a line end, is read as a line end in a file with CRLF.
      fc.pre(!whole.includes("\r\n") || !/(^|[^\r])\n|\r$/.test(oldText));
      const found = matchEdit(whole, { oldText, newText: "new" });
      assert(found.ok);
      assertEquals(found.splices, [{ start, end, text: "new" }]);
    }),
    { numRuns: 3000 },
  );
});

Deno.test("matchEdit() turns signs that were shown back only where the old text shows them", () => {
  const found = matchEdit("\x1b[31mred\n", { oldText: "␛[31mred", newText: "␛[32mgreen ⟨E9⟩" });
  assert(found.ok);
  assertEquals(found.splices[0].text, "\x1b[32mgreen ⟨E9⟩");
});

Deno.test("matchEdit() bounds what it says about a place", () => {
  const lines = Array.from({ length: 5000 }, (_, i) => `line ${i}`);
  const found = matchEdit(lines.join("\n"), {
    oldText: [...lines.slice(0, 4000), "x".repeat(5000)].join("\n"),
    newText: "",
  });
  assert(!found.ok);
  assert(found.reason.length < 8000);
  assertStringIncludes(found.reason, "Closest is lines 1 to");
});
