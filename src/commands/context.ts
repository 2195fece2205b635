/** `/context`: what fills the window. */
import { grouped } from "../lib/text/count.ts";
import type { Command } from "./shared/command.ts";
import { tokens } from "./shared/words.ts";

const BAR = 30;

export const context: Command = {
  name: "context",
  summary: "What fills the model's window",
  args: [],
  during: "any",
  async run(_, { snapshot, say }) {
    const { context, instructions } = await snapshot();
    const all = Object.values(context.parts).reduce((sum, part) => sum + part, 0);
    const lines = Object.entries(context.parts).map(([name, part]) =>
      `${name.padEnd(12)} ${"█".repeat(Math.round(part / Math.max(1, all) * BAR)).padEnd(BAR)} ~${
        grouped(part)
      }`
    );
    const trigger = context.trigger === undefined
      ? []
      : [`The older part is summarised at ${grouped(context.trigger)} tokens.`];
    const files = instructions.map(({ path, tokens }) => `${path}  ~${grouped(tokens)}`);
    say(
      [tokens(context), ...lines, ...trigger, ...(files.length > 0 ? ["Instructions:", ...files] : [])].join(
        "\n",
      ),
    );
  },
};
