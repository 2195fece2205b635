/** `git_diff`: the work. What changed, as a unified diff, the list of files first. */
import { errorResult, textResult, type ToolBody } from "../../agent/tool.ts";
import { resolvePath } from "../../lib/files/paths.ts";
import { grouped } from "../../lib/text/count.ts";
import { visible } from "../../lib/text/visible.ts";
import { readArgs } from "../shared/arguments.ts";
import { limitOutput } from "../shared/limit_output.ts";
import type { SheathDeps } from "../tool.ts";
import { answering, gitFailed } from "./answer.ts";
import plain from "./args.json" with { type: "json" };
import { revision } from "./revision.ts";
import { type GitDeps, openGit } from "./run_git.ts";

type DiffDeps = GitDeps & Pick<SheathDeps, "home">;

const FORM = [
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=dirty",
  "--submodule=short",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--unified=3",
  "--diff-algorithm=default",
  "--find-renames",
];

/** Files that are listed above the diff. */
const LISTED = 50;

/** Files come first, up to a number, so that they are not what is cut off. Files that git does not track are not in it. */
export function create(deps: DiffDeps): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(
        plain.diffArgs,
        () => import("./args.ts").then(({ diffArgs }) => diffArgs),
        given,
      );
      if (!args.ok) return errorResult(args.error);
      const { path, staged = false, from, to } = args.value;
      const wrong = [from, to].map(revision).find((one) => one !== undefined);
      if (wrong !== undefined) return errorResult(wrong);
      if (to !== undefined && from === undefined) {
        return errorResult('"to" needs "from": the older of the two');
      }
      return await answering("make the diff", async () => {
        const git = openGit(deps);
        const what = [
          ...(staged ? ["--cached"] : []),
          ...(from === undefined ? [] : [from]),
          ...(to === undefined ? [] : [to]),
          "--",
          ...(path === undefined ? [] : [resolvePath(path, deps.cwd(), deps.home)]),
        ];
        const stat = await git(["diff", ...FORM, "--numstat", "-z", ...what]);
        if (!stat.ok) return gitFailed("make the diff", stat);
        const files = parseNumstat(stat.text);
        if (files.length === 0) return textResult(nothing(staged, from));
        const diff = await git(["diff", ...FORM, "--patch", ...what]);
        if (!diff.ok) return gitFailed("make the diff", diff);
        const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0);
        const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0);
        const listed = files.slice(0, LISTED).map((file) =>
          `  ${visible(file.path)} ${
            file.added === undefined ? "(binary)" : `+${file.added} -${file.removed}`
          }`
        );
        if (files.length > LISTED) listed.push(`  … ${grouped(files.length - LISTED)} more`);
        const head = `${files.length} file${files.length === 1 ? "" : "s"} changed, +${added} -${removed}\n${
          listed.join("\n")
        }\n\n`;
        const body = limitOutput(
          visible(diff.text),
          Math.max(1024, deps.limits.outputBytes - head.length),
          "git_diff with `path` shows one file",
        );
        return textResult(head + body.text.trimEnd(), {
          view: {
            type: "diff",
            path: path ?? ".",
            diff: limitOutput(diff.text, 64 * 1024).text,
            added,
            removed,
          },
        });
      });
    },
  };
}

function nothing(staged: boolean, from: string | undefined): string {
  if (from !== undefined) return "No differences";
  return staged
    ? "Nothing is staged"
    : "No changes that are not staged (git_status shows staged and new files)";
}

interface Counted {
  readonly path: string;
  /** Undefined: binary. */
  readonly added?: number;
  readonly removed?: number;
}

/** `added TAB removed TAB path NUL`; of a renamed file the path is empty and two more records follow. */
function parseNumstat(text: string): Counted[] {
  const records = text.split("\0");
  const files: Counted[] = [];
  for (let i = 0; i < records.length; i++) {
    const match = /^(\d+|-)\t(\d+|-)\t([\s\S]*)$/.exec(records[i]);
    if (match === null) continue;
    const path = match[3] === "" ? `${records[++i]} -> ${records[++i]}` : match[3];
    files.push(match[1] === "-" ? { path } : { path, added: Number(match[1]), removed: Number(match[2]) });
  }
  return files;
}
