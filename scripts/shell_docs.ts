/**
 * Writes the table of the differential corpus in docs/shell.md anew: how many scripts of test/shell/spec
 * stand for which section of bash's manual. `deno run -A scripts/shell_docs.ts`
 */

const FOLDER = new URL("../test/shell/spec/", import.meta.url);
const OPEN = "<!-- corpus -->\n";
const CLOSE = "<!-- /corpus -->";

/** The page with the table as it should be. */
export function withCorpus(page: string): string {
  const rows: { readonly title: string; readonly file: string; readonly count: number }[] = [];
  for (const { name } of Deno.readDirSync(FOLDER)) {
    if (!name.endsWith(".test.sh")) continue;
    const text = Deno.readTextFileSync(new URL(name, FOLDER));
    // The first line is a comment that names the section.
    const title = /^# (.+)$/m.exec(text.slice(0, text.indexOf("\n")))?.[1];
    if (title === undefined) throw new Error(`${name} does not begin with the title of its section`);
    rows.push({ title, file: name, count: [...text.matchAll(/^#### /gm)].length });
  }
  rows.sort((a, b) => a.title.localeCompare(b.title, "en", { numeric: true }));
  const total = rows.reduce((sum, row) => sum + row.count, 0);
  const table = "| section | file | scripts |\n| --- | --- | --: |\n" +
    rows.map(({ title, file, count }) => `| ${title} | \`${file}\` | ${count} |\n`).join("") +
    `| together | | ${total} |\n`;
  const start = page.indexOf(OPEN);
  const end = page.indexOf(CLOSE);
  if (start < 0 || end < start) throw new Error("docs/shell.md has no place for the corpus");
  return page.slice(0, start + OPEN.length) + table + page.slice(end);
}

if (import.meta.main) {
  const path = new URL("../docs/shell.md", import.meta.url);
  await Deno.writeTextFile(path, withCorpus(await Deno.readTextFile(path)));
}
