/** How the git tools put failures: what git said, or why it could not be started, with the next step. */
import { errorResult, type ToolResult } from "../../agent/tool.ts";
import { visible } from "../../lib/text/visible.ts";
import { HostError } from "../../sandbox/mod.ts";
import type { GitEnd } from "./run_git.ts";

/** The result for a git that failed. */
export function gitFailed(doing: string, end: GitEnd): ToolResult {
  const problem = /not a git repository/i.test(end.problem)
    ? "this folder is not in a git repository"
    : visible(end.problem);
  return errorResult(`Cannot ${doing}: ${problem}`);
}

/** Runs the work of a git tool; a git that may not or cannot start becomes a result. */
export async function answering(doing: string, work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const text = `Cannot ${doing}: ${visible(error.message)}`;
    return error.code === "EDENIED" ? errorResult(text, { denied: error.message }) : errorResult(text);
  }
}
