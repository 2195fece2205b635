/**
 * The corpus in `spec/`: each script runs on our shell and on the machine's
 * bash, and standard output and status must be the same. A file is a section
 * of bash's manual; a case begins with `#### title`.
 */
import { assertEquals } from "@std/assert";
import { runBash, runScript } from "./support/shell.ts";

interface Case {
  readonly title: string;
  readonly script: string;
}

function readCases(text: string): Case[] {
  return text.split(/^#### /m).slice(1).map((part) => {
    const end = part.indexOf("\n");
    return { title: part.slice(0, end), script: part.slice(end + 1).trimEnd() };
  });
}

const folder = new URL("./spec/", import.meta.url);
for (const entry of [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1)) {
  if (!entry.name.endsWith(".test.sh")) continue;
  const cases = readCases(Deno.readTextFileSync(new URL(entry.name, folder)));
  Deno.test(`bash agrees: ${entry.name.replace(".test.sh", "")} (${cases.length})`, async (t) => {
    for (const c of cases) {
      await t.step(c.title, async () => {
        const want = await runBash(c.script);
        if (want === undefined) return;
        const got = await runScript(c.script);
        assertEquals(
          { stdout: got.stdout, status: got.status },
          { stdout: want.stdout, status: want.status },
          `${c.script}\n${got.stderr}`,
        );
      });
    }
  });
}
