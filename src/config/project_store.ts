/**
 * What the user has decided about single projects, kept by the program itself
 * in `projects.json` of the home folder: rules that were answered "always",
 * and which files a trust was given for. One writer at a time (a lock on a
 * file of its own), replaced in one step, so that no reader sees half of it.
 * A project can neither read nor write it.
 */
import { isRecord } from "../lib/json.ts";
import { ConfigError } from "./errors.ts";
import { readIfThere } from "./file.ts";
import type { HomePaths } from "./paths.ts";

/** What trust was given to: the fingerprint of each file that can run code. */
export interface TrustRecord {
  /** ISO 8601. */
  readonly at: string;
  /** Path below the project -> SHA-256. */
  readonly files: Readonly<Record<string, string>>;
}

export interface ProjectEntry {
  /** Rules such as "run(git push *)". */
  readonly allow: readonly string[];
  readonly trusted?: TrustRecord;
}

export type ProjectStore = Readonly<Record<string, ProjectEntry>>;

const LOCK_TRIES = 500;
const LOCK_PAUSE_MS = 10;

const NOTHING: ProjectEntry = { allow: [] };

/** The file of the store. */
export function storePath(home: Pick<HomePaths, "root">): string {
  return `${home.root}/projects.json`;
}

/** All entries, by the project's path. Throws ConfigError where the file cannot be understood. */
export function readProjects(home: Pick<HomePaths, "root">): ProjectStore {
  const path = storePath(home);
  const bytes = readIfThere(path);
  if (bytes === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw damaged(path, cause);
  }
  const projects = isRecord(value) ? value.projects : undefined;
  if (!isRecord(projects)) throw damaged(path);
  return Object.fromEntries(Object.entries(projects).map(([root, entry]) => [root, asEntry(entry)]));
}

/** The entry of one project; an empty one where there is none. */
export function projectEntry(store: ProjectStore, root: string): ProjectEntry {
  return Object.hasOwn(store, root) ? store[root] : NOTHING;
}

/** Adds a rule to what is allowed in a project from now on. */
export async function addProjectRule(
  home: Pick<HomePaths, "root">,
  root: string,
  rule: string,
): Promise<void> {
  await update(
    home,
    root,
    (entry) => entry.allow.includes(rule) ? entry : { ...entry, allow: [...entry.allow, rule] },
  );
}

/** Remembers what trust was given to; without a record: forgets it. */
export async function setTrust(
  home: Pick<HomePaths, "root">,
  root: string,
  trusted: TrustRecord | undefined,
): Promise<void> {
  await update(
    home,
    root,
    ({ allow }) => trusted === undefined ? { allow } : { allow, trusted },
  );
}

/** Changes of this process, one after the other. */
let last: Promise<void> = Promise.resolve();

function update(
  home: Pick<HomePaths, "root">,
  root: string,
  change: (entry: ProjectEntry) => ProjectEntry,
): Promise<void> {
  const done = last.then(() => updateNow(home, root, change));
  last = done.catch(() => {/* told to who asked for it */});
  return done;
}

async function updateNow(
  home: Pick<HomePaths, "root">,
  root: string,
  change: (entry: ProjectEntry) => ProjectEntry,
): Promise<void> {
  const path = storePath(home);
  await Deno.mkdir(home.root, { recursive: true, mode: 0o700 });
  const lock = await Deno.open(`${path}.lock`, { read: true, write: true, create: true, mode: 0o600 });
  try {
    await take(lock, path);
    const store = readProjects(home);
    const entry = change(projectEntry(store, root));
    const text = JSON.stringify({ version: 1, projects: { ...store, [root]: entry } }, null, 2) + "\n";
    await replace(path, text);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError("io", `Cannot write it: ${error instanceof Error ? error.message : error}`, {
      file: path,
      cause: error,
    });
  } finally {
    lock.close();
  }
}

/** Another process has it for the blink of an eye; one that has it for long is broken. */
async function take(lock: Deno.FsFile, path: string): Promise<void> {
  for (let tries = 0; !await lock.tryLock(true); tries++) {
    if (tries >= LOCK_TRIES) {
      throw new ConfigError("io", "Cannot write it: another process holds its lock", { file: path });
    }
    await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
  }
}

/** Writes beside the file and puts it in its place. */
async function replace(path: string, text: string): Promise<void> {
  const beside = `${path}.${crypto.randomUUID().slice(0, 8)}`;
  try {
    const file = await Deno.open(beside, { write: true, createNew: true, mode: 0o600 });
    try {
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
      await file.syncData();
    } finally {
      file.close();
    }
    await Deno.rename(beside, path);
  } catch (error) {
    await Deno.remove(beside).catch(() => {/* it was not made */});
    throw error;
  }
}

function damaged(path: string, cause?: unknown): ConfigError {
  return new ConfigError("syntax", "Cannot read it: it is not what this program writes", {
    file: path,
    hint: "Mend it, or remove it: rules that were answered with “always” and given trust are asked for again",
    cause,
  });
}

/** What of an entry can be used. */
function asEntry(value: unknown): ProjectEntry {
  if (!isRecord(value)) return NOTHING;
  const allow = Array.isArray(value.allow)
    ? value.allow.filter((rule): rule is string => typeof rule === "string")
    : [];
  const trusted = value.trusted;
  if (!isRecord(trusted) || !isRecord(trusted.files) || typeof trusted.at !== "string") return { allow };
  const files = Object.fromEntries(
    Object.entries(trusted.files).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
  return { allow, trusted: { at: trusted.at, files } };
}
