/**
 * JSON as models write it: cut off while it streams, or slightly broken. Two
 * questions with different care: what to *show* of an unfinished text (a
 * guess is welcome), and what may be *acted on* (only a repair that neither
 * drops nor invents a word). The libraries load on first use, since most runs
 * never need them.
 */

/** The value of a JSON text that may not be complete; undefined where nothing can be made of it. For showing only. */
export async function partialValue(text: string): Promise<unknown> {
  const whole = parse(text);
  if (whole !== undefined) return whole;
  const { Allow, parse: parsePartial } = await import("partial-json");
  try {
    return parsePartial(text, Allow.ALL);
  } catch {
    return undefined;
  }
}

/**
 * The text of one JSON object, repaired where there is only one way to read
 * it: trailing commas, single quotes, bare keys, Python's literals, raw line
 * ends in strings, code fences, a bracket too many, JSON in a JSON string.
 * Undefined where something is open at its end (it may be half of what was
 * meant), where it is no object, or where a repair would drop or add words.
 */
export async function repairObject(text: string): Promise<string | undefined> {
  const value = parse(text);
  if (isObject(value)) return text;
  if (typeof value === "string") return isObject(parse(value)) ? value : undefined;
  if (value !== undefined) return undefined;
  if (isCut(text)) return undefined;
  const { jsonrepair } = await import("jsonrepair");
  let repaired: string;
  try {
    repaired = jsonrepair(text).trim();
  } catch {
    return undefined;
  }
  if (!isObject(parse(repaired))) return undefined;
  return words(text) === words(repaired) ? repaired : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True when a string or a bracket is open at the end of a text that should be JSON. */
function isCut(text: string): boolean {
  let quote = "";
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quote !== "") {
      if (char === "\\") i++;
      else if (char === quote) quote = "";
    } else if (char === '"' || char === "'") quote = char;
    else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
  }
  return quote !== "" || depth > 0;
}

/** What a text says apart from its punctuation, so that two spellings of the same value compare equal. */
function words(text: string): string {
  return text
    .replace(/^\s*```(?:json)?/i, "")
    .replace(/\\[nrtbf]/g, " ")
    .replace(/\bNone\b/g, "null")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();
}
