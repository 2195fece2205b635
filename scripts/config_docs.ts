/** Writes the tables of docs/configuration.md anew from the table of settings. `deno run -A scripts/config_docs.ts` */
import { KNOWN } from "../src/config/providers.ts";
import { modelShape, providerShape } from "../src/config/settings.ts";
import { membersTable, settingsTable } from "../src/config/show.ts";

/** The page with its tables as they should be. */
export function withTables(page: string): string {
  const known = KNOWN.map(({ name, key, url, baseUrl, model }) => {
    const variables = [key, url].filter((one) => one !== undefined).map((one) => `\`${one}\``).join(", ");
    const shown = variables === "" ? `none: \`myelin auth login ${name}\`` : variables;
    return `| ${shown} | \`${name}\` | ${baseUrl} | ${
      model === undefined ? "none: name one" : `\`${model}\``
    } |\n`;
  }).join("");
  const tables = {
    settings: settingsTable(),
    provider: membersTable(providerShape),
    model: membersTable(modelShape),
    known: "| variable | provider | server | its default model |\n| --- | --- | --- | --- |\n" + known,
  };
  return Object.entries(tables).reduce((text, [name, table]) => {
    const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
    const start = text.indexOf(open);
    const end = text.indexOf(close);
    if (start < 0 || end < start) {
      throw new Error(`docs/configuration.md has no place for the table "${name}"`);
    }
    return text.slice(0, start + open.length) + table + text.slice(end);
  }, page);
}

if (import.meta.main) {
  const path = new URL("../docs/configuration.md", import.meta.url);
  await Deno.writeTextFile(path, withTables(await Deno.readTextFile(path)));
}
