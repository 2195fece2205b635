/** `/new` and `/clear`: an empty session in place of this one, which stays on disk. */
import type { Command } from "./shared/command.ts";

function fresh(name: string): Command {
  return {
    name,
    summary: "Begin a new session; this one stays on disk",
    args: [],
    during: "idle",
    async run(_, { host, say }) {
      if (host.open === undefined) return say("Every `myelin run` without --continue begins a new session");
      await host.open({ kind: "new" });
    },
  };
}

export const newSession: Command = fresh("new");
export const clear: Command = fresh("clear");
