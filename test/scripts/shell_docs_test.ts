/** docs/shell.md: the tables that scripts make. */
import { assertEquals } from "@std/assert";
import { withCorpus } from "../../scripts/shell_docs.ts";

Deno.test("docs/shell.md counts the corpus as it is (else: deno run -A scripts/shell_docs.ts)", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/shell.md", import.meta.url));
  assertEquals(withCorpus(page), page);
});
