import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  BEGIN,
  blockLines,
  markdownLines,
  type Position,
  splitBlocks,
} from "../../../src/ui/tui/markdown.ts";
import { themeNamed } from "../../../src/ui/tui/theme.ts";

const theme = themeNamed("mono", { color: false, light: false });
const line = fc.constantFrom(
  "",
  "plain words",
  "# heading",
  "- item",
  "1. item",
  "```ts",
  "```",
  "~~~",
  "    indented",
  "| a | b |",
  "> quote",
  "x".repeat(50),
);

/** The lines of a text that comes in pieces: settled blocks as they settle, the rest at the end. */
function inPieces(text: string, cuts: readonly number[]): string[] {
  const lines: string[] = [];
  let position: Position = BEGIN;
  const take = (upTo: number, whole: boolean) => {
    const { settled, next } = splitBlocks(text.slice(0, upTo), position, whole);
    for (const block of settled) {
      if (lines.length > 0 && block.opens) lines.push("");
      lines.push(...blockLines(block, 40, theme));
    }
    position = next;
  };
  for (const cut of cuts) take(cut, false);
  take(text.length, true);
  return lines;
}

Deno.test("splitBlocks() settles only what further text cannot change", () => {
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 120 }),
      fc.array(fc.nat(2000), { maxLength: 30 }),
      (rows, cuts) => {
        const text = rows.join("\n");
        const sorted = cuts.filter((cut) => cut <= text.length).sort((a, b) => a - b);
        assertEquals(inPieces(text, sorted), markdownLines(text, 40, theme));
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("splitBlocks() settles a long open block of code piece by piece", () => {
  const text = "```ts\n" + "let a = 1;\n".repeat(200);
  const { settled, rest } = splitBlocks(text, BEGIN, false);
  assertEquals(settled.map(({ opens, closes }) => [opens, closes]), [
    [true, false],
    [false, false],
    [false, false],
    [false, false],
    [false, false],
  ]);
  assertEquals(rest?.opens, false);
});
