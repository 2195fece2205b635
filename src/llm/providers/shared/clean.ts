/**
 * Text on its way out: without unpaired surrogates, which servers refuse with
 * errors that name no place, and names in the letters that they take.
 */

/** Unpaired surrogates become U+FFFD. */
export function clean(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

/** JSON text of an object without unpaired surrogates, raw or escaped; "{}" for what is no JSON. */
export function cleanJson(text: string): string {
  const whole = clean(text);
  if (!ESCAPED_SURROGATE.test(whole)) return whole;
  try {
    return JSON.stringify(JSON.parse(whole, (_, value) => typeof value === "string" ? clean(value) : value));
  } catch {
    // No JSON after all, and not marked so: never sent on.
    return "{}";
  }
}

/** Names that a model made up may hold anything; servers take letters, digits, "_" and "-". */
export function cleanName(name: string): string {
  return /^[\w-]{1,64}$/.test(name) ? name : name.replace(/[^\w-]/g, "_").slice(0, 64) || "unnamed";
}

/** What a model that takes no images is told in their place. */
export const NO_IMAGES = "(an image, left out: this model takes none)";

/** The same for documents. */
export const NO_DOCUMENTS = "(a document, left out: this model reads none)";

/** What a tool result without any content says: an empty one is refused here and there. */
export const NO_OUTPUT = "(no output)";
