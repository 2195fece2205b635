/** What a run says at its start about the settings: every oddity, and what a project wanted in one line. */
import { describeIssue, type Issue } from "./errors.ts";
import type { Config } from "./load.ts";

/** One line for each thing; all that was left out of a project's files is one thing. */
export function startNotices(
  { issues, project, files }: Pick<Config, "issues" | "project" | "files">,
): string[] {
  const own = new Set(files.filter(({ role }) => role !== "user").map(({ path }) => path));
  const leftOut = issues.filter((issue) =>
    issue.code === "left_out" && issue.key !== "" && issue.file !== undefined && own.has(issue.file)
  );
  const others = issues.filter((issue) => !leftOut.includes(issue)).map(describeIssue);
  return leftOut.length === 0 ? others : [...others, together(leftOut, project.access)];
}

function together(issues: readonly Issue[], access: string): string {
  const keys = [...new Set(issues.map(({ key }) => key))].join(", ");
  const files = [...new Set(issues.map(({ file }) => file))].join(" and ");
  return `Left out of ${files}: ${keys} (the project's access is "${access}"). ` +
    "To allow it, look at the file and run `myelin trust`";
}
