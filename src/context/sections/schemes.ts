/** Names that tools take where they take a path. */
import type { Section } from "../section.ts";

/** Left out where the tools on offer take none. */
export const schemes: Section = {
  name: "schemes",
  render: ({ schemes }) => schemes.length === 0 ? undefined : schemes.join("\n"),
};
