import { assertEquals } from "@std/assert";
import { foldProgress, oneLine, stripControls } from "../../../src/lib/text/control.ts";

Deno.test("stripControls() takes out what clears, moves, titles and copies", () => {
  const rows: [string, string][] = [
    ["plain\ttext\nnext", "plain\ttext\nnext"],
    ["\x1b[2J\x1b[Hgone", "gone"],
    ["\x1b[31mred\x1b[0m", "red"],
    ["a\x1b]0;title\x07b", "ab"],
    ["a\x1b]52;c;Zm9v\x1b\\b", "ab"],
    ["a\x1bPq#0\x1b\\b", "ab"],
    ["a\x9b31mb", "ab"],
    ["\x1b[?1049h\x1b(Bx", "x"],
    ["bell\x07back\x08\x00", "bellback"],
    ["unfinished\x1b[31", "unfinished"],
    ["evil\u202etxt", "evil<U+202E>txt"],
    ["ünï → 漢字 👩‍👩‍👧", "ünï → 漢字 👩‍👩‍👧"],
  ];
  for (const [text, want] of rows) assertEquals(stripControls(text), want);
});

Deno.test("foldProgress() keeps the last state of a line", () => {
  assertEquals(foldProgress("10%\r50%\r100%\ndone\r\n"), "100%\ndone\n");
});

Deno.test("oneLine() never cuts a character in two", () => {
  assertEquals(oneLine("👍👍👍👍", 3), "👍👍…");
  assertEquals(oneLine("a\n  b", 10), "a b");
});
