/** How to work. */
import text from "../../../prompts/system/work.md" with { type: "text" };
import type { Section } from "../section.ts";

/** WORK.md of the user or project takes its place. */
export const work: Section = { name: "work", render: ({ files }) => files.get("WORK.md") ?? text };
