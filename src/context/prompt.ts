/** Puts the system prompt together: named sections, the same bytes for the same input. */
import type { PromptInput, Section } from "./section.ts";

/** A section as it is sent. */
export interface RenderedSection {
  readonly name: string;
  readonly text: string;
}

/** Renders the sections that have something to say. */
export function renderSections(sections: readonly Section[], input: PromptInput): RenderedSection[] {
  const out: RenderedSection[] = [];
  for (const section of sections) {
    const text = section.render(input)?.trim();
    if (text) out.push({ name: section.name, text });
  }
  return out;
}

/** The text that the model gets: each section between marks with its name. */
export function joinSections(rendered: readonly RenderedSection[]): string {
  return rendered.map(({ name, text }) => `<${name}>\n${text}\n</${name}>`).join("\n");
}
