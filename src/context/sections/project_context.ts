/** The project's standing instructions, outermost folder first, so that the nearest has the last word. */
import type { Section } from "../section.ts";

/** Left out where there are none. Each file stands under its path, as the user wrote it. */
export const projectContext: Section = {
  name: "project_context",
  render({ instructions }) {
    if (instructions.length === 0) return undefined;
    return instructions.map(({ path, text }) => `<file path="${path}">\n${text.trim()}\n</file>`).join("\n");
  },
};
