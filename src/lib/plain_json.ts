/**
 * A quick yes: whether a value is, to the letter, what a JSON Schema asks for.
 * Nearly every tool call's arguments are, and to see that takes no schema
 * library. Everything else, also a keyword that is not known here, is a no,
 * which means only that somebody must look closer.
 */
import { isRecord } from "./json.ts";

/** The keywords that a node may have, each with whether the value fulfils it. */
const KEYWORDS: Readonly<Record<string, (value: unknown, wanted: unknown) => boolean>> = {
  $schema: () => true,
  type: (value, type) => typeof type === "string" && TYPES[type]?.(value) === true,
  enum: (value, values) => Array.isArray(values) && values.includes(value),
  minLength: (value, least) => typeof value === "string" && value.length >= Number(least),
  minimum: (value, least) => typeof value === "number" && value >= Number(least),
  maximum: (value, most) => typeof value === "number" && value <= Number(most),
  exclusiveMinimum: (value, bound) => typeof value === "number" && value > Number(bound),
  minItems: (value, least) => Array.isArray(value) && value.length >= Number(least),
  items: (value, item) => Array.isArray(value) && value.every((one) => fits(item, one)),
  required: (value, names) =>
    isRecord(value) && Array.isArray(names) && names.every((name) => Object.hasOwn(value, name)),
  properties: (value, inner) =>
    isRecord(value) && isRecord(inner) &&
    // A field too many would be dropped by somebody who looks closer.
    Object.entries(value).every(([name, one]) => Object.hasOwn(inner, name) && fits(inner[name], one)),
};

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isRecord,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  number: Number.isFinite,
  integer: Number.isSafeInteger,
};

/** Whether `value`, something read from JSON, plainly fulfils `schema` (a JSON Schema). Never true for what the schema refuses. */
export function fits(schema: unknown, value: unknown): boolean {
  if (!isRecord(schema) || !("type" in schema || "enum" in schema)) return false;
  return Object.entries(schema).every(([keyword, wanted]) => KEYWORDS[keyword]?.(value, wanted) === true);
}
