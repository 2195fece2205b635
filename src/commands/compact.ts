/** `/compact`: a summary in place of the older part of the conversation. */
import type { Command } from "./shared/command.ts";

export const compact: Command = {
  name: "compact",
  summary: "Summarise the older part of the conversation",
  args: [{ name: "focus", about: "what the summary should keep in particular" }],
  during: "idle",
  async run({ focus }, { submit }) {
    await submit({ type: "compact", ...(focus === undefined ? {} : { focus }) });
  },
};
