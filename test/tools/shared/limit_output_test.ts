import { assert, assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { clipBytes, HeadTail, limitOutput, utf8Length } from "../../../src/tools/shared/limit_output.ts";

const bytes = (text: string) => new TextEncoder().encode(text).length;

Deno.test("limitOutput() keeps head and tail and names what is between", () => {
  const text = Array.from({ length: 10_000 }, (_, i) => `line ${i + 1}`).join("\n") + "\n";
  const limited = limitOutput(text, 2000, "full text: artifact://3");
  assert(limited.cut);
  assert(bytes(limited.text) <= 2100);
  assertMatch(limited.text, /^line 1\nline 2\n/);
  assertMatch(limited.text, /line 9999\nline 10000\n$/);
  assertMatch(
    limited.text,
    /\n\[… [\d,]+ lines, [\d,]+ bytes left out; full text: artifact:\/\/3 …\]\nline \d+\n/,
  );
  const kept = limited.text.split("\n").filter((line) => line.startsWith("line ")).length;
  assertEquals(kept + limited.omittedLines, 10_000);
});

Deno.test("limitOutput() leaves short texts alone", () => {
  assertEquals(limitOutput("short\n", 100).text, "short\n");
  assert(!limitOutput("short\n", 100).cut);
});

Deno.test("HeadTail holds no more than its limit, however the text comes, and never half a character", () => {
  fc.assert(fc.property(
    fc.array(fc.string({ unit: "grapheme", maxLength: 60 }), { maxLength: 60 }),
    fc.integer({ min: 20, max: 400 }),
    fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1, maxLength: 10 }),
    (parts, max, sizes) => {
      const text = parts.join("\n").toWellFormed();
      const collector = new HeadTail(max);
      for (let at = 0, i = 0; at < text.length; i++) {
        const size = sizes[i % sizes.length];
        collector.push(text.slice(at, at + size));
        at += size;
      }
      const limited = collector.end();
      assert(limited.text.isWellFormed());
      assertEquals(limited.totalBytes, bytes(text));
      if (!limited.cut) return assertEquals(limited.text, text);
      assert(bytes(limited.text) <= max + 200);
      const [head, tail] = limited.text.split(/\n?\[… [^\]]* …\]\n/);
      assert(text.startsWith(head));
      assert(text.endsWith(tail));
      assert(bytes(head) + bytes(tail) + limited.omittedBytes - bytes(text) <= 1);
    },
  ));
});

Deno.test("clipBytes() and utf8Length() count as the encoder does", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 0, max: 40 }), (text, max) => {
    assertEquals(utf8Length(text.toWellFormed()), bytes(text));
    const clipped = clipBytes(text, max);
    assert(bytes(clipped) <= max);
    assert(text.toWellFormed().startsWith(clipped));
  }));
});

Deno.test("HeadTail shows what fits, and cuts what does not to less, however large the pieces are", () => {
  for (const size of [100, 5000, 64_000]) {
    const kept = new HeadTail(8192, 4096);
    const piece = `${"x".repeat(79)}\n`.repeat(Math.ceil(size / 80));
    for (let i = 0; i < 300_000 / piece.length; i++) kept.push(piece);
    const { text, cut, omittedBytes, totalBytes } = kept.end("the rest is elsewhere");
    assert(cut);
    assert(text.length <= 4096 + 120 && text.length > 3500, `${size}: ${text.length}`);
    assertEquals(omittedBytes + text.replace(/\[….*…\]\n/, "").length, totalBytes);
  }
  const fits = new HeadTail(8192, 4096);
  fits.push("y".repeat(8000));
  assertEquals(fits.end().text.length, 8000);
});
