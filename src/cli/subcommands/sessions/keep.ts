/** `sessions export`, `import`, `rename` and `rm`. */
import { stripControls } from "../../../lib/text/control.ts";
import {
  describeDamage,
  importSession,
  openSession,
  readSession,
  removeSession,
  shortId,
  toHtml,
  toJsonl,
  toMarkdown,
} from "../../../session/mod.ts";
import { type Parsed, UsageError } from "../../args.ts";
import { EXIT } from "../../exit_codes.ts";
import { fileOf, here, root } from "./place.ts";

export async function exportSession(parsed: Parsed): Promise<number> {
  const session = await readSession(fileOf(parsed.positionals[0]));
  const format = parsed.get("format");
  const text = format === "jsonl"
    ? toJsonl(session)
    : stripControls(format === "html" ? toHtml(session) : toMarkdown(session));
  console.log(text.trimEnd());
  return EXIT.ok;
}

export async function importFile(parsed: Parsed): Promise<number> {
  if (parsed.positionals.length === 0) throw new UsageError("Which file?");
  for (const path of parsed.positionals) {
    const { id, file, entries, damages } = await importSession(root(), path, here());
    for (const damage of damages) console.error(stripControls(`! ${path}: ${describeDamage(damage)}`));
    console.error(`${shortId(id)}  ${entries} entries, in ${file}`);
  }
  return EXIT.ok;
}

export async function rename(parsed: Parsed): Promise<number> {
  const [wanted, ...words] = parsed.positionals;
  const title = words.join(" ").replace(/\s+/g, " ").trim();
  const file = fileOf(wanted);
  if (title === "") {
    throw new UsageError("Which title?", "Such as: myelin sessions rename 3f2a9c1d Flaky tests");
  }
  await using session = await openSession(file);
  await session.append({ kind: "title", title }, { sync: true });
  return EXIT.ok;
}

export async function remove(parsed: Parsed): Promise<number> {
  if (parsed.positionals.length === 0) fileOf(undefined);
  for (const wanted of parsed.positionals) {
    console.error(`moved to ${await removeSession(root(), fileOf(wanted))}`);
  }
  return EXIT.ok;
}
