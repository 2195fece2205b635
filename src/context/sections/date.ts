/** The date, by the user's clock. When it changes, only this section is said again. */
import type { Section } from "../section.ts";

/** Always there, and last: it changes whatever else stays. */
export const date: Section = { name: "date", render: ({ date }) => date };
