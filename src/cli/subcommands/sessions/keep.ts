/** `sessions export`, `import`, `rename` and `rm`. */
import type { ContentPart } from "../../../llm/message.ts";
import { counted } from "../../../lib/text/count.ts";
import { stripControls } from "../../../lib/text/control.ts";
import { homePaths } from "../../../config/mod.ts";
import {
  type AttachmentStore,
  collectGarbage,
  describeDamage,
  importSession,
  isKnown,
  openAttachments,
  openSession,
  readSession,
  removeSession,
  type SessionView,
  shortId,
  toHtml,
  toJsonl,
  toMarkdown,
  withData,
} from "../../../session/mod.ts";
import { type Parsed, UsageError } from "../../args.ts";
import { EXIT } from "../../exit_codes.ts";
import { fileOf, here, root } from "./place.ts";

export async function exportSession(parsed: Parsed): Promise<number> {
  const session = await readSession(fileOf(parsed.positionals[0]));
  const format = parsed.get("format");
  const { get } = openAttachments(homePaths().attachments);
  const text = format === "jsonl" ? toJsonl(session, get) : stripControls(
    format === "html" ? toHtml(session, (id) => picturesOf(session, id, get)) : toMarkdown(session),
  );
  console.log(text.trimEnd());
  return EXIT.ok;
}

/** The pictures of an entry with their bytes, as far as these are there. */
function picturesOf(
  session: SessionView,
  id: string,
  get: AttachmentStore["get"],
): readonly ContentPart[] {
  const entry = session.entry(id);
  if (entry === undefined || !isKnown(entry) || entry.kind !== "submission") return [];
  return entry.message.filter((part) => part.type === "image").flatMap((part) => {
    try {
      return withData([part], get);
    } catch {
      return []; // lost: the page does without it
    }
  });
}

export async function gc(): Promise<number> {
  const { root, sessions, attachments } = homePaths();
  const freed = await collectGarbage({ sessions, attachments, snapshots: `${root}/snapshots` });
  const size = (freed.bytes / 1024 / 1024).toFixed(1);
  console.error(
    `freed ${size} MiB: ${counted(freed.attachments, "attachment")}, ${
      counted(freed.snapshots, "content")
    } kept for undo`,
  );
  if (freed.inUse) console.error("Sessions are in use: what is kept for undo was left alone.");
  return EXIT.ok;
}

export async function importFile(parsed: Parsed): Promise<number> {
  if (parsed.positionals.length === 0) throw new UsageError("Which file?");
  for (const path of parsed.positionals) {
    const { id, file, entries, damages } = await importSession(root(), path, here());
    for (const damage of damages) console.error(stripControls(`! ${path}: ${describeDamage(damage)}`));
    console.error(`${shortId(id)}  ${counted(entries, "entry", "entries")}, in ${file}`);
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
