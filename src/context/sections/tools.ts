/** The names of the tools on offer: when they change in mid-session, that is said. */
import type { Section } from "../section.ts";

/** What they do is in their declarations, which every request carries. */
export const tools: Section = {
  name: "tools",
  render: ({ tools = [] }) => tools.length === 0 ? undefined : `On offer: ${tools.join(", ")}`,
};
