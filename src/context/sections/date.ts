/** The date on which the session began. It stays as it was, so that the prompt's bytes do. */
import type { Section } from "../section.ts";

export const date: Section = { name: "date", render: ({ date }) => date };
