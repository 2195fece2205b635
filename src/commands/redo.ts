/** `/redo`: the last undo taken back. */
import type { Command } from "./shared/command.ts";

export const redo: Command = {
  name: "redo",
  summary: "Take the last undo back",
  args: [],
  during: "idle",
  run: (_, { submit }) => submit({ type: "redo" }),
};
