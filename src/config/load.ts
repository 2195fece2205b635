/**
 * Loads the settings: defaults, the user's file, the project's, the project's
 * local one, the command line, each over the one before. The result is
 * frozen, and says of every value where it came from. Environment variables
 * give providers and keys (`providers.ts`), not settings.
 */
import { type Access, accessOf, mayProjectSet } from "./access.ts";
import { ConfigError, type Issue, quoted } from "./errors.ts";
import { readIfThere, readSettings, type SettingsFile } from "./file.ts";
import { nearest } from "../lib/text/nearest.ts";
import { type ModelsFile, readModels } from "./models_file.ts";
import { type ProjectEntry, projectEntry, readProjects, storePath } from "./project_store.ts";
import { type Env, type HomePaths, homePaths, processEnv, projectRoot } from "./paths.ts";
import { parseDotEnv } from "./secrets.ts";
import { GROUPS, KEYS, type Row, rowOf, type Settings } from "./settings.ts";

export interface LoadOptions {
  /** Absolute. */
  readonly cwd: string;
  readonly env?: Env;
  /** From the command line, by dotted key, such as {"limits.maxSteps": 5}; undefined ones are passed over. */
  readonly overrides?: Readonly<Record<string, unknown>>;
}

export interface ProjectState {
  readonly root: string;
  readonly access: Access;
  /** Files that can run code and are new or others since the project was trusted: why it is "read" now. */
  readonly changed: readonly string[];
  /** The user's patterns trust it, and no fingerprints are kept yet: a run keeps these. */
  readonly unrecorded?: Readonly<Record<string, string>>;
}

export interface FileState {
  readonly path: string;
  readonly role: "user" | "project" | "local";
  readonly state: "read" | "absent" | "ignored";
}

export interface Config {
  readonly settings: Settings;
  /** Where each value that is no default came from: a file's path or "command line". For objects by name, under "group.name". */
  readonly sources: ReadonlyMap<string, string>;
  /** What the user should know; never errors, which reject. */
  readonly issues: readonly Issue[];
  readonly home: HomePaths;
  /** What `models.jsonc` says. */
  readonly models: ModelsFile;
  readonly project: ProjectState;
  readonly files: readonly FileState[];
  /** The environment, with what the home folder's `.env` adds to it. */
  readonly env: Env;
}

/** Loads the settings. Rejects with a `ConfigError` for the first thing that is wrong. */
export async function loadConfig(options: LoadOptions): Promise<Config> {
  const { config, errors } = await gather(options);
  if (errors.length === 0) return config;
  const { code, message, hint, file, line, column } = errors[0];
  const more = errors.length === 1 ? "" : ` (and ${errors.length - 1} more: see \`myelin config check\`)`;
  throw new ConfigError(isErrorCode(code) ? code : "type", message + more, { hint, file, line, column });
}

/** Everything that is wrong or odd about the settings, errors first. */
export async function checkConfig(options: LoadOptions): Promise<Issue[]> {
  const { config, errors } = await gather(options);
  return [...errors, ...config.issues];
}

function isErrorCode(code: Issue["code"]): code is ConfigError["code"] {
  return code !== "unknown_key" && code !== "left_out" && code !== "unset";
}

/** A file, or the command line, on its way into the settings. */
interface Layer {
  readonly label: string;
  readonly file: SettingsFile | undefined;
  /** Below the user's own: what it may set depends on the project's access level. */
  readonly project: boolean;
}

async function gather(options: LoadOptions): Promise<{ config: Config; errors: Issue[] }> {
  const home = homePaths(options.env ?? processEnv);
  const join = new Joiner();
  const files: FileState[] = [];
  await readLayer(join, files, `${home.root}/settings`, "user", "trust");

  const root = projectRoot(options.cwd, home);
  const project = await projectState(join, home, root);
  const level = project.access;
  // In the user's own folder the project's settings would be the user's once more.
  if (`${root}/.myelin` !== home.root) {
    await readLayer(join, files, `${root}/.myelin/settings`, "project", level);
    await readLayer(join, files, `${root}/.myelin/settings.local`, "local", level);
  }
  await join.locateIssues();
  const models = await readModels(home, join.issues);

  for (const [key, value] of Object.entries(options.overrides ?? {})) {
    if (value !== undefined) join.override(key, value);
  }
  const dotEnv = parseDotEnv(readIfThere(home.dotEnv));
  const outer = options.env ?? processEnv;
  const config: Config = {
    settings: join.settings(),
    sources: join.sources,
    issues: join.issues.filter((issue) => issue.severity === "warning"),
    home,
    models,
    project,
    files,
    env: (name) => outer(name) ?? dotEnv.get(name),
  };
  return { config, errors: join.issues.filter((issue) => issue.severity === "error") };
}

