/** `/model`: another model for the requests from here on, or which one it is. */
import type { Command } from "./shared/command.ts";

export const model: Command = {
  name: "model",
  summary: "Use another model from here on",
  args: [{ name: "model", about: "PROVIDER/ID; without it: the one in use" }],
  during: "any",
  async run({ model }, { submit, snapshot, say }) {
    if (model === undefined) return say((await snapshot()).model);
    await submit({ type: "model", model });
    say(`From here on: ${(await snapshot()).model}`);
  },
};
