/** `sessions undo`: puts back what a session's calls changed in files. */
import { homePaths } from "../../../config/mod.ts";
import { stripControls } from "../../../lib/text/control.ts";
import { textOf } from "../../../llm/message.ts";
import { loadHeldPlaces } from "../../../sandbox/mod.ts";
import {
  firstWords,
  isKnown,
  openRecorder,
  openSession,
  readSession,
  resolveEntry,
  type SessionView,
  shortId,
  undoFiles,
  undoHistory,
  type UndoStep,
} from "../../../session/mod.ts";
import { type Parsed, UsageError } from "../../args.ts";
import { EXIT } from "../../exit_codes.ts";
import { fileOrNewest, snapshots } from "./place.ts";

const print = (text: string) => console.log(stripControls(text));

export async function undo(parsed: Parsed): Promise<number> {
  const file = fileOrNewest(parsed.positionals[0]);
  const redo = parsed.has("redo");
  const to = parsed.get("to");
  if (redo && to !== undefined) {
    throw new UsageError("--redo takes the last undo back; --to has no place there");
  }
  if (parsed.has("list")) return await listSteps(file, parsed);
  await using session = await openSession(file);
  // Another session's programs may be at work in the same folder.
  const places = await loadHeldPlaces();
  // What a process was changing when it died is written down first, so that it is undone, too.
  const recorder = await openRecorder({
    session,
    workspace: session.cwd,
    root: snapshots(),
    leaveOut: [homePaths().root],
    places,
  });
  await recorder.close();
  const report = await undoFiles(session, snapshots(), {
    direction: redo ? "redo" : "undo",
    ...(to === undefined ? {} : { since: resolveEntry(session, to) }),
  }, places);
  places?.close();
  if (parsed.has("json")) {
    console.log(JSON.stringify(report ?? { restored: [], conflicts: [], failed: [] }, null, 2));
  } else if (report === undefined) print(nothing(redo ? "redo" : "undo", parsed, session.id));
  else {
    for (const path of report.restored) print(`${redo ? "redone" : "restored"}  ${path}`);
    for (const path of report.conflicts) print(`left alone  ${path} (changed by somebody else since)`);
    for (const { path, why } of report.failed) print(`not restored  ${path} (${why})`);
  }
  const whole = report === undefined || (report.conflicts.length === 0 && report.failed.length === 0);
  return whole ? EXIT.ok : EXIT.failed;
}

/** Which session was looked into: without an ID somebody may have meant another one. */
function nothing(what: "undo" | "redo", parsed: Parsed, id: string): string {
  return parsed.positionals.length > 0
    ? `There is nothing to ${what}.`
    : `There is nothing to ${what} in the newest session of this folder (${shortId(id)}). ` +
      `Of another: myelin sessions undo ID`;
}

async function listSteps(file: string, parsed: Parsed): Promise<number> {
  const session = await readSession(file);
  const { steps, undone } = undoHistory(session.entries());
  const rows = [...steps].reverse().map((step) => ({
    entry: step.submission,
    prompt: promptOf(session, step),
    files: [...new Set(step.changes.flatMap(({ files }) => files.map(({ path }) => path)))].sort(),
    lost: step.changes.flatMap(({ lost }) => lost),
  }));
  if (parsed.has("json")) {
    console.log(JSON.stringify({ steps: rows, canRedo: undone.length > 0 }, null, 2));
    return EXIT.ok;
  }
  if (rows.length === 0) print(nothing("undo", parsed, session.header.id));
  for (const { entry, prompt, files, lost } of rows) {
    print(`${entry === null ? "        " : shortId(entry)}  ${prompt}`);
    for (const path of files) print(`  ${path}`);
    for (const { path, why } of lost) print(`  ${path} (cannot be put back: ${why})`);
  }
  if (undone.length > 0) print("The last undo can be taken back with --redo.");
  return EXIT.ok;
}

function promptOf(session: SessionView, step: UndoStep): string {
  const entry = step.submission === null ? undefined : session.entry(step.submission);
  return entry !== undefined && isKnown(entry) && entry.kind === "submission"
    ? firstWords(textOf(entry.message))
    : "";
}
