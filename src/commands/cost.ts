/** `/cost`: what the session has used. */
import { grouped } from "../lib/text/count.ts";
import type { Command } from "./shared/command.ts";

export const cost: Command = {
  name: "cost",
  summary: "What the session has used",
  args: [],
  during: "any",
  async run(_, { snapshot, say }) {
    const { usage, costUsd } = await snapshot();
    if (usage === null) return say("Nothing was used yet, or the server does not say");
    say([
      `input        ${grouped(usage.input)} tokens`,
      `cache read   ${grouped(usage.cacheRead)}`,
      `cache write  ${grouped(usage.cacheWrite)}`,
      `output       ${grouped(usage.output)} (thinking ${grouped(usage.reasoning)})`,
      `cost         ${costUsd === null ? "the price is not known" : `$${costUsd.toFixed(4)}`}`,
    ].join("\n"));
  },
};