/** The level of the project, and what of it the program itself has kept. */
async function projectState(join: Joiner, home: HomePaths, root: string): Promise<ProjectState> {
  let entry: ProjectEntry = { allow: [] };
  try {
    entry = projectEntry(readProjects(home), root);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { file, hint, plain } = error;
    join.issues.push({ severity: "warning", code: "left_out", key: "", message: plain, hint, file });
  }
  if (entry.allow.length > 0) join.own({ permissions: { allow: entry.allow } }, storePath(home));
  const { access, paths } = join.value("project") as { access: Access; paths: Record<string, Access> };
  const level = accessOf(root, { access, paths }, home.user);
  if (level === "ignore" || (level === "read" && entry.trusted === undefined)) {
    return { root, access: level, changed: [] };
  }
  const { changedSince, fingerprint } = await import("./trust.ts");
  const files = await fingerprint(root);
  if (entry.trusted === undefined) return { root, access: "trust", changed: [], unrecorded: files };
  const changed = changedSince(entry.trusted, files);
  if (changed.length === 0) return { root, access: "trust", changed };
  join.issues.push({
    severity: "warning",
    code: "left_out",
    key: "",
    message: `The project is not trusted any more: ${changed.slice(0, 5).map(quoted).join(", ")}` +
      `${changed.length > 5 ? ` and ${changed.length - 5} more` : ""} changed since`,
    hint: "Look at it, then run `myelin trust`",
    file: root,
  });
  return { root, access: "read", changed };
}

async function readLayer(
  join: Joiner,
  files: FileState[],
  stem: string,
  role: FileState["role"],
  access: Access,
): Promise<void> {
  if (access === "ignore") {
    files.push({ path: `${stem}.jsonc`, role, state: "ignored" });
    return;
  }
  try {
    const { file, passedOver } = await readSettings(
      stem,
      role === "user" ? undefined : stem.replace(/\/\.myelin\/[^/]*$/, ""),
    );
    files.push({ path: file?.path ?? `${stem}.jsonc`, role, state: file ? "read" : "absent" });
    for (const path of passedOver) {
      join.issues.push({
        severity: "warning",
        code: "left_out",
        key: "",
        file: path,
        message: `Not read: "${file?.path}" is used instead`,
      });
    }
    if (file) join.file({ label: file.path, file, project: role !== "user" }, access);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { file, line, column, code, hint, plain } = error;
    join.issues.push({ severity: "error", code, key: "", message: plain, hint, file, line, column });
    files.push({ path: file ?? stem, role, state: "read" });
  }
}

/** Puts layers over each other. */
class Joiner {
  readonly issues: Issue[] = [];
  readonly sources = new Map<string, string>();
  readonly #values = new Map<string, unknown>();
  /** Issues whose place in their file is still to be found. */
  readonly #unplaced: { at: number; file: SettingsFile; path: readonly string[] }[] = [];

  file(layer: Layer, access: Access): void {
    for (const [name, value] of Object.entries(layer.file?.value ?? {})) {
      if (name === "$schema") continue;
      if (rowOf(name)) this.#set(name, value, layer, access);
      else if (!GROUPS.has(name)) this.#unknown([name], nearest(name, topNames()), layer);
      else if (typeof value !== "object" || value === null || Array.isArray(value)) {
        this.#issue("type", [name], `"${name}" must be an object`, layer);
      } else {
        for (const [inner, own] of Object.entries(value)) {
          const key = `${name}.${inner}`;
          if (rowOf(key)) this.#set(key, own, layer, access);
          else this.#unknown([name, inner], nearest(inner, innerNames(name)), layer);
        }
      }
    }
  }

  /** What the program itself has kept for the user. */
  own(value: Readonly<Record<string, unknown>>, path: string): void {
    this.file({ label: path, file: { path, format: "json", source: "", value }, project: false }, "trust");
  }

  override(key: string, value: unknown): void {
    const layer: Layer = { label: "command line", file: undefined, project: false };
    const row = rowOf(key);
    if (!row) return this.#unknown([key], nearest(key, KEYS), layer);
    const own = this.#read(row, key, value, layer);
    if (own === undefined) return;
    this.#values.set(key, own);
    this.sources.set(key, layer.label);
  }

