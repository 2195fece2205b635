/** The line at the bottom: where one is, with what, and how full it is. Parts that do not fit are left out, the last first. */
import { grouped } from "../../../lib/text/count.ts";
import { oneLine } from "../../../lib/text/control.ts";
import { cells, fitCells } from "../../../lib/text/width.ts";
import type { Theme } from "../theme.ts";

export interface StatusFacts {
  readonly folder: string;
  readonly branch: string | undefined;
  readonly model: string;
  readonly thinking: string | undefined;
  /** Tokens of the last request. */
  readonly tokens: number | undefined;
  readonly window: number | undefined;
  readonly costUsd: number | undefined;
  readonly sandbox: string;
  readonly approve: string;
  readonly title: string;
}

/** The parts by name, in the order that holds unless the settings say otherwise. */
export const STATUS_PARTS = ["folder", "branch", "model", "context", "cost", "sandbox", "approve"] as const;

/** Parts that go first where there is little room. */
const DISPENSABLE = ["title", "branch", "sandbox", "cost", "folder", "approve", "context"];

export function statusLine(
  facts: StatusFacts,
  wanted: readonly string[],
  width: number,
  theme: Theme,
): string {
  let parts = wanted.map((name) => ({ name, text: part(name, facts) })).filter(({ text }) => text !== "");
  const separator = " · ";
  const length = () =>
    parts.reduce((sum, { text }) => sum + cells(text), 0) + separator.length * (parts.length - 1);
  for (const name of DISPENSABLE) {
    if (length() <= width) break;
    parts = parts.filter((one) => one.name !== name);
  }
  return theme.paint("muted", fitCells(parts.map(({ text }) => text).join(separator), width));
}

function part(name: string, facts: StatusFacts): string {
  switch (name) {
    case "folder":
      return oneLine(facts.folder, 60);
    case "branch":
      return facts.branch === undefined ? "" : oneLine(`⎇ ${facts.branch}`, 40);
    case "model":
      return oneLine(facts.model, 60) + (facts.thinking === undefined ? "" : ` (${facts.thinking})`);
    case "context":
      return contextMeter(facts.tokens, facts.window);
    case "cost":
      return facts.costUsd === undefined ? "" : `$${facts.costUsd.toFixed(facts.costUsd < 1 ? 3 : 2)}`;
    case "sandbox":
      return facts.sandbox;
    case "approve":
      return facts.approve;
    case "title":
      return oneLine(facts.title, 60);
    default:
      return "";
  }
}

function contextMeter(tokens: number | undefined, window: number | undefined): string {
  if (tokens === undefined) return "";
  if (window === undefined) return `${short(tokens)} token${tokens === 1 ? "" : "s"}`;
  return `${Math.min(100, Math.round(tokens / window * 100))}% of ${short(window)}`;
}

function short(count: number): string {
  return count < 1000
    ? grouped(count)
    : count < 1_000_000
    ? `${Math.round(count / 1000)}k`
    : `${(count / 1e6).toFixed(1)}M`;
}

/** What each mode of approval means, by its name. */
export const APPROVALS: Readonly<Record<string, string>> = {
  ask: "What the rules leave open is asked of you.",
  auto: "A model decides what the rules leave open, and asks you where it is not sure.",
  never: "What the rules leave open is refused.",
};

/** The workspace, short enough for a line. */
export function folderShown(cwd: string, home: string): string {
  const shown = home !== "" && cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd;
  return shown.length <= 40 ? shown : `…${shown.slice(shown.lastIndexOf("/"))}`;
}
