/**
 * The kinds of values that settings take. From one shape come the check of a
 * value, its type, its JSON Schema and its words in the documentation. A
 * schema library would do more than is needed and cost time at every start.
 */
import { isRecord } from "../lib/json.ts";
import { parseDuration, parseSize } from "../lib/scalar.ts";
import { quoted } from "./errors.ts";
import { nearest } from "../lib/text/nearest.ts";

/** Takes what is wrong with a value; `path` leads to it from the setting's value. */
export interface Report {
  error(path: readonly string[], message: string): void;
  unknown(path: readonly string[], near: string | undefined): void;
}

export interface Shape<T> {
  /** The value in the form that the program uses, or undefined where it is wrong, which is reported. */
  read(value: unknown, path: readonly string[], report: Report): T | undefined;
  schema(): Record<string, unknown>;
  /** For people: "a duration", `"a" or "b"`. */
  readonly words: string;
  /** Must not be shown: a key, or something that may hold one. */
  readonly secret?: true;
}

/** The type of what a shape reads. */
export type Of<S> = S extends Shape<infer T> ? T : never;

/** A value's kind, without the value: it may be a secret. */
function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "string") return "a text";
  return `${value}`;
}

function leaf<T>(
  words: string,
  schema: Record<string, unknown>,
  read: (value: unknown) => T | undefined,
  /** Whether a wrong text may be repeated in the message. */
  shown = true,
): Shape<T> {
  return {
    words,
    schema: () => schema,
    read(value, path, report) {
      const result = read(value);
      if (result === undefined) {
        const found = typeof value !== "string"
          ? kindOf(value)
          : shown
          ? quoted(value.slice(0, 40))
          : undefined;
        report.error(path, `must be ${words}${found === undefined ? "" : `, not ${found}`}`);
      }
      return result;
    },
  };
}

export const text: Shape<string> = leaf(
  "a text",
  { type: "string" },
  (v) => typeof v === "string" ? v : undefined,
);
export const secretText: Shape<string> = { ...text, secret: true };
export const flag: Shape<boolean> = leaf(
  "true or false",
  { type: "boolean" },
  (v) => typeof v === "boolean" ? v : undefined,
);
export const amount: Shape<number> = leaf(
  "a number, 0 or more",
  { type: "number", minimum: 0 },
  (v) => typeof v === "number" && Number.isFinite(v) && v >= 0 ? v : undefined,
);

/** A part of a whole. */
export const share: Shape<number> = leaf(
  "a number from 0.1 to 1",
  { type: "number", minimum: 0.1, maximum: 1 },
  (v) => typeof v === "number" && v >= 0.1 && v <= 1 ? v : undefined,
);

export function count(least: number): Shape<number> {
  return leaf(
    `a whole number, ${least} or more`,
    { type: "integer", minimum: least },
    (v) => Number.isSafeInteger(v) && (v as number) >= least ? v as number : undefined,
  );
}

/** Milliseconds; zero would mean "at once", which no setting wants. */
export const duration: Shape<number> = leaf(
  'a duration such as "90s" (units ms, s, m, h)',
  { type: "string", pattern: "^\\d+(\\.\\d+)?\\s*(ms|s|m|h)$" },
  (v) => typeof v === "string" ? parseDuration(v) || undefined : undefined,
);

/** Bytes. */
export const size: Shape<number> = leaf(
  'a size such as "32KiB" (units B, KB, MB, GB, KiB, MiB, GiB)',
  { type: "string", pattern: "^\\d+(\\.\\d+)?\\s*([KMG]i?)?B$" },
  (v) => typeof v === "string" ? parseSize(v) || undefined : undefined,
);

export const webAddress: Shape<string> = leaf(
  'an address that begins with "http://" or "https://"',
  { type: "string", pattern: "^https?://" },
  (v) => typeof v === "string" && /^https?:\/\/[^/]/.test(v) && URL.canParse(v) ? v : undefined,
  false,
);