  /** A value, or the group of them that `name` holds. */
  value(name: string): unknown {
    const row = rowOf(name);
    if (row) return this.#values.has(name) ? this.#values.get(name) : row.default;
    return Object.fromEntries(innerNames(name).map((inner) => [inner, this.value(`${name}.${inner}`)]));
  }

  settings(): Settings {
    return freeze(Object.fromEntries(topNames().map((name) => [name, this.value(name)]))) as Settings;
  }

  /** Finds the places of issues; the code for it is loaded only where there are any. */
  async locateIssues(): Promise<void> {
    if (this.#unplaced.length === 0) return;
    const { locate } = await import("./locate.ts");
    for (const { at, file, path } of this.#unplaced) {
      this.issues[at] = { ...this.issues[at], ...locate(file.source, file.format, path) };
    }
    this.#unplaced.length = 0;
  }

  #set(key: string, value: unknown, layer: Layer, access: Access): void {
    const row = rowOf(key);
    if (!row) return;
    if (layer.project) {
      // What may not be set is not looked at any further: its errors are none of the user's.
      const fixed = row.scope === "tighten" ? true : mayProjectSet(row, value, undefined, access);
      if (fixed !== true) return this.#leftOut(key, fixed, layer);
    }
    const own = this.#read(row, key, value, layer);
    if (own === undefined) return;
    if (row.later) {
      this.#issue(
        "left_out",
        key.split("."),
        `"${key}" has no effect: this version does not act on it yet`,
        layer,
      );
    }
    const now = this.value(key);
    if (layer.project) {
      const may = mayProjectSet(row, own, now, access);
      if (may !== true) return this.#leftOut(key, may, layer);
    }
    this.#values.set(key, this.#merged(row, key, own, now, layer));
  }

  #merged(row: Row, key: string, own: unknown, now: unknown, layer: Layer): unknown {
    if (row.merge === "names") {
      for (const name of Object.keys(own as Record<string, unknown>)) {
        this.sources.set(`${key}.${name}`, layer.label);
      }
      return { ...now as Record<string, unknown>, ...own as Record<string, unknown> };
    }
    const before = this.sources.get(key);
    if (row.merge === "append" && before !== undefined) {
      this.sources.set(key, `${before}, ${layer.label}`);
      return [...new Set([...now as unknown[], ...own as unknown[]])];
    }
    this.sources.set(key, layer.label);
    return own;
  }

  #read(row: Row, key: string, value: unknown, layer: Layer): unknown {
    const start = rowOf(key) && layer.file ? key.split(".") : [key];
    const named = (path: readonly string[]) => [key, ...path].join(".");
    return row.shape.read(value, [], {
      error: (path, message) =>
        this.#issue("type", [...start, ...path], `${quoted(named(path))} ${message}`, layer),
      unknown: (path, near) => this.#unknown([...start, ...path], near, layer),
    });
  }

  #unknown(path: readonly string[], near: string | undefined, layer: Layer): void {
    const key = path.join(".");
    const hint = near === undefined ? "See `myelin config schema`" : `Did you mean "${near}"?`;
    this.#issue("unknown_key", path, `Unknown setting ${quoted(key)}`, layer, hint);
  }

  #leftOut(key: string, why: string, layer: Layer): void {
    const hint = why.startsWith("only")
      ? undefined
      : 'To allow it, look at the file and run `myelin trust`, or set the project\'s path to "trust" in "project.paths" of your own settings';
    this.#issue("left_out", key.split("."), `Left out "${key}": ${why}`, layer, hint);
  }

  #issue(code: Issue["code"], path: readonly string[], message: string, layer: Layer, hint?: string): void {
    const severity = isErrorCode(code) ? "error" : "warning";
    if (layer.file) this.#unplaced.push({ at: this.issues.length, file: layer.file, path });
    const text = layer.file ? message : `${message} (from the command line)`;
    this.issues.push({ severity, code, key: path.join("."), message: text, hint, file: layer.file?.path });
  }
}

function topNames(): string[] {
  return [...new Set(KEYS.map((key) => key.split(".")[0]))];
}

function innerNames(group: string): string[] {
  return KEYS.filter((key) => key.startsWith(`${group}.`)).map((key) => key.slice(group.length + 1));
}

/** Freezes a value and all in it. */
function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}
