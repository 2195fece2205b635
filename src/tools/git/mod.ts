/** `git_status`, `git_diff`, `git_log` and `git_commit`: the declarations. */
import type { SheathTool } from "../tool.ts";
import schemas from "./schemas.json" with { type: "json" };

const shared = { runsIn: "sheath", set: "full" } as const;
const reading = { ...shared, effects: "read", replay: "safe" } as const;

/** Reads without a lock, so it may run beside others. */
export const gitStatus: SheathTool = {
  ...reading,
  name: "git_status",
  description: "Branch, staged, changed and new files of the repository.",
  schema: schemas.statusArgs,
  body: () => import("./status.ts"),
};

/** Reads without a lock, so it may run beside others. */
export const gitDiff: SheathTool = {
  ...reading,
  name: "git_diff",
  description:
    "What is changed and not staged, as a diff; `staged`: what is staged; `from`, `to`: commits to compare.",
  schema: schemas.diffArgs,
  body: () => import("./diff.ts"),
};

/** Reads without a lock, so it may run beside others. */
export const gitLog: SheathTool = {
  ...reading,
  name: "git_log",
  description: "Commits, newest first; `from`: a commit, branch or range.",
  schema: schemas.logArgs,
  body: () => import("./log.ts"),
};

/** Never repeated after a crash: the commit may be there already. */
export const gitCommit: SheathTool = {
  ...shared,
  name: "git_commit",
  description: "Commit the named `files` whole, or what is staged. Only when the user wants a commit.",
  schema: schemas.commitArgs,
  effects: "write",
  replay: "never",
  body: () => import("./commit.ts"),
};
