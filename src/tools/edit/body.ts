/** `edit`: the work. */
import { errorResult, textResult, type ToolBody } from "../../agent/tool.ts";
import { resolvePath, shortPath } from "../../lib/files/paths.ts";
import { visible } from "../../lib/text/visible.ts";
import { readArgs } from "../shared/arguments.ts";
import { applyEdit, type EditDeps, planEdit, reportEdit } from "../shared/edit_file.ts";
import { failure } from "../shared/failure.ts";
import plain from "./args.json" with { type: "json" };

export type { EditDeps };

/** Bytes of diff that the model gets back. */
const SHOWN_DIFF = 4096;

/** All edits of a call are made or none; a refusal says what stands nearest to the text that was not found. */
export function create(deps: EditDeps): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(
        plain.args,
        () => import("./args.ts").then(({ args }) => args),
        withList(given),
      );
      if (!args.ok) return errorResult(args.error);
      const path = resolvePath(args.value.path, deps.cwd(), deps.home);
      try {
        const planned = await planEdit(deps, path, args.value.edits);
        if (!planned.ok) {
          return errorResult(`Nothing changed in ${visible(shortPath(path, deps.cwd()))}: ${planned.reason}`);
        }
        deps.poll();
        await applyEdit(deps, planned.plan);
        const { text, view } = reportEdit(planned.plan, SHOWN_DIFF);
        return textResult(text, { view });
      } catch (error) {
        return failure(deps, "edit", path, error);
      }
    },
  };
}

/** A single edit written beside the path instead of in the list can mean only one thing. */
function withList(given: unknown): unknown {
  if (typeof given !== "object" || given === null || "edits" in given) return given;
  if (!("oldText" in given && "newText" in given)) return given;
  const { oldText, newText, replaceAll, ...rest } = given as Record<string, unknown>;
  return { ...rest, edits: [{ oldText, newText, replaceAll }] };
}
