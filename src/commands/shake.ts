/** `/shake`: room without a model. */
import type { Command } from "./shared/command.ts";

const MODES = ["elide", "images", "thinking"] as const;

export const shake: Command = {
  name: "shake",
  summary: "Put references in place of old outputs, or leave out old images or thinking",
  args: [{ name: "mode", about: "what goes", required: true, oneOf: MODES }],
  during: "idle",
  async run({ mode }, { submit }) {
    await submit({ type: "shake", mode: MODES.find((one) => one === mode) ?? "elide" });
  },
};
