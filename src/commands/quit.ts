/** `/quit`: ends the conversation; the session stays on disk. */
import type { Command } from "./shared/command.ts";

export const quit: Command = {
  name: "quit",
  summary: "End the conversation; the session stays on disk",
  args: [],
  during: "any",
  run(_, { host }) {
    host.quit?.();
    return Promise.resolve();
  },
};
