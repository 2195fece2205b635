/**
 * Reads one settings file: jsonc, json or yaml. A file of plain JSON needs no
 * parser; the others are loaded when there is such a file.
 */
import { describeBriefly } from "../lib/errors.ts";
import { ConfigError, quoted } from "./errors.ts";
import type { Format } from "./locate.ts";

export interface SettingsFile {
  readonly path: string;
  readonly format: Format;
  readonly source: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Endings in the order of preference. */
const ENDINGS = [".jsonc", ".json", ".yaml", ".yml"] as const;

export interface Found {
  readonly file: SettingsFile | undefined;
  /** Files of the same purpose that stand beside it and are not read. */
  readonly passedOver: readonly string[];
}

/**
 * The settings file `stem` with the first ending that is there. `root`: of
 * the project that it belongs to; a link out of that is not followed, since
 * what it leads to would be quoted in messages.
 */
export async function readSettings(stem: string, root?: string): Promise<Found> {
  let file: SettingsFile | undefined;
  const passedOver: string[] = [];
  for (const ending of ENDINGS) {
    const path = stem + ending;
    if (root !== undefined) refuseLinkOut(path, root);
    const bytes = readIfThere(path);
    if (bytes === undefined) {
      // Who linked it wants it read; a project's link is the project's affair.
      if (root === undefined && isLink(path)) {
        throw new ConfigError("io", "Cannot read it: it is a link that leads nowhere", { file: path });
      }
      continue;
    }
    if (file) passedOver.push(path);
    else file = await parseFile(path, bytes);
  }
  return { file, passedOver };
}

/** More is no settings file, and must not fill the memory. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The bytes of a file; undefined where it is not there. */
export function readIfThere(path: string): Uint8Array | undefined {
  try {
    const { isFile, size } = Deno.statSync(path);
    // A named pipe would be waited for.
    if (!isFile) throw new ConfigError("io", "Cannot read it: it is not a file", { file: path });
    if (size > MAX_BYTES) {
      throw new ConfigError("io", "Cannot read it: it is larger than 4 MiB", { file: path });
    }
    return Deno.readFileSync(path);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw new ConfigError("io", `Cannot read it: ${describeBriefly(error)}`, {
      file: path,
      cause: error,
    });
  }
}

function isLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink;
  } catch {
    return false; // not there at all, or told by the reader
  }
}

function refuseLinkOut(path: string, root: string): void {
  let real: string;
  let realRoot: string;
  try {
    real = Deno.realPathSync(path);
    realRoot = Deno.realPathSync(root);
  } catch {
    return; // not there, or not to be read: the reader tells
  }
  const separator = realRoot.includes("\\") ? "\\" : "/";
  if (real.startsWith(realRoot.endsWith(separator) ? realRoot : realRoot + separator)) return;
  throw new ConfigError("io", "Cannot read it: it is a link that leads out of the project", { file: path });
}

async function parseFile(path: string, bytes: Uint8Array): Promise<SettingsFile> {
  let source: string;
  try {
    source = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ConfigError("syntax", "Cannot read it: it is not UTF-8 text", { file: path, cause });
  }
  const format = /\.ya?ml$/.test(path) ? "yaml" : "json";
  const value = source.trim() === "" ? {} : await (format === "yaml" ? parseYaml : parseJson)(path, source);
  // A yaml file of comments only.
  if (value === null && format === "yaml") return { path, format, source, value: {} };
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ConfigError("type", "Settings must be an object", { file: path, line: 1, column: 1 });
  }
  return { path, format, source, value: value as Record<string, unknown> };
}

async function parseJson(path: string, source: string): Promise<unknown> {
  try {
    return JSON.parse(source);
  } catch {
    // Comments or trailing commas, most likely: the parser below reads them, or says what is wrong.
  }
  const { parse } = await import("../lib/std/jsonc.ts");
  try {
    return parse(source);
  } catch (cause) {
    const { placeAt } = await import("./locate.ts");
    const message = cause instanceof Error ? cause.message : String(cause);
    const position = /at position (\d+)/.exec(message);
    const offset = position ? Number(position[1]) : source.trimEnd().length;
    throw new ConfigError("syntax", syntaxText(source, offset), {
      file: path,
      cause,
      ...placeAt(source, offset),
    });
  }
}

/** What stands at the place of a syntax error; no more than a few characters of it, since a key may follow. */
function syntaxText(source: string, offset: number): string {
  if (offset >= source.trimEnd().length) return "Cannot read it: the text ends too early";
  const [word] = /^\w{1,8}|./su.exec(source.slice(offset)) ?? [""];
  return `Cannot read it: unexpected ${quoted(word)}`;
}

async function parseYaml(path: string, source: string): Promise<unknown> {
  const { parse } = await import("../lib/std/yaml.ts");
  try {
    return parse(source);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const place = /line (\d+), column (\d+)/.exec(message);
    const what = message.split("\n")[0].replace(/\s*at line \d+, column \d+:?.*$/, "").replace(
      /^Cannot [^:]*: /,
      "",
    );
    throw new ConfigError("syntax", `Cannot read it: ${what}`, {
      file: path,
      cause,
      ...(place ? { line: Number(place[1]), column: Number(place[2]) } : {}),
    });
  }
}
