/** `/undo`: files as they were before the last prompt. */
import type { Command } from "./shared/command.ts";

export const undo: Command = {
  name: "undo",
  summary: "Put files back to what they were before the last prompt",
  args: [{ name: "to", about: "an entry or a checkpoint's name; all since it" }],
  during: "idle",
  async run({ to }, { submit }) {
    await submit({ type: "undo", ...(to === undefined ? {} : { to }) });
  },
};
