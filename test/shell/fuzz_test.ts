/** A sample of `deno task fuzz`, and printing over the whole corpus. */
import { assertEquals } from "@std/assert";
import { corpus, fuzz } from "../../scripts/fuzz.ts";
import { parse, ShellSyntaxError } from "../../src/shell/syntax/mod.ts";
import { printStatements } from "../../src/shell/syntax/print.ts";

Deno.test("the shell ends 2,000 generated, mangled and random texts without a crash", async () => {
  const { counts, crashes } = await fuzz(20, 2000, corpus());
  assertEquals(crashes.map(({ text, error }) => `${JSON.stringify(text)}: ${error}`), []);
  assertEquals(counts.parsed + counts.refused, 2000);
});

Deno.test("printStatements() of a script of the corpus reads back as what it prints", () => {
  let printed = 0;
  for (const script of corpus()) {
    let tree;
    try {
      tree = parse(script);
    } catch (error) {
      // Needs the alias that its first line makes.
      if (error instanceof ShellSyntaxError) continue;
      throw error;
    }
    const text = printStatements(tree);
    assertEquals(printStatements(parse(text)), text, script);
    printed++;
  }
  assertEquals(printed > 400, true);
});
