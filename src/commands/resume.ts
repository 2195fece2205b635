/** `/resume`: another session in place of this one. */
import type { Command } from "./shared/command.ts";

export const resume: Command = {
  name: "resume",
  summary: "Go on with another session",
  args: [{ name: "session", about: "its id, or the beginning of it", required: true }],
  during: "idle",
  async run({ session }, { host, say }) {
    if (host.open === undefined) return say("Here: myelin run --resume ID");
    await host.open({ kind: "named", wanted: session });
  },
};
