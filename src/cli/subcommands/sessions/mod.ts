/** `myelin sessions`: what was kept, and how to look at it. */
import { homePaths } from "../../../config/mod.ts";
import { oneLine, stripControls } from "../../../lib/text/control.ts";
import {
  findSession,
  listSessions,
  readSession,
  removeSession,
  type SessionSummary,
  shortId,
  toJsonl,
  toMarkdown,
} from "../../../session/mod.ts";
import { type Parsed, UsageError } from "../../args.ts";
import { EXIT } from "../../exit_codes.ts";
import { type NestedCommand, runNested } from "../../nested.ts";
import { toText } from "./text.ts";

const JSON_OPTION = { name: "json", help: "for scripts" };
const ALL_OPTION = { name: "all", help: "of every folder" };

const commands: readonly NestedCommand[] = [
  {
    name: "list",
    spec: {
      usage: "sessions list [options]",
      summary: "the sessions of this folder, newest first",
      options: [ALL_OPTION, JSON_OPTION],
    },
    run: list,
  },
  {
    name: "show",
    spec: { usage: "sessions show ID|FILE", summary: "what was said and done in it", options: [JSON_OPTION] },
    run: show,
  },
  {
    name: "export",
    spec: {
      usage: "sessions export ID|FILE [--format markdown|jsonl]",
      summary: "print it to keep or to share",
      options: [{
        name: "format",
        value: "FORMAT",
        choices: ["markdown", "jsonl"],
        help: "default: markdown",
      }],
    },
    run: exportSession,
  },
  {
    name: "rm",
    spec: { usage: "sessions rm ID|FILE…", summary: "move it to the trash folder", options: [] },
    run: remove,
  },
];

export function run(args: string[]): Promise<number> {
  return runNested("sessions", "Sessions that were kept:", commands, args);
}

const root = () => homePaths().sessions;

function here(): string {
  const real = Deno.realPathSync(".");
  return Deno.build.os === "windows" ? real.replaceAll("\\", "/") : real;
}

function fileOf(wanted: string | undefined): string {
  if (wanted === undefined) throw new UsageError("Which session?", "List them with: myelin sessions list");
  return findSession(root(), wanted, here());
}

function list(parsed: Parsed): Promise<number> {
  const found = listSessions(parsed.has("all") ? { root: root() } : { root: root(), cwd: here() });
  if (parsed.has("json")) console.log(JSON.stringify(found, null, 2));
  else if (found.length === 0) {
    console.error(
      parsed.has("all") ? "No sessions yet." : "No sessions of this folder yet (--all: of every folder).",
    );
  } else for (const one of found) console.log(row(one, parsed.has("all")));
  return Promise.resolve(EXIT.ok);
}

function row(one: SessionSummary, withFolder: boolean): string {
  const when = localTime(new Date(one.changedAt));
  const count = one.messages === undefined ? "" : `${one.messages}`;
  const title = one.problem === undefined ? one.title || "(empty)" : `cannot be read: ${one.problem}`;
  const folder = withFolder ? `  ${one.cwd}` : "";
  return `${shortId(one.id)}  ${when}  ${count.padStart(5)}  ${oneLine(title, 80)}${folder}`;
}

async function show(parsed: Parsed): Promise<number> {
  const session = await readSession(fileOf(parsed.positionals[0]));
  if (parsed.has("json")) {
    console.log(JSON.stringify({ ...session.header, entries: [...session.path()] }, null, 2));
  } else console.log(toText(session));
  return EXIT.ok;
}

async function exportSession(parsed: Parsed): Promise<number> {
  const session = await readSession(fileOf(parsed.positionals[0]));
  const text = parsed.get("format") === "jsonl" ? toJsonl(session) : stripControls(toMarkdown(session));
  console.log(text.trimEnd());
  return EXIT.ok;
}

async function remove(parsed: Parsed): Promise<number> {
  if (parsed.positionals.length === 0) fileOf(undefined);
  for (const wanted of parsed.positionals) {
    console.error(`moved to ${await removeSession(root(), fileOf(wanted))}`);
  }
  return EXIT.ok;
}

/** "2026-01-31 09:05", in the time of this place. */
function localTime(at: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${
    two(at.getMinutes())
  }`;
}
