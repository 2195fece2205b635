/** `/navigate`: to another place in the session's tree. */
import type { Command } from "./shared/command.ts";

export const navigate: Command = {
  name: "navigate",
  summary: "Go to an entry of the session; what came after it stays as a branch",
  args: [
    { name: "entry", about: "its id, or the beginning of it; without it: the places there are" },
    { name: "summarize", about: "with a summary of what is left", oneOf: ["summarize"] },
  ],
  during: "idle",
  async run({ entry, summarize }, { submit, tree, say }) {
    if (entry === undefined) {
      const places = (await tree()).filter(({ kind }) => kind !== "answer").slice(-40);
      return say(
        places.map(({ id, text, label, onPath }) =>
          `${onPath ? "*" : " "} ${id.slice(-8)}  ${label === undefined ? "" : `[${label}] `}${
            text.slice(0, 80)
          }`
        ).join("\n") || "There is nothing to go to yet",
      );
    }
    await submit({ type: "navigate", to: entry, summarize: summarize !== undefined });
  },
};
