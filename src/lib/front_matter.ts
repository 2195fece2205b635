/** Texts that begin with a few `key: value` lines between two lines of dashes. Plain values only: no YAML beyond that. */

/** `fields` as they are written, without quotes around them; of a repeated name the last. */
interface FrontMatter {
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A text without such a beginning is all body. */
export function readFrontMatter(text: string): FrontMatter {
  const match = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\r?\n|$)/.exec(text);
  if (match === null) return { fields: {}, body: text };
  const fields: Record<string, string> = {};
  for (const line of match[1].split(/\r?\n/)) {
    const pair = /^([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*?)[ \t]*$/.exec(line);
    if (pair !== null) fields[pair[1]] = pair[2].replace(/^(["'])(.*)\1$/, "$2");
  }
  return { fields, body: text.slice(match[0].length) };
}
