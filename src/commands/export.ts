/** `/export`: the session as a page. */
import type { Command } from "./shared/command.ts";

export const exportSession: Command = {
  name: "export",
  summary: "Write the session as a page (.md, .html or .jsonl)",
  args: [{ name: "path", about: "where to; its ending says the form" }],
  during: "any",
  async run({ path }, { host, say }) {
    say(
      host.export === undefined ? "Here: myelin sessions export ID" : `Written: ${await host.export(path)}`,
    );
  },
};
