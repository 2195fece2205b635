/** The texts that ask for summaries: built in, each replaceable by a file of the user or the project. */
import branch from "../../../prompts/tasks/summary_branch.md" with { type: "text" };
import summary from "../../../prompts/tasks/summary.md" with { type: "text" };
import system from "../../../prompts/tasks/summary_system.md" with { type: "text" };
import turn from "../../../prompts/tasks/summary_turn.md" with { type: "text" };
import update from "../../../prompts/tasks/summary_update.md" with { type: "text" };
import type { PromptFiles } from "../prompt_files.ts";

/** The texts that ask for a summary. */
export interface SummaryPrompts {
  /** Who writes a summary apart from the conversation. */
  readonly system: string;
  readonly summary: string;
  /** Added where an earlier summary is part of what is summarised. */
  readonly update: string;
  /** Added where the cut lies within the work on a request. */
  readonly turn: string;
  /** For a path that was left. */
  readonly branch: string;
}

/** Files that stand in for a built-in text; an empty one takes an addition away, and leaves the two that must be there. */
export function summaryPrompts(files: PromptFiles): SummaryPrompts {
  const required = (name: string, text: string) => files.get(name)?.trim() || text.trim();
  const optional = (name: string, text: string) => (files.get(name) ?? text).trim();
  return {
    system: required("SUMMARY_SYSTEM.md", system),
    summary: required("SUMMARY.md", summary),
    update: optional("SUMMARY_UPDATE.md", update),
    turn: optional("SUMMARY_TURN.md", turn),
    branch: required("SUMMARY_BRANCH.md", branch),
  };
}

/** The texts that say something, a blank line between them. */
export function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== "").map((text) => text.trim()).join("\n\n");
}
