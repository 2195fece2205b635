/** The project's standing instructions, outermost folder first, so that the nearest has the last word. */
import type { Section } from "../section.ts";

export const projectContext: Section = {
  name: "project_context",
  render({ instructions }) {
    if (instructions.length === 0) return undefined;
    return instructions.map(({ path, text }) => `<file path="${path}">\n${text.trim()}\n</file>`).join("\n");
  },
};
