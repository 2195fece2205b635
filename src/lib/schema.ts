/**
 * Between zod and models: the smallest JSON Schema that says what a tool
 * takes, and a reading of arguments that forgives what models commonly do
 * (a number as text, one value for a list, JSON inside a string, null for
 * "not given") as long as it can mean only one thing. Anything else is an
 * error text that names the field, what came, and the right form.
 */
import * as z from "zod/mini";
import en from "zod/v4/locales/en.js";
import { isRecord } from "./json.ts";

type Json = Readonly<Record<string, unknown>>;

/** The JSON Schema of `type`, without what a model does not need. */
export function toJsonSchema(type: z.ZodMiniType): Json {
  return slim(z.toJSONSchema(type, { io: "input" })) as Json;
}

/** `error` is for a model: it names the field and the right form. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | {
  readonly ok: false;
  readonly error: string;
};

/** Reads `args` as `type`, forgiving what is unambiguous. */
export function parseArgs<T>(type: z.ZodMiniType<T>, args: unknown): Parsed<T> {
  let current = fromText(args);
  if (!isRecord(current)) {
    return {
      ok: false,
      error: `Arguments: expected an object, got ${show(args)}. Right form: ${form(type)}`,
    };
  }
  // Each round mends the fields that the last one found wrong; nesting is shallow, so few are needed.
  for (let round = 0; round < 8; round++) {
    const result = type.safeParse(current);
    if (result.success) return { ok: true, value: result.data };
    const mended = mend(current, result.error.issues);
    if (mended === undefined) break;
    current = mended;
  }
  // Words for what is wrong are needed only now.
  z.config(en());
  const last = type.safeParse(current);
  return last.success
    ? { ok: true, value: last.data }
    : { ok: false, error: explain(type, current, last.error.issues) };
}

type Issue = z.core.$ZodIssue;

function mend(value: unknown, issues: readonly Issue[]): unknown {
  let changed = false;
  let out = value;
  for (const issue of issues) {
    if (issue.code !== "invalid_type") continue;
    const now = at(out, issue.path);
    const next = coerce(now, issue.expected);
    if (next === now) continue;
    out = replaced(out, issue.path, next);
    changed = true;
  }
  return changed ? out : undefined;
}

/** The value as `expected`, or the value itself where that would be a guess. */
function coerce(value: unknown, expected: string): unknown {
  if (value === undefined) return value;
  // Null means "not given": removed, so that an optional field is absent and a required one is named as missing.
  if (value === null) return undefined;
  switch (expected) {
    case "number":
    case "int":
      return typeof value === "string" && /^\s*[+-]?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
    case "boolean":
      if (value === "true") return true;
      return value === "false" ? false : value;
    case "string":
      return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
    case "array": {
      const inner = fromText(value);
      return Array.isArray(inner) ? inner : [inner];
    }
    case "object":
    case "record": {
      const inner = fromText(value);
      return isRecord(inner) ? inner : value;
    }
    default:
      return value;
  }
}

/** What a text that holds a JSON object or list says; everything else as it is. */
function fromText(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value; // Not JSON after all: the text itself is what was meant.
  }
}

function explain(type: z.ZodMiniType, args: unknown, issues: readonly Issue[]): string {
  const lines = issues.slice(0, 5).map((issue) => {
    const name = fieldName(issue.path);
    const came = at(args, issue.path);
    if (issue.code === "invalid_type" && came === undefined) {
      return `"${name}" is missing (${issue.expected})`;
    }
    return `"${name}": ${issue.message.replace(/^Invalid input: /, "")}, got ${show(came)}`;
  });
  const unknown = unknownFields(type, args);
  if (unknown.length > 0) lines.push(`not a field: ${unknown.map((name) => `"${name}"`).join(", ")}`);
  return `Arguments: ${lines.join("; ")}. Right form: ${form(type)}`;
}

function unknownFields(type: z.ZodMiniType, args: unknown): string[] {
  if (!(type instanceof z.ZodMiniObject) || !isRecord(args)) return [];
  return Object.keys(args).filter((key) => !(key in type.shape)).slice(0, 5).map((key) => clip(key, 40));
}

function form(type: z.ZodMiniType): string {
  return shortForm(toJsonSchema(type));
}

/** A JSON Schema in short: `{path: string, limit?: integer}`. */
export function shortForm(schema: unknown): string {
  if (!isRecord(schema)) return "any";
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join("|");
  if (schema.type === "array") return `[${shortForm(schema.items)}, …]`;
  if (schema.type !== "object" || !isRecord(schema.properties)) return String(schema.type ?? "any");
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(schema.properties).map(([key, inner]) =>
    `${key}${required.includes(key) ? "" : "?"}: ${shortForm(inner)}`
  );
  return `{${fields.join(", ")}}`;
}

function fieldName(path: readonly PropertyKey[]): string {
  let name = "";
  for (const key of path) {
    if (typeof key === "number") name += `[${key}]`;
    else name += (name === "" ? "" : ".") + String(key);
  }
  return name === "" ? "arguments" : name;
}

function show(value: unknown): string {
  if (value === undefined) return "nothing";
  return clip(JSON.stringify(value) ?? typeof value, 80);
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).toWellFormed() + "…";
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  let now = value;
  for (const key of path) {
    if (typeof now !== "object" || now === null) return undefined;
    now = (now as Record<PropertyKey, unknown>)[key];
  }
  return now;
}

/** A copy of `value` in which `path` holds `next`; undefined removes a field. */
function replaced(value: unknown, path: readonly PropertyKey[], next: unknown): unknown {
  if (path.length === 0) return next;
  const [key, ...rest] = path;
  if (Array.isArray(value)) {
    return value.map((item, index) => index === key ? replaced(item, rest, next) : item);
  }
  const copy: Record<PropertyKey, unknown> = { ...(value as Record<PropertyKey, unknown>) };
  const inner = replaced(copy[key], rest, next);
  if (inner === undefined) delete copy[key];
  else copy[key] = inner;
  return copy;
}

/** Keys that tell a model nothing it acts on. */
const NOISE = new Set(["$schema", "additionalProperties", "minLength", "minimum", "maximum", "minItems"]);

function slim(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(slim);
  if (!isRecord(node)) return node;
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === "properties" && isRecord(value)) {
      out[key] = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, slim(inner)]));
    } else if (!NOISE.has(key) && !(key === "type" && "enum" in node)) {
      out[key] = slim(value);
    }
  }
  return out;
}
