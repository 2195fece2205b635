/** `/tools`: what the model may call. */
import type { Command } from "./shared/command.ts";

export const tools: Command = {
  name: "tools",
  summary: "The tools that the model is offered",
  args: [],
  during: "any",
  async run(_, { snapshot, say }) {
    const { tools } = await snapshot();
    const width = Math.max(0, ...tools.map(({ name }) => name.length));
    say(tools.map(({ name, about }) => `${name.padEnd(width)}  ${about}`).join("\n") || "None");
  },
};
