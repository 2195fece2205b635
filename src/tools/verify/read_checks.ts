/**
 * Reads `.myelin/verify.json`: a list of checks, each a command or an object
 * with `run`, and `name`, `timeout` (such as "90s") and `cwd` where wanted; or
 * an object of commands by name. All mistakes are told with their place.
 */
import { describe } from "../../lib/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { parseDuration } from "../../lib/scalar.ts";

/** One command of the project that is to be green. */
export interface Check {
  readonly name: string;
  readonly run: string;
  readonly timeoutMs: number;
  /** From the workspace. */
  readonly cwd?: string;
}

/** At least one, with names that differ; `problem` fits behind the file's name. */
type Checks =
  | { readonly ok: true; readonly checks: readonly Check[] }
  | { readonly ok: false; readonly problem: string };

const DEFAULT_MS = 300_000;

/** Stops at the first mistake. */
export function readChecks(text: string): Checks {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return wrong(`it is not JSON (${describe(error)})`);
  }
  const inner = isRecord(json) && "checks" in json ? json.checks : json;
  const rows = Array.isArray(inner)
    ? inner.map((row, i) => [`check ${i + 1}`, row] as const)
    : isRecord(inner)
    ? Object.entries(inner)
    : undefined;
  if (rows === undefined) return wrong('it has to be {"checks": [{"name": "types", "run": "command"}, …]}');
  const checks: Check[] = [];
  for (const [place, row] of rows) {
    const check = readCheck(place, row);
    if (typeof check === "string") return wrong(check);
    if (checks.some((other) => other.name === check.name)) {
      return wrong(`two checks are called "${check.name}"`);
    }
    checks.push(check);
  }
  return checks.length === 0 ? wrong("it holds no checks") : { ok: true, checks };
}

function readCheck(place: string, row: unknown): Check | string {
  const given = typeof row === "string" ? { run: row } : row;
  if (!isRecord(given) || typeof given.run !== "string" || given.run.trim() === "") {
    return `${place}: "run" has to be a command`;
  }
  const named = /^check \d+$/.test(place) ? given.run : place;
  if (given.name !== undefined && typeof given.name !== "string") return `${place}: "name" has to be a text`;
  if (given.cwd !== undefined && typeof given.cwd !== "string") return `${place}: "cwd" has to be a folder`;
  const timeoutMs = given.timeout === undefined
    ? DEFAULT_MS
    : typeof given.timeout === "string"
    ? parseDuration(given.timeout)
    : undefined;
  if (timeoutMs === undefined || timeoutMs <= 0) return `${place}: "timeout" has to be such as "90s"`;
  return {
    name: given.name ?? named,
    run: given.run,
    timeoutMs,
    ...(given.cwd === undefined ? {} : { cwd: given.cwd }),
  };
}

function wrong(problem: string): Checks {
  return { ok: false, problem };
}