/** A path below the folder it is looked for in. */
export const innerPath: Shape<string> = leaf(
  'a relative path without ".."',
  { type: "string" },
  (v) =>
    typeof v === "string" && v !== "" && !/^([/\\~]|[A-Za-z]:)/.test(v) && !v.split(/[/\\]/).includes("..")
      ? v
      : undefined,
);

export function oneOf<const T extends string>(...choices: readonly T[]): Shape<T> {
  const words = choices.map((choice) => `"${choice}"`).join(", ").replace(/, ([^,]*)$/, " or $1");
  return {
    words,
    schema: () => ({ enum: choices }),
    read(value, path, report) {
      if (choices.includes(value as T)) return value as T;
      const near = typeof value === "string" ? nearest(value, choices) : undefined;
      report.error(
        path,
        `must be ${words}, not ${typeof value === "string" ? quoted(value.slice(0, 40)) : kindOf(value)}` +
          (near === undefined ? "" : `; did you mean "${near}"?`),
      );
      return undefined;
    },
  };
}

export function list<T>(of: Shape<T>): Shape<readonly T[]> {
  return {
    words: `a list; each is ${of.words}`,
    ...(of.secret ? { secret: true } : {}),
    schema: () => ({ type: "array", items: of.schema() }),
    read(value, path, report) {
      if (!Array.isArray(value)) {
        report.error(path, `must be a list, not ${kindOf(value)}`);
        return undefined;
      }
      const items = value.map((item, at) => of.read(item, [...path, String(at)], report));
      return items.includes(undefined) ? undefined : items as T[];
    },
  };
}

/** An object whose keys the user chooses. */
export function mapOf<T>(of: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    words: `an object by name; each value is ${of.words}`,
    ...(of.secret ? { secret: true } : {}),
    schema: () => ({ type: "object", additionalProperties: of.schema() }),
    read(value, path, report) {
      if (!isRecord(value)) {
        report.error(path, `must be an object, not ${kindOf(value)}`);
        return undefined;
      }
      const out: Record<string, T> = {};
      let whole = true;
      for (const [key, item] of Object.entries(value)) {
        const own = reserved(key, path, report) ? undefined : of.read(item, [...path, key], report);
        if (own === undefined) whole = false;
        else out[key] = own;
      }
      return whole ? out : undefined;
    },
  };
}

/** A member that may be absent. */
export interface Member<T> {
  readonly shape: Shape<T>;
  readonly doc: string;
}

export function member<T>(shape: Shape<T>, doc: string): Member<T> {
  return { shape, doc };
}

/** An object with members of its own, all of which may be absent. */
export function record<M extends Readonly<Record<string, Member<unknown>>>>(
  members: M,
): Shape<{ readonly [K in keyof M]?: M[K] extends Member<infer T> ? T : never }> & { readonly members: M } {
  type Out = { readonly [K in keyof M]?: M[K] extends Member<infer T> ? T : never };
  return {
    members,
    words: "an object",
    schema: () => ({
      type: "object",
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.entries(members).map((
          [key, { shape, doc }],
        ) => [key, { ...shape.schema(), description: doc }]),
      ),
    }),
    read(value, path, report) {
      if (!isRecord(value)) {
        report.error(path, `must be an object, not ${kindOf(value)}`);
        return undefined;
      }
      const out: Record<string, unknown> = {};
      let whole = true;
      for (const [key, item] of Object.entries(value)) {
        if (!Object.hasOwn(members, key)) {
          report.unknown([...path, key], nearest(key, Object.keys(members)));
          continue;
        }
        const own = members[key].shape.read(item, [...path, key], report);
        if (own === undefined) whole = false;
        out[key] = own;
      }
      return whole ? out as Out : undefined;
    },
  };
}

/** An object that is passed on as it is. */
export const anything: Shape<Readonly<Record<string, unknown>>> = leaf(
  "an object",
  { type: "object" },
  (v) => isRecord(v) ? v : undefined,
);

/** Names that would reach into JavaScript's own objects. */
function reserved(key: string, path: readonly string[], report: Report): boolean {
  if (key !== "__proto__") return false;
  report.error([...path, key], "cannot be used as a name");
  return true;
}
