/** What earlier sessions noted about the project: titles only, the tool `memory` reads the rest. */
import { visible } from "../../lib/text/visible.ts";
import type { Section } from "../section.ts";

/** Bytes of titles that are listed. */
const MAX_TEXT = 2000;

/** Left out where there are none; a list that is too long names how many more there are. */
export const memory: Section = {
  name: "memory",
  render({ notes = [] }) {
    if (notes.length === 0) return undefined;
    const lines: string[] = [];
    let size = 0;
    for (const title of notes) {
      const line = `- ${visible(title.slice(0, 120).toWellFormed())}`;
      if ((size += line.length) > MAX_TEXT) {
        lines.push(`- … ${notes.length - lines.length} more`);
        break;
      }
      lines.push(line);
    }
    return `Notes from earlier sessions, for the tool memory:\n${lines.join("\n")}`;
  },
};
