/** `myelin usage`: tokens and money by day and model, added up from the sessions on disk. */
import { homePaths } from "../../config/mod.ts";
import { stripControls } from "../../lib/text/control.ts";
import { addUsage, type Usage } from "../../llm/mod.ts";
import { findSession, listSessions, readSession, type SessionView } from "../../session/mod.ts";
import { type CommandSpec, helpText, numberOption, parseCommand, UsageError } from "../args.ts";
import { EXIT } from "../exit_codes.ts";
import { workspaceOf } from "../workspace.ts";

const SPEC: CommandSpec = {
  usage: "usage [options] [SESSION]",
  ownWords: true,
  summary: "What was used, by day and model: of all sessions in the last days, or of one session.",
  options: [
    { name: "days", value: "N", help: "how far back (default: 7; today is the first)" },
    { name: "json", help: "for scripts" },
  ],
  more: 'A cost that nobody knows is shown as "unknown" and adds nothing; a "+" marks a sum with such parts.',
};

const DAY_MS = 86_400_000;

/** What one model used on one day. */
interface Row {
  readonly day: string;
  readonly model: string;
  answers: number;
  usage: Usage | undefined;
  costUsd: number | undefined;
  /** Answers whose cost is not known. */
  unknown: number;
}

export async function run(args: string[]): Promise<number> {
  const parsed = parseCommand(SPEC, args);
  if (parsed.has("help")) {
    console.log(helpText(SPEC).trimEnd());
    return EXIT.ok;
  }
  const [wanted, extra] = parsed.positionals;
  if (extra !== undefined) throw new UsageError(`"${extra}" is too much: one session, or none`);
  const days = numberOption("days", parsed.get("days"), 1, true) ?? 7;
  const rows = new Map<string, Row>();
  const root = homePaths().sessions;
  if (wanted !== undefined) {
    const file = findSession(root, wanted, workspaceOf());
    add(await readSession(file), "", new Set(), rows);
  } else {
    const since = dayOf(new Date(Date.now() - (days - 1) * DAY_MS));
    // A fork begins with the entries of the session that it comes from: counted once.
    const seen = new Set<string>();
    for (const one of listSessions({ root })) {
      if (one.problem !== undefined || dayOf(new Date(one.changedAt)) < since) continue;
      add(await readSession(one.file), since, seen, rows);
    }
  }
  const sorted = [...rows.values()].sort((a, b) => `${b.day} ${a.model}` < `${a.day} ${b.model}` ? -1 : 1);
  if (parsed.has("json")) console.log(JSON.stringify(sorted, null, 2));
  else {show(
      sorted,
      wanted === undefined ? `the last ${days === 1 ? "day" : `${days} days`}` : "this session",
    );}
  return EXIT.ok;
}

/** Adds what a session used since a day. */
function add(session: SessionView, since: string, seen: Set<string>, rows: Map<string, Row>): void {
  for (const entry of session.path()) {
    if (entry.kind !== "assistant" || !("message" in entry) || seen.has(entry.id)) continue;
    seen.add(entry.id);
    const day = dayOf(new Date(entry.at));
    if (day < since) continue;
    const { model, usage } = entry.message;
    const row = rows.get(`${day} ${model}`) ??
      { day, model, answers: 0, usage: undefined, costUsd: undefined, unknown: 0 };
    rows.set(`${day} ${model}`, row);
    row.answers++;
    row.usage = addUsage(row.usage, usage);
    if (entry.costUsd === undefined) row.unknown++;
    else row.costUsd = (row.costUsd ?? 0) + entry.costUsd;
  }
}

function show(rows: readonly Row[], what: string): void {
  if (rows.length === 0) {
    console.error(`Nothing was used in ${what}.`);
    return;
  }
  const cells = rows.map((row) => [
    row.day,
    row.model,
    `${row.answers}`,
    ...counts(row.usage),
    money(row.costUsd, row.unknown),
  ]);
  const known = rows.flatMap(({ costUsd }) => costUsd ?? []);
  const total = [
    "total",
    "",
    `${rows.reduce((sum, row) => sum + row.answers, 0)}`,
    ...counts(rows.map((row) => row.usage).reduce(addUsage, undefined)),
    money(
      known.length === 0 ? undefined : known.reduce((sum, cost) => sum + cost, 0),
      rows.reduce((sum, row) => sum + row.unknown, 0),
    ),
  ];
  const head = ["day", "model", "answers", "input", "cache read", "cache write", "output", "cost"];
  const all = [head, ...cells, total];
  const widths = head.map((_, at) => Math.max(...all.map((row) => row[at].length)));
  for (const row of all) {
    const line = row.map((cell, at) => at < 2 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]));
    console.log(stripControls(line.join("  ").trimEnd()));
  }
}

function counts(usage: Usage | undefined): string[] {
  if (usage === undefined) return ["?", "?", "?", "?"];
  return [usage.input, usage.cacheRead, usage.cacheWrite, usage.output].map(String);
}

function money(cost: number | undefined, unknown: number): string {
  return cost === undefined ? "unknown" : `$${cost.toFixed(4)}${unknown > 0 ? "+" : ""}`;
}

/** "2026-01-31", in the time of this place. */
function dayOf(at: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
