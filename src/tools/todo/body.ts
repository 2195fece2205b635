/** `todo`: the work. The list lives in the calls themselves: the last one is what counts. */
import { errorResult, textResult, type ToolBody } from "../../agent/tool.ts";
import { visible } from "../../lib/text/visible.ts";
import { readArgs } from "../shared/arguments.ts";
import { clipBytes } from "../shared/limit_output.ts";
import type { MainDeps } from "../tool.ts";
import plain from "./args.json" with { type: "json" };

const MAX_ITEMS = 100;
const MAX_TEXT = 500;
const MARK = { open: "[ ]", active: "[>]", done: "[x]" } as const;

/** Keeps nothing: interfaces draw the list of the latest call. */
export function create(_deps: Pick<MainDeps, "limits">): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(plain.args, () => import("./args.ts").then(({ args }) => args), given);
      if (!args.ok) return errorResult(args.error);
      if (args.value.items.length > MAX_ITEMS) {
        return errorResult(`${args.value.items.length} items are too many: at most ${MAX_ITEMS}`);
      }
      const items = args.value.items.map(({ text, state }) => ({
        text: clipBytes(visible(text.replace(/\s+/g, " ").trim()), MAX_TEXT),
        state,
      }));
      const left = items.filter((item) => item.state !== "done").length;
      const active = items.find((item) => item.state === "active");
      const now = active === undefined ? "" : `, now: ${MARK.active} ${active.text}`;
      return textResult(`${items.length} item${items.length === 1 ? "" : "s"}, ${left} left${now}`, {
        view: { type: "todo", items },
      });
    },
  };
}
