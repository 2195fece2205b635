/** Types of what is used of @std/jsonc. */
export function parse(text: string): unknown;
