/** `/mcp`: servers that offer tools. */
import type { Command } from "./shared/command.ts";

export const mcp: Command = {
  name: "mcp",
  summary: "Servers that offer tools (this version starts none)",
  args: [],
  during: "any",
  async run(_, { host, say }) {
    say(
      host.servers === undefined
        ? "No servers are connected: this version starts none"
        : await host.servers(),
    );
  },
};
