/** `git_status`: the work. Branch, what is under way, and files by what happened to them. */
import { errorResult, textResult, type ToolBody } from "../../agent/tool.ts";
import { visible } from "../../lib/text/visible.ts";
import { readArgs } from "../shared/arguments.ts";
import { limitOutput } from "../shared/limit_output.ts";
import { answering, gitFailed } from "./answer.ts";
import plain from "./args.json" with { type: "json" };
import { type GitDeps, openGit } from "./run_git.ts";
import { parseStatus, type Status } from "./parse_status.ts";

/** Files by what happened to them, and an operation that is under way, such as a merge. */
export function create(deps: GitDeps): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(
        plain.statusArgs,
        () => import("./args.ts").then(({ statusArgs }) => statusArgs),
        given,
      );
      if (!args.ok) return errorResult(args.error);
      return await answering("ask for the status", async () => {
        const git = openGit(deps);
        const end = await git([
          "status",
          "--porcelain=v2",
          "--branch",
          "--show-stash",
          "--untracked-files=normal",
          "--ignore-submodules=dirty",
          "--find-renames",
          "-z",
        ]);
        if (!end.ok) return gitFailed("ask for the status", end);
        const status = parseStatus(end.text);
        const text = limitOutput(textOf(status), deps.limits.outputBytes, "git_status shows no more").text;
        return textResult(text, {
          view: { type: "files", title: "changed", paths: status.files.map((file) => file.path) },
        });
      });
    },
  };
}

const TITLES = {
  conflict: "In conflict",
  staged: "Staged",
  changed: "Changed, not staged",
  untracked: "Not tracked",
} as const;

function textOf(status: Status): string {
  const lines = [branchLine(status)];
  if (status.stashes > 0) lines.push(`${status.stashes} stashed`);
  for (const [place, title] of Object.entries(TITLES)) {
    const files = status.files.filter((file) => file.place === place);
    if (files.length === 0) continue;
    lines.push(`${title}:`);
    for (const { what, path, from } of files) {
      lines.push(
        `  ${what === undefined ? "" : `${what} `}${from === undefined ? "" : `${visible(from)} -> `}${
          visible(path)
        }`,
      );
    }
  }
  if (status.files.length === 0) lines.push("Nothing to commit, the working tree is clean");
  return lines.join("\n");
}

function branchLine({ branch, commit, upstream, ahead, behind }: Status): string {
  const where = branch === undefined
    ? `Detached at ${commit?.slice(0, 10) ?? "nothing"}`
    : `On ${visible(branch)}`;
  const first = commit === undefined ? ", no commits yet" : ` at ${commit.slice(0, 10)}`;
  const apart = [ahead > 0 ? `${ahead} ahead` : "", behind > 0 ? `${behind} behind` : ""].filter((part) =>
    part !== ""
  );
  const far = upstream === undefined
    ? ""
    : `, ${apart.length === 0 ? "level with" : `${apart.join(" and ")} of`} ${visible(upstream)}`;
  return `${where}${branch === undefined ? "" : first}${far}`;
}
