/** `/memory`: notes that are kept for the project. */
import type { Command } from "./shared/command.ts";

export const memory: Command = {
  name: "memory",
  summary: "Notes that are kept for this project",
  args: [],
  during: "any",
  async run(_, { host, say }) {
    say(
      host.notes === undefined
        ? "Notes are files; myelin config path names their folder. The tool memory keeps them (tools.enable)"
        : await host.notes(),
    );
  },
};
