/** `/prepare-compact`: a turn in which the model writes down what a summary must not lose. */
import type { Command } from "./shared/command.ts";

export const prepareCompact: Command = {
  name: "prepare-compact",
  summary: "Let the model write down what a summary must not lose",
  args: [],
  during: "idle",
  async run(_, { submit }) {
    await submit({ type: "prompt", requestId: crypto.randomUUID(), parts: [], note: "prepare" });
  },
};
