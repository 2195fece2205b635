/** `picker`: the work. */
import { errorResult, textResult, type ToolBody, type ToolResult } from "../../agent/tool.ts";
import { resolvePath, shortPath } from "../../lib/files/paths.ts";
import { fuzzyScore } from "../../lib/text/fuzzy.ts";
import { visible } from "../../lib/text/visible.ts";
import { readArgs } from "../shared/arguments.ts";
import { failure } from "../shared/failure.ts";
import { timeOf, walkFiles } from "../shared/walk.ts";
import type { SheathDeps } from "../tool.ts";
import plain from "./args.json" with { type: "json" };
import { grouped } from "../../lib/text/count.ts";

/** `workspace` is where ignore files above the folder stop to count. */
type PickerDeps = Pick<SheathDeps, "fs" | "workspace" | "cwd" | "home" | "poll">;

const SHOWN = 30;
/** The best ones that are looked at for their times. */
const TIMED = 200;

/** The likeliest paths first; among equals what was changed last. */
export function create(deps: PickerDeps): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(plain.args, () => import("./args.ts").then(({ args }) => args), given);
      if (!args.ok) return errorResult(args.error);
      const root = resolvePath(args.value.path ?? ".", deps.cwd(), deps.home);
      try {
        return pick(deps, root, args.value.query);
      } catch (error) {
        return failure(deps, "search", root, error);
      }
    },
  };
}

function pick(deps: PickerDeps, root: string, query: string): ToolResult {
  const found: { path: string; score: number; time: number }[] = [];
  const walk = walkFiles({
    fs: deps.fs,
    root,
    workspace: deps.workspace,
    hidden: query.startsWith("."),
    poll: deps.poll,
  });
  for (const { path, absolute } of walk) {
    const score = fuzzyScore(query, path);
    if (score !== undefined) found.push({ path: absolute, score, time: 0 });
  }
  if (found.length === 0) return textResult("No path is like it");
  found.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
  const best = found.slice(0, TIMED).map((file) => ({ ...file, time: timeOf(deps.fs, file.path) }));
  // Scores that differ by less than this say nothing: then what was changed last comes first.
  const rank = (score: number) => Math.round(score);
  best.sort((a, b) => rank(b.score) - rank(a.score) || b.time - a.time || (a.path < b.path ? -1 : 1));
  const paths = best.slice(0, SHOWN).map((file) => visible(shortPath(file.path, deps.cwd())));
  const more = found.length > paths.length ? [`[${paths.length} of ${grouped(found.length)}]`] : [];
  return textResult([...paths, ...more].join("\n"), { view: { type: "files", title: query, paths } });
}
