/**
 * The environment of a project's development shell, captured once: what
 * `nix print-dev-env` or an approved `.envrc` exports. The tools that say it
 * run code that the project chose, so this is for trusted projects only; the
 * caller sees to that. A capture of Nix is kept by the content of the files
 * that it came from, with a root that keeps its store paths from being
 * collected.
 */
import { describe } from "../../lib/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { compileGlob } from "../../lib/files/glob_pattern.ts";
import { keepFromPrograms } from "./inherited.ts";

/** Which shell, and by what a kept capture is known to be of today. */
export interface DevShellOptions {
  readonly kind: "nix" | "direnv";
  readonly folder: string;
  /** Where captures are kept. */
  readonly cache: string;
  /** The environment that the tools run in, and that the shell's is added to. */
  readonly env: Readonly<Record<string, string>>;
  /** Globs of further files whose content counts. */
  readonly watch: readonly string[];
}

/** `env`: what the shell sets, by name. `problem` is one line. */
export type DevShell =
  | { readonly ok: true; readonly env: Readonly<Record<string, string>>; readonly cached: boolean }
  | { readonly ok: false; readonly problem: string };

const TIMEOUT_MS = 300_000;
const MAX_FILES = 5000;
const MAX_DEPTH = 8;

/** What belongs to the session or the machine and not to the project. */
const KEPT =
  /^(HOME|USER|LOGNAME|SHELL|PWD|OLDPWD|SHLVL|TERM|TMPDIR|TMP|TEMP|TEMPDIR|TZ|_|NIX_BUILD_TOP|NIX_ENFORCE_PURITY|NIX_LOG_FD|SSL_CERT_FILE|DIRENV_\w*|GIT_\w*|LD_PRELOAD|IFS|PS\d|BASH\w*)$/;

/** Runs code of the project's own choice. Never throws for what that does. */
export async function captureDevShell(options: DevShellOptions): Promise<DevShell> {
  keepFromPrograms();
  return options.kind === "nix" ? await captureNix(options) : await captureDirenv(options);
}

async function captureNix(options: DevShellOptions): Promise<DevShell> {
  const { folder, cache, env } = options;
  if (!isFile(`${folder}/flake.nix`)) return { ok: false, problem: "there is no flake.nix in the workspace" };
  const key = await digest(options);
  const place = `${cache}/${key}.json`;
  const known = readJson(place);
  // The root is a link into the store: gone, the paths in the capture are gone, too.
  if (isRecord(known) && exists(`${cache}/${key}-root`)) return { ok: true, env: plain(known), cached: true };
  Deno.mkdirSync(cache, { recursive: true, mode: 0o700 });
  const run = await runTool(
    "nix",
    [
      "--extra-experimental-features",
      "nix-command flakes",
      "print-dev-env",
      "--json",
      "--profile",
      `${cache}/${key}-root`,
      folder,
    ],
    folder,
    env,
  );
  if (!run.ok) return run;
  const parsed = parseJson(run.text);
  if (!isRecord(parsed) || !isRecord(parsed.variables)) {
    return { ok: false, problem: "nix print-dev-env said something that is no environment" };
  }
  const found: Record<string, string> = {};
  for (const [name, variable] of Object.entries(parsed.variables)) {
    if (!isRecord(variable) || variable.type !== "exported" || typeof variable.value !== "string") continue;
    if (!KEPT.test(name)) found[name] = variable.value;
  }
  const whole = withPath(found, env);
  writeWhole(place, JSON.stringify(whole));
  return { ok: true, env: whole, cached: false };
}

async function captureDirenv({ folder, env }: DevShellOptions): Promise<DevShell> {
  if (!isFile(`${folder}/.envrc`)) return { ok: false, problem: "there is no .envrc in the workspace" };
  const run = await runTool("direnv", ["export", "json"], folder, env);
  if (!run.ok) return run;
  const parsed = run.text.trim() === "" ? {} : parseJson(run.text);
  if (!isRecord(parsed)) return { ok: false, problem: "direnv said something that is no environment" };
  const found = Object.fromEntries(Object.entries(plain(parsed)).filter(([name]) => !KEPT.test(name)));
  return { ok: true, env: found, cached: false };
}

/** The tools of the shell come first, those of the machine stay. */
function withPath(
  found: Record<string, string>,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const folders = [...(found.PATH ?? "").split(":"), ...(env.PATH ?? "").split(":")].filter((path) =>
    path !== ""
  );
  return { ...found, PATH: [...new Set(folders)].join(":") };
}

async function runTool(
  name: string,
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string }> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const { success, stdout, stderr } = await new Deno.Command(name, {
      args: [...args],
      cwd: folder,
      clearEnv: true,
      env: { ...env },
      stdin: "null",
      signal,
    }).output();
    const decoder = new TextDecoder();
    if (success) return { ok: true, text: decoder.decode(stdout) };
    if (signal.aborted) {
      return { ok: false, problem: `${name} took longer than ${TIMEOUT_MS / 60_000} minutes` };
    }
    const said = decoder.decode(stderr).trim().split("\n").at(-1) ?? "";
    return { ok: false, problem: `${name} failed${said === "" ? "" : `: ${said}`}` };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { ok: false, problem: `${name} is not installed` };
    return {
      ok: false,
      problem: `${name} cannot be started: ${describe(error)}`,
    };
  }
}

/** A key for what the capture depends on. */
async function digest({ folder, watch }: DevShellOptions): Promise<string> {
  const tests = watch.map(compileGlob);
  const counts = (path: string) =>
    path.endsWith(".nix") || path === "flake.lock" || tests.some((fits) => fits(path));
  const parts: string[] = [folder];
  for (const path of filesBelow(folder).filter(counts).sort()) {
    parts.push(path, await hash(Deno.readFileSync(`${folder}/${path}`)));
  }
  return (await hash(new TextEncoder().encode(parts.join("\0")))).slice(0, 40);
}

async function hash(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Plain files, links not followed; what tools make and hide is left out. */
function filesBelow(folder: string): string[] {
  const found: string[] = [];
  const open = [""];
  while (open.length > 0 && found.length < MAX_FILES) {
    const at = open.pop()!;
    for (const entry of Deno.readDirSync(`${folder}/${at}`)) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = at === "" ? entry.name : `${at}/${entry.name}`;
      if (entry.isFile) found.push(path);
      else if (entry.isDirectory && path.split("/").length <= MAX_DEPTH) open.push(path);
    }
  }
  return found;
}

function writeWhole(path: string, text: string): void {
  const temporary = `${path}.${crypto.randomUUID().slice(0, 8)}.tmp`;
  Deno.writeTextFileSync(temporary, text, { createNew: true, mode: 0o600 });
  Deno.renameSync(temporary, path);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(Deno.readTextFileSync(path));
  } catch {
    return undefined; // Not there, or not whole: it is made anew.
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The caller says what it wanted.
  }
}

function plain(record: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
