/** The settings for people and editors: what is in force and why, the JSON Schema, the documentation's table. No secret leaves here. */
import { formatDuration, formatSize } from "../lib/scalar.ts";
import type { Config } from "./load.ts";
import { envName } from "./secrets.ts";
import { type Key, KEYS, type Row, rowOf } from "./settings.ts";
import { duration, type record, type Shape, size } from "./shape.ts";

export interface ShownSetting {
  readonly key: string;
  /** As it would be written in a file, secrets masked. */
  readonly value: unknown;
  /** A file's path, "command line" or "default". */
  readonly source: string;
}

const MASK = "********";

/** Every setting with its value and where it came from; members of objects by name have rows of their own. */
export function showSettings(config: Config): ShownSetting[] {
  return KEYS.flatMap((key): ShownSetting[] => {
    const row = rowOf(key) as Row;
    const value = valueOf(config, key);
    if (row.merge !== "names") {
      return [{ key, value: written(row.shape, value), source: config.sources.get(key) ?? "default" }];
    }
    return Object.entries(value as Record<string, unknown>).map(([name, own]) => ({
      key: `${key}.${name}`,
      value: masked(own),
      source: config.sources.get(`${key}.${name}`) ?? "default",
    }));
  });
}

function valueOf(config: Config, key: Key): unknown {
  let value: unknown = config.settings;
  for (const part of key.split(".")) value = (value as Record<string, unknown>)[part];
  return value;
}

/** A value as a file would have it. */
function written(shape: Shape<unknown>, value: unknown): unknown {
  if (typeof value === "number" && shape === duration) return formatDuration(value);
  if (typeof value === "number" && shape === size) return formatSize(value);
  return value ?? null;
}

/** Members whose values are keys, or may be. */
const SECRET_NAMES = new Set(["apiKey", "headers", "env"]);

/** A copy with every key masked; names of variables stay, since they are no secret. */
function masked(value: unknown, secret = false): unknown {
  if (typeof value === "string") {
    if (!secret) return maskedAddress(value);
    if (envName(value) !== undefined) return value;
    return value.startsWith("!") ? "!" + MASK : MASK;
  }
  if (Array.isArray(value)) return value.map((item) => masked(item, secret));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, own]) => {
      if (name === "idleTimeout" && typeof own === "number") return [name, formatDuration(own)];
      return [name, masked(own, secret || SECRET_NAMES.has(name))];
    }),
  );
}

/** Addresses may carry a password or a key in their query. */
function maskedAddress(value: string): string {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) return value;
  const url = new URL(value);
  if (url.password === "" && url.username === "" && url.search === "") return value;
  if (url.username !== "" || url.password !== "") {
    url.username = MASK;
    url.password = "";
  }
  for (const name of [...url.searchParams.keys()]) url.searchParams.set(name, MASK);
  return url.href;
}

/** The JSON Schema of a settings file. */
export function settingsSchema(): Record<string, unknown> {
  const properties: Record<string, Record<string, unknown>> = { $schema: { type: "string" } };
  for (const key of KEYS) {
    const row = rowOf(key) as Row;
    const schema = {
      ...row.shape.schema(),
      description: row.doc,
      ...(row.default === undefined ? {} : { default: written(row.shape, row.default) }),
    };
    const [head, inner] = key.split(".");
    if (inner === undefined) properties[head] = schema;
    else {
      const group = properties[head] ??= { type: "object", additionalProperties: false, properties: {} };
      (group.properties as Record<string, unknown>)[inner] = schema;
    }
  }
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "myelin settings",
    type: "object",
    additionalProperties: false,
    properties,
  };
}

const SCOPE_WORDS: Readonly<Record<Row["scope"], string>> = {
  user: "you only",
  trusted: "trusted projects",
  project: "projects",
  tighten: "projects, to allow less",
};

/** The table of settings for docs/configuration.md, with those of providers and models below. */
export function settingsTable(): string {
  const lines = [
    "| setting | meaning | takes | default | who else may set it |",
    "| --- | --- | --- | --- | --- |",
  ];
  for (const key of KEYS) {
    const row = rowOf(key) as Row;
    const value = row.default === undefined
      ? "unset"
      : `\`${JSON.stringify(written(row.shape, row.default))}\``;
    lines.push(
      `| \`${key}\` | ${row.doc}${row.later ? " (no effect yet)" : ""} | ${takes(row.shape)} | ${value} | ${
        SCOPE_WORDS[row.scope]
      } |`,
    );
  }
  return lines.join("\n") + "\n";
}

/** The words of a shape, safe inside a table. */
function takes(shape: Shape<unknown>): string {
  return shape.words.replaceAll("|", "\\|");
}

/** The members of an object as a table. */
export function membersTable(shape: ReturnType<typeof record>): string {
  const lines = ["| member | meaning | takes |", "| --- | --- | --- |"];
  for (const [name, { shape: own, doc }] of Object.entries(shape.members)) {
    lines.push(`| \`${name}\` | ${doc} | ${takes(own)} |`);
  }
  return lines.join("\n") + "\n";
}
