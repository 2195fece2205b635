/** What can be wrong with the settings, and where. */
import { AppError, type AppErrorOptions } from "../lib/errors.ts";

export type ConfigErrorCode =
  /** The file is no JSON, JSONC or YAML. */
  | "syntax"
  /** A value is not of the kind that its setting takes. */
  | "type"
  /** The file cannot be read. */
  | "io"
  | "unknown_provider"
  | "unknown_model"
  /** There is none to take. */
  | "no_model"
  /** A key cannot be had: the command for it failed. */
  | "secret";

/** A place in a file; lines and columns from 1. */
export interface ConfigPlace {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** The message begins with the place, as compilers write it. */
export class ConfigError extends AppError<ConfigErrorCode> {
  override readonly name = "ConfigError";
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** The message without the place. */
  readonly plain: string;

  constructor(code: ConfigErrorCode, message: string, options: AppErrorOptions & ConfigPlace = {}) {
    const place = placeText(options);
    super(code, place === "" ? message : `${place}: ${message}`, options);
    this.plain = message;
    this.file = options.file;
    this.line = options.line;
    this.column = options.column;
  }
}

/** "file:line:column", as far as it is known. */
function placeText(place: ConfigPlace): string {
  if (place.file === undefined) return "";
  if (place.line === undefined) return place.file;
  return `${place.file}:${place.line}${place.column === undefined ? "" : `:${place.column}`}`;
}

/** A text of a file inside a message: quoted, and without anything that a terminal would obey. */
export function quoted(text: string): string {
  const escape = (char: string) => "\\u" + char.charCodeAt(0).toString(16).padStart(4, "0");
  return JSON.stringify(text).replace(/[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, escape);
}

/** Something that the user should know about the settings. */
export interface Issue extends ConfigPlace {
  readonly severity: "error" | "warning";
  readonly code: ConfigErrorCode | "unknown_key" | "left_out" | "unset";
  /** The setting, dotted; empty for the file as a whole. */
  readonly key: string;
  readonly message: string;
  readonly hint?: string;
}

/** An issue on one line, its place first. */
export function describeIssue(issue: Issue): string {
  const place = placeText(issue);
  return `${place === "" ? "" : `${place}: `}${issue.message}${
    issue.hint === undefined ? "" : `. ${issue.hint}`
  }`;
}
