/** `/fork`: a new session that goes on from an entry of this one. */
import type { Command } from "./shared/command.ts";

export const fork: Command = {
  name: "fork",
  summary: "A new session that goes on from an entry of this one",
  args: [{ name: "entry", about: "its id, or the beginning of it", required: true }],
  during: "idle",
  async run({ entry }, { host, say }) {
    if (host.fork === undefined) return say("Here: myelin run --resume ID --fork ENTRY");
    await host.fork(entry);
  },
};
