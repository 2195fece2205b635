/**
 * Writes two parts of docs/shell.md anew: the names of the utilities, and the table of the differential
 * corpus (how many scripts of test/shell/spec stand for which section of bash's manual).
 * `deno run -A scripts/shell_docs.ts`
 */
import { coreutils } from "../src/shell/coreutils/mod.ts";

const FOLDER = new URL("../test/shell/spec/", import.meta.url);

/** The page with both parts as they should be. */
export function withGenerated(page: string): string {
  const names = coreutils.map(({ name }) => name).sort();
  return between(withCorpus(page), "utilities", "`" + names.join(" ") + "`\n");
}

/** The page with another text between the two marks of a name. */
function between(page: string, name: string, text: string): string {
  const open = `<!-- ${name} -->\n`;
  const start = page.indexOf(open), end = page.indexOf(`<!-- /${name} -->`);
  if (start < 0 || end < start) throw new Error(`docs/shell.md has no place for the ${name}`);
  return page.slice(0, start + open.length) + text + page.slice(end);
}

function withCorpus(page: string): string {
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
  return between(page, "corpus", table);
}

if (import.meta.main) {
  const path = new URL("../docs/shell.md", import.meta.url);
  await Deno.writeTextFile(path, withGenerated(await Deno.readTextFile(path)));
}
