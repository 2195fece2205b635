/** What the model can read up on when a task asks for it. */
import type { Section } from "../section.ts";

/** Names and descriptions only: the text is read with a tool. */
export const skills: Section = {
  name: "skills",
  render({ skills }) {
    if (skills.length === 0) return undefined;
    return [
      "Instructions for special tasks. When one fits, read its file before you begin.",
      ...skills.map(({ name, description, path }) => `- ${name}: ${description} (${path})`),
    ].join("\n");
  },
};
