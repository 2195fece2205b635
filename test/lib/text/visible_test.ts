import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { concealed, visible } from "../../../src/lib/text/visible.ts";

Deno.test("visible() gives a shape to what has none, and leaves texts alone", () => {
  assertEquals(visible("\x1b[2J\x07\x7f\x9b\u202e\udce9\ud83d"), "␛[2J␇␡⟨U+009B⟩⟨U+202E⟩⟨E9⟩⟨U+D83D⟩");
  const plain = "tab\tline\né — “x” 👨‍👩‍👧‍👦\n";
  assertEquals(visible(plain), plain);
});

Deno.test("concealed() undoes visible()", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    fc.pre(concealed(text) === text);
    const shown = visible(text);
    assert(shown.isWellFormed());
    assertEquals(concealed(shown), text);
  }));
  assertEquals(concealed(visible("\x00\x1b\udc80\udcff\u2066")), "\x00\x1b\udc80\udcff\u2066");
});
