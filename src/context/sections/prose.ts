/** How to write. */
import text from "../../../prompts/system/prose.md" with { type: "text" };
import type { Section } from "../section.ts";

export const prose: Section = { name: "prose", render: ({ files }) => files.get("PROSE.md") ?? text };
