/** `/sessions`: those of this folder. */
import type { Command } from "./shared/command.ts";

export const sessions: Command = {
  name: "sessions",
  summary: "The sessions of this folder",
  args: [],
  during: "any",
  async run(_, { host, say }) {
    say(host.sessions === undefined ? "Here: myelin sessions list" : await host.sessions());
  },
};
