/** `/thinking`: how hard the model thinks from here on. */
import type { Command } from "./shared/command.ts";

const LEVELS = ["off", "low", "medium", "high"] as const;

export const thinking: Command = {
  name: "thinking",
  summary: "How hard the model thinks from here on",
  args: [{ name: "level", about: "without it: the one in use", oneOf: LEVELS }],
  during: "any",
  async run({ level }, { submit, snapshot, say }) {
    const wanted = LEVELS.find((one) => one === level);
    if (wanted !== undefined) await submit({ type: "thinking", level: wanted });
    say(`Thinking: ${(await snapshot()).thinking ?? "the model's own"}`);
  },
};
