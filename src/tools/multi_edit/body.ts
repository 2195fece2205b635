/** `multi_edit`: the work. Everything is planned before anything is written; a write that fails takes the others back. */
import { errorResult, textResult, type ToolBody, type ToolResult } from "../../agent/tool.ts";
import { resolvePath, shortPath } from "../../lib/files/paths.ts";
import { textOf } from "../../llm/message.ts";
import { visible } from "../../lib/text/visible.ts";
import { HostError } from "../../sandbox/mod.ts";
import { readArgs } from "../shared/arguments.ts";
import {
  applyEdit,
  type EditDeps,
  type EditPlan,
  planEdit,
  reportEdit,
  undoEdit,
} from "../shared/edit_file.ts";
import { failure } from "../shared/failure.ts";
import type { Hunk } from "../shared/match_edit.ts";
import plain from "./args.json" with { type: "json" };

/** Bytes of diff that the model gets back, over all files. */
const SHOWN_DIFF = 8192;

/** All files are changed or none; where taking back fails too, the result names the files that stay changed. */
export function create(deps: EditDeps): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(plain.args, () => import("./args.ts").then(({ args }) => args), given);
      if (!args.ok) return errorResult(args.error);
      const files = args.value.files.map((file) => ({
        ...file,
        path: resolvePath(file.path, deps.cwd(), deps.home),
      }));
      const plans: EditPlan[] = [];
      for (const { path, edits } of files) {
        const plan = await planOne(deps, path, edits, plans);
        if ("isError" in plan) return plan;
        plans.push(plan);
      }
      deps.poll();
      return await applyAll(deps, plans);
    },
  };
}

async function planOne(
  deps: EditDeps,
  path: string,
  edits: readonly Hunk[],
  before: readonly EditPlan[],
): Promise<EditPlan | ToolResult> {
  const name = visible(shortPath(path, deps.cwd()));
  try {
    const planned = await planEdit(deps, path, edits);
    if (!planned.ok) return errorResult(`Nothing changed, because of ${name}: ${planned.reason}`);
    if (before.some((plan) => plan.target.realPath === planned.plan.target.realPath)) {
      return errorResult(`Nothing changed: ${name} is there twice; put all its edits together`);
    }
    return planned.plan;
  } catch (error) {
    return failure(deps, "edit", path, error);
  }
}

/** Takes plans back, the last first; the names of those that could not be. */
async function undoAll(deps: EditDeps, plans: readonly EditPlan[]): Promise<string[]> {
  const left: string[] = [];
  for (const plan of plans.toReversed()) {
    try {
      await undoEdit(deps, plan);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      left.push(visible(plan.name));
    }
  }
  return left;
}

async function applyAll(deps: EditDeps, plans: readonly EditPlan[]): Promise<ToolResult> {
  for (const [index, plan] of plans.entries()) {
    try {
      await applyEdit(deps, plan);
    } catch (error) {
      const left = await undoAll(deps, plans.slice(0, index));
      const told = failure(deps, "edit", plan.target.realPath, error);
      if (left.length === 0) return told;
      return errorResult(
        `${textOf(told.parts)}. Changed already, and not to be taken back: ${left.join(", ")}`,
      );
    }
  }
  const reports = plans.map((plan) => reportEdit(plan, Math.floor(SHOWN_DIFF / plans.length)));
  const views = reports.map((report) => report.view);
  return textResult(reports.map((report) => report.text).join("\n\n"), {
    view: {
      type: "diff",
      path: views.map((view) => view.path).join(", "),
      diff: views.map((view) => view.diff).join(""),
      added: views.reduce((sum, view) => sum + view.added, 0),
      removed: views.reduce((sum, view) => sum + view.removed, 0),
    },
  });
}
