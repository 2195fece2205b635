/** `checkpoint`: the work. A point is a label in the session; what it means for files is the session's business. */
import { errorResult, textResult, type ToolBody, type ToolResult } from "../../agent/tool.ts";
import { visible } from "../../lib/text/visible.ts";
import { readArgs } from "../shared/arguments.ts";
import { limitOutput } from "../shared/limit_output.ts";
import type { Checkpoints, MainDeps } from "../tool.ts";
import plain from "./args.json" with { type: "json" };

const MAX_NAME = 100;

/** Going back puts files back only; the conversation goes on. */
export function create({ checkpoints, limits }: Pick<MainDeps, "checkpoints" | "limits">): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(plain.args, () => import("./args.ts").then(({ args }) => args), given);
      if (!args.ok) return errorResult(args.error);
      if (args.value.name === undefined) {
        return textResult(limitOutput(listed(checkpoints), limits.outputBytes).text);
      }
      const name = args.value.name.replace(/\s+/g, " ").trim().slice(0, MAX_NAME).toWellFormed();
      if (name === "") return errorResult("The name is empty");
      if (args.value.restore) return await restore(checkpoints, name, limits.outputBytes);
      await checkpoints.mark(name);
      return textResult(`This point is called "${visible(name)}".`);
    },
  };
}

async function restore(checkpoints: Checkpoints, name: string, maxBytes: number): Promise<ToolResult> {
  const report = await checkpoints.restore(name);
  if (report === undefined) {
    return errorResult(`No point is called "${visible(name)}". ${listed(checkpoints)}`);
  }
  const lines = [
    report.restored.length === 0 ? "No file had to be put back." : `Put back: ${report.restored.join(", ")}`,
    ...(report.conflicts.length === 0
      ? []
      : [`Changed by others since, left alone: ${report.conflicts.join(", ")}`]),
    ...report.failed.map(({ path, why }) => `Not put back: ${path}: ${why}`),
  ];
  const text = limitOutput(visible(lines.join("\n")), maxBytes).text;
  const view = { type: "files", title: "put back", paths: report.restored } as const;
  return report.failed.length > 0 ? errorResult(text, { view }) : textResult(text, { view });
}

function listed(checkpoints: Checkpoints): string {
  const names = checkpoints.list();
  return names.length === 0
    ? "No point has a name yet."
    : `Points with a name: ${names.map(visible).join(", ")}`;
}
