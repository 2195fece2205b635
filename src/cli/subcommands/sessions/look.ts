/** `sessions list`, `search` and `show`: only reading. */
import { oneLine } from "../../../lib/text/control.ts";
import {
  listSessions,
  readSession,
  searchSessions,
  type SessionSummary,
  shortId,
} from "../../../session/mod.ts";
import { type Parsed, UsageError } from "../../args.ts";
import { EXIT } from "../../exit_codes.ts";
import { fileOrNewest, here, root } from "./place.ts";
import { toText } from "./text.ts";

const scope = (parsed: Parsed) => parsed.has("all") ? { root: root() } : { root: root(), cwd: here() };

export function list(parsed: Parsed): Promise<number> {
  const found = listSessions(scope(parsed));
  if (parsed.has("json")) console.log(JSON.stringify(found, null, 2));
  else if (found.length === 0) {
    console.error(
      parsed.has("all") ? "No sessions yet." : "No sessions of this folder yet (--all: of every folder).",
    );
  } else {
    // For a person: what goes into a pipe is rows alone.
    if (Deno.stdout.isTerminal()) console.log(heading(parsed.has("all")));
    for (const one of found) console.log(row(one, parsed.has("all")));
  }
  return Promise.resolve(EXIT.ok);
}

function heading(withFolder: boolean): string {
  const [id, when, count] = ["ID".padEnd(8), "CHANGED".padEnd(16), "COUNT"];
  return `${id}  ${when}  ${count}  TITLE${withFolder ? "  FOLDER" : ""}`;
}

function row(one: SessionSummary, withFolder: boolean): string {
  const when = localTime(new Date(one.changedAt));
  const count = one.messages === undefined ? "" : `${one.messages}`;
  const title = one.problem === undefined ? one.title || "(empty)" : `cannot be read: ${one.problem}`;
  const folder = withFolder ? `  ${one.cwd}` : "";
  return `${shortId(one.id)}  ${when}  ${count.padStart(5)}  ${oneLine(title, 80)}${folder}`;
}

export async function search(parsed: Parsed): Promise<number> {
  const text = parsed.positionals.join(" ");
  if (text.trim() === "") throw new UsageError("Search for what?", "Such as: myelin sessions search flaky");
  let found = false;
  for await (const hit of searchSessions(scope(parsed), text)) {
    found = true;
    const { session, entryId, kind, excerpt } = hit;
    if (parsed.has("json")) {
      console.log(JSON.stringify({ session: session.id, file: session.file, entryId, kind, excerpt }));
    } else console.log(`${shortId(session.id)}  ${shortId(entryId)}  ${oneLine(excerpt, 120)}`);
  }
  if (!found) {
    const where = parsed.has("all") ? "No session" : "No session of this folder";
    console.error(
      `${where} has "${oneLine(text, 80)}"${parsed.has("all") ? "" : " (--all: of every folder)"}.`,
    );
  }
  return found ? EXIT.ok : EXIT.failed;
}

export async function show(parsed: Parsed): Promise<number> {
  const session = await readSession(fileOrNewest(parsed.positionals[0]));
  if (parsed.has("json")) {
    console.log(JSON.stringify({ ...session.header, entries: [...session.path()] }, null, 2));
  } else console.log(toText(session));
  return EXIT.ok;
}

/** "2026-01-31 09:05", in the time of this place. */
function localTime(at: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${
    two(at.getMinutes())
  }`;
}
