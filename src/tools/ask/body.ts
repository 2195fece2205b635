/** `ask`: the work. Any attached interface answers; the first answer counts. */
import { errorResult, textResult, type ToolBody } from "../../agent/tool.ts";
import { visible } from "../../lib/text/visible.ts";
import { readArgs } from "../shared/arguments.ts";
import { clipBytes } from "../shared/limit_output.ts";
import type { MainDeps } from "../tool.ts";
import plain from "./args.json" with { type: "json" };

const MAX_OPTIONS = 12;

/** Waits as long as it takes: nobody answering before the call's end is an error result. */
export function create(deps: Pick<MainDeps, "people" | "limits">): ToolBody {
  return {
    async run(given, { callId, signal }) {
      const args = await readArgs(plain.args, () => import("./args.ts").then(({ args }) => args), given);
      if (!args.ok) return errorResult(args.error);
      const options = [...new Set(args.value.options ?? [])];
      if (options.length > MAX_OPTIONS) return errorResult(`More than ${MAX_OPTIONS} options: offer fewer`);
      const question = { text: args.value.question, options, multiple: args.value.multiple ?? false };
      const reply = await deps.people.ask(question, callId, signal);
      if (reply === undefined) return errorResult("Nobody has answered.");
      const written = reply.text?.trim() ?? "";
      const lines = [
        ...reply.chosen.map((option) => options.length === 0 ? option : `Chosen: ${option}`),
        ...(written === "" ? [] : [options.length === 0 ? written : `In own words: ${written}`]),
      ];
      if (lines.length === 0) lines.push("The user chose nothing.");
      const text = clipBytes(visible(lines.join("\n")), deps.limits.outputBytes);
      return textResult(text, { view: { type: "text", title: args.value.question, text } });
    },
  };
}
