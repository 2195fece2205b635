/** How to write. */
import text from "../../../prompts/system/prose.md" with { type: "text" };
import type { Section } from "../section.ts";

/** PROSE.md of the user or project takes its place. */
export const prose: Section = { name: "prose", render: ({ files }) => files.get("PROSE.md") ?? text };
