/** docs/shell.md: the tables that scripts make. */
import { assertEquals } from "@std/assert";
import { withGenerated } from "../../scripts/shell_docs.ts";

Deno.test("docs/shell.md names the utilities and counts the corpus as they are (else: deno run -A scripts/shell_docs.ts)", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/shell.md", import.meta.url));
  assertEquals(withGenerated(page), page);
});
