/** `/help`: what can be typed. */
import { type Command, hintOf } from "./shared/command.ts";

export const help: Command = {
  name: "help",
  summary: "What can be typed here",
  args: [],
  during: "any",
  async run(_, { commands, snapshot, say }) {
    const { skills, customCommands } = await snapshot();
    const rows = [
      ...commands.map((command) => [`/${command.name} ${hintOf(command)}`.trim(), command.summary]),
      ...[...customCommands, ...skills].map(({ name, about, argumentHint }) => [
        `/${name} ${argumentHint ?? ""}`.trim(),
        about,
      ]),
    ];
    const width = Math.min(36, Math.max(...rows.map(([typed]) => typed.length)));
    say(rows.map(([typed, about]) => `${typed.padEnd(width)}  ${about}`).join("\n"));
  },
};
