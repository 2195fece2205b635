/**
 * `git_commit`: the work. Commits the files that are named (as they stand on
 * disk), or what is staged where none are. The message goes in by stdin, never
 * through an argument or an editor. Nothing is amended, nothing pushed.
 */
import { errorResult, textResult, type ToolBody } from "../../agent/tool.ts";
import { resolvePath } from "../../lib/files/paths.ts";
import { visible } from "../../lib/text/visible.ts";
import { readArgs } from "../shared/arguments.ts";
import type { SheathDeps } from "../tool.ts";
import { answering, gitFailed } from "./answer.ts";
import plain from "./args.json" with { type: "json" };
import { type GitDeps, openGit } from "./run_git.ts";

type CommitDeps = GitDeps & Pick<SheathDeps, "home">;

/** Never amends and never pushes. Nothing staged is an error result, not an empty commit. */
export function create(deps: CommitDeps): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(
        plain.commitArgs,
        () => import("./args.ts").then(({ commitArgs }) => commitArgs),
        given,
      );
      if (!args.ok) return errorResult(args.error);
      const message = args.value.message.trim();
      if (message === "") return errorResult("The message is empty");
      const files = (args.value.files ?? []).map((file) => resolvePath(file, deps.cwd(), deps.home));
      return await answering("commit", async () => {
        const git = openGit(deps);
        if (files.length > 0) {
          // New files have to be known before they can be named to a commit; -A takes what was deleted along.
          const added = await git(["add", "-A", "--", ...files]);
          if (!added.ok) return gitFailed("commit", added);
        } else {
          const staged = await git([
            "diff",
            "--cached",
            "--quiet",
            "--no-ext-diff",
            "--ignore-submodules=dirty",
          ]);
          if (staged.status > 1) return gitFailed("commit", staged);
          if (staged.status === 0) {
            return errorResult(
              "Nothing is staged: name the files to commit in `files`, or stage them in bash",
            );
          }
        }
        const end = await git(
          [
            "commit",
            "--quiet",
            "--no-status",
            "--cleanup=strip",
            ...(deps.trusted === true ? [] : ["--no-verify", "--no-gpg-sign"]),
            "--file=-",
            ...(files.length > 0 ? ["--only", "--", ...files] : []),
          ],
          { input: message + "\n" },
        );
        if (!end.ok) {
          if (/tell me who you are|unable to auto-detect email|empty ident/i.test(end.problem)) {
            return errorResult(
              "Cannot commit: git does not know who commits. The user can set user.name and user.email with git config",
            );
          }
          // What it says about nothing to do goes to stdout.
          return gitFailed("commit", { ...end, problem: end.text.trim().split("\n").at(-1) || end.problem });
        }
        const made = await git(["log", "-1", "--no-color", "--format=%h %s", "--shortstat"]);
        const text = made.text.trim().replace(/\n\s*/g, "\n");
        return textResult(`Committed ${visible(text)}`, { view: { type: "text", title: "commit", text } });
      });
    },
  };
}
