/** Where the model finds out about the program itself. */
import type { Section } from "../section.ts";

/** Left out where the model cannot read them. */
export const docs: Section = {
  name: "docs",
  render: ({ docs }) =>
    docs.length === 0
      ? undefined
      : `About myelin itself, its settings and its sandbox, read docs://NAME: ${docs.join(", ")}`,
};
