/** `git_log`: the work. Commits, newest first, one line each. */
import { errorResult, textResult, type ToolBody } from "../../agent/tool.ts";
import { resolvePath } from "../../lib/files/paths.ts";
import { visible } from "../../lib/text/visible.ts";
import { readArgs } from "../shared/arguments.ts";
import { limitOutput } from "../shared/limit_output.ts";
import type { SheathDeps } from "../tool.ts";
import { answering, gitFailed } from "./answer.ts";
import plain from "./args.json" with { type: "json" };
import { revision } from "./revision.ts";
import { type GitDeps, openGit } from "./run_git.ts";

type LogDeps = GitDeps & Pick<SheathDeps, "home">;

const DEFAULT_COMMITS = 20;
const MOST_COMMITS = 500;

/** One line a commit; a last one says where there are more than were asked for. */
export function create(deps: LogDeps): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(
        plain.logArgs,
        () => import("./args.ts").then(({ logArgs }) => logArgs),
        given,
      );
      if (!args.ok) return errorResult(args.error);
      const { path, from } = args.value;
      const limit = Math.min(args.value.limit ?? DEFAULT_COMMITS, MOST_COMMITS);
      const wrong = revision(from);
      if (wrong !== undefined) return errorResult(wrong);
      return await answering("read the log", async () => {
        const end = await openGit(deps)([
          "log",
          "--no-color",
          "--no-show-signature",
          "--no-mailmap",
          "--no-notes",
          `--max-count=${limit + 1}`,
          "--date=short",
          // %x00 between fields, records end in two: subjects may hold anything else.
          "--format=%h%x00%ad%x00%an%x00%D%x00%s%x00%x00",
          ...(from === undefined ? [] : [from]),
          "--",
          ...(path === undefined ? [] : [resolvePath(path, deps.cwd(), deps.home)]),
        ]);
        if (!end.ok) {
          if (/does not have any commits yet/.test(end.problem)) return textResult("No commits yet");
          return gitFailed("read the log", end);
        }
        const commits = end.text.split("\0\0\n").filter((record) => record !== "").map((record) =>
          record.replace(/\0\0$/, "").split("\0")
        );
        if (commits.length === 0) return textResult("No commits");
        const lines = commits.slice(0, limit).map(([hash, date, author, refs, subject]) =>
          visible(
            `${hash} ${date} ${author}: ${subject}${refs === "" ? "" : ` (${refs})`}`.replaceAll("\n", " "),
          )
        );
        if (commits.length > limit) {
          lines.push(`[older ones left out; \`limit\` shows more, up to ${MOST_COMMITS}]`);
        }
        return textResult(limitOutput(lines.join("\n"), deps.limits.outputBytes).text, {
          view: { type: "text", title: "log", text: lines.join("\n") },
        });
      });
    },
  };
}
