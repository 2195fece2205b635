/**
 * Keys: a literal, `$NAME` of an environment variable (or of the home
 * folder's `.env`), or `!command`. Nothing is read or run before it is
 * asked for, and nothing of a key shows in an error.
 */
import { ConfigError } from "./errors.ts";
import type { Env } from "./paths.ts";

export interface KeySource {
  readonly kind: "none" | "literal" | "env" | "command";
  /** The variable's name, for "env". */
  readonly name?: string;
  /** The key; undefined where there is none. Rejects with code "secret" where a command fails. */
  get(): Promise<string | undefined>;
  /** Whether `get` will (as far as can be told without running anything) answer with a key. */
  readonly present: () => boolean;
}

const ENV_NAME = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))$/;

/** The source that a setting describes; undefined: no key. */
export function keySource(spec: string | undefined, env: Env): KeySource {
  if (spec === undefined || spec === "") {
    return { kind: "none", get: () => Promise.resolve(undefined), present: () => false };
  }
  const name = envName(spec);
  if (name !== undefined) {
    return {
      kind: "env",
      name,
      get: () => Promise.resolve(env(name)),
      present: () => env(name) !== undefined,
    };
  }
  if (spec.startsWith("!")) {
    return {
      kind: "command",
      get: once(() => run(spec.slice(1))),
      present: () => true,
    };
  }
  return { kind: "literal", get: () => Promise.resolve(spec), present: () => true };
}

/** The variable that a value names as a whole; undefined where it names none. */
export function envName(value: string): string | undefined {
  const match = ENV_NAME.exec(value);
  return match?.[1] ?? match?.[2];
}

/** Remembers the outcome of what went well; a failure is tried again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
}

/** How long a command for a key may take: it may ask for a finger on a sensor. */
const COMMAND_MS = 60_000;

/** What a command of the settings prints, for "apiKey" or another setting. Rejects with code "secret". */
export async function run(command: string, setting = "apiKey"): Promise<string> {
  const [program, ...args] = Deno.build.os === "windows"
    ? ["cmd", "/d", "/s", "/c", command]
    : ["sh", "-c", command];
  const fail = (why: string, cause?: unknown) =>
    // Neither the command nor its output: both may hold the key.
    new ConfigError(
      "secret",
      `Cannot get a ${setting === "apiKey" ? "key" : setting}: the command of "${setting}" ${why}`,
      {
        hint: "Run the command (what follows the ! in the settings) in a terminal to see what is wrong",
        cause,
      },
    );
  try {
    const { success, code, stdout } = await new Deno.Command(program, {
      args,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      signal: AbortSignal.timeout(COMMAND_MS),
    }).output();
    if (!success) throw fail(`ended with status ${code}`);
    const key = new TextDecoder().decode(stdout).trim();
    if (key === "") throw fail("printed nothing");
    return key;
  } catch (error) {
    throw error instanceof ConfigError ? error : fail("could not be run", error);
  }
}

const LINE = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/;

/** The variables of a `.env` file: NAME=value lines, quotes around the value, # comments. No expansion. */
export function parseDotEnv(bytes: Uint8Array | undefined): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  if (!bytes) return values;
  for (const line of new TextDecoder().decode(bytes).split(/\r?\n/)) {
    const match = LINE.exec(line);
    if (!match) continue;
    const value = unquote(match[2]);
    if (value !== "") values.set(match[1], value);
  }
  return values;
}

function unquote(raw: string): string {
  const quoted = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\s*(?:#.*)?$/.exec(raw);
  if (!quoted) return raw.replace(/(?:^|\s+)#.*$/, "");
  if (quoted[2] !== undefined) return quoted[2];
  return quoted[1].replace(/\\(.)/g, (_, char) => char === "n" ? "\n" : char);
}
