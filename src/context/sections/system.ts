/** Who the model is here. */
import text from "../../../prompts/system/identity.md" with { type: "text" };
import type { Section } from "../section.ts";

/** SYSTEM.md of the user or project takes its place. */
export const system: Section = { name: "system", render: ({ files }) => files.get("SYSTEM.md") ?? text };
