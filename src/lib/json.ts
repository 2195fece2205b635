/** Values that came out of a JSON text, whose shape nobody has promised. */

/** An object of JSON. */
export type Json = Record<string, unknown>;

/** Whether a value is an object of JSON: neither null nor an array. */
export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
