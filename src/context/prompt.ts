/**
 * Puts the system prompt together: named sections, the same bytes for the
 * same input. What is sent stays in the transcript; when sections change
 * later on, only those are said again, behind all that was sent before.
 */
import type { PromptInput, Section } from "./section.ts";

/** A section as it is sent. */
export interface RenderedSection {
  readonly name: string;
  readonly text: string;
}

const GONE = "(no longer holds)";

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

/** Which sections a system message sets: name -> digest of the text, "" for one that no longer holds. */
export type SectionDigests = Readonly<Record<string, string>>;

/** The digests of sections as they are sent. */
export function digestSections(rendered: readonly RenderedSection[]): SectionDigests {
  return Object.fromEntries(rendered.map(({ name, text }) => [name, text === GONE ? "" : digest(text)]));
}

/** What is in force after the given system messages, later ones in place of earlier ones. */
export function inForce(said: Iterable<SectionDigests>): SectionDigests {
  const all: Record<string, string> = {};
  for (const one of said) {
    for (const [name, value] of Object.entries(one)) {
      if (value === "") delete all[name];
      else all[name] = value;
    }
  }
  return all;
}

/** What to say when the sections in force become `after`: the changed ones, and which are gone. Empty: nothing. */
export function changedSections(
  before: SectionDigests,
  after: readonly RenderedSection[],
): RenderedSection[] {
  const changed = after.filter(({ name, text }) => before[name] !== digest(text));
  const names = new Set(after.map(({ name }) => name));
  for (const name of Object.keys(before)) if (!names.has(name)) changed.push({ name, text: GONE });
  return changed;
}

/** FNV-1a over UTF-16 units, two lanes: it tells changed texts apart, and proves nothing. */
function digest(text: string): string {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ (unit + at), 0x85ebca6b);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}
