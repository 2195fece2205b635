/**
 * Makes a policy out of settings: resolves the roots (a root that is given
 * through a link counts as what it leads to, and keeps its name as an alias),
 * makes the private temporary folder, adds the places that need care. The only
 * part of the policy that looks at the disk.
 */
import { existsSync } from "node:fs";
import {
  defaultHiddenPaths,
  defaultProtectedPaths,
  protectedBelow,
  protectedInGit,
} from "../default_paths.ts";
import { isWithin } from "../glob.ts";
import { parseRule } from "../rules.ts";
import { removeTree } from "./remove_tree.ts";
import { TEMP_PREFIX } from "./sweep.ts";
import type { ApproveMode, ExecMode, Policy, Rules, SandboxMode } from "../policy.ts";

/** The policy as settings say it: paths may be links, or not exist. */
export interface PolicySettings {
  readonly mode: SandboxMode;
  readonly workspace: string;
  readonly readRoots?: readonly string[];
  readonly writeRoots?: readonly string[];
  readonly net?: readonly string[];
  readonly exec?: ExecMode;
  readonly approve: ApproveMode;
  readonly rules?: Partial<Rules>;
  readonly home: string;
  /** `$MYELIN_HOME`: where settings, credentials and sessions are. */
  readonly ownFolder: string;
}

/**
 * Builds the policy. Throws RuleError for a rule that cannot be read, and what
 * the system throws where the workspace is not there. Whoever calls it removes
 * `tempDir` in the end ({@link removeTemp}); the sheath does on `close()`.
 */
export function preparePolicy(settings: PolicySettings): Policy {
  const rules: Rules = {
    allow: settings.rules?.allow ?? [],
    ask: settings.rules?.ask ?? [],
    deny: settings.rules?.deny ?? [],
    ...(settings.rules?.commands === undefined ? {} : { commands: settings.rules.commands }),
  };
  for (const text of [...rules.allow, ...rules.ask, ...rules.deny]) parseRule(text);
  const aliases: [string, string][] = [];
  const home = real(settings.home, aliases) ?? slashes(settings.home);
  const workspace = real(expand(settings.workspace, home), aliases) ??
    slashes(Deno.realPathSync(settings.workspace));
  const roots = (paths: readonly string[] | undefined) =>
    (paths ?? []).map((path) => real(absolute(expand(path, home), workspace), aliases))
      .filter((path) => path !== undefined);
  const readRoots = roots(settings.readRoots);
  const writeRoots = roots(settings.writeRoots);
  const tempDir = slashes(Deno.realPathSync(Deno.makeTempDirSync({ prefix: TEMP_PREFIX })));
  const own = real(settings.ownFolder, aliases) ?? slashes(settings.ownFolder);
  if (settings.mode !== "off" && Deno.build.os !== "windows") {
    for (const name of ["/tmp", "/private/tmp"]) {
      const covered = [workspace, ...readRoots, ...writeRoots].some((root) => isWithin(root, name));
      if (!covered) aliases.push([name, tempDir]);
    }
  }
  return {
    mode: settings.mode,
    workspace,
    readRoots,
    writeRoots,
    tempDir,
    home,
    // A workspace inside such a place is there because the user wants it.
    protectedPaths: withTargets([
      ...defaultProtectedPaths(home, own),
      ...[workspace, ...writeRoots].flatMap((root) => placesOfGit(root, home)),
    ], [workspace, ...writeRoots].flatMap(protectedBelow)).filter((path) => !isWithin(path, workspace)),
    hiddenPaths: withTargets(defaultHiddenPaths(home, own)).filter((path) => !isWithin(path, workspace)),
    aliases,
    net: settings.net ?? [],
    exec: settings.exec ?? "auto",
    approve: settings.approve,
    rules,
  };
}

/** The places, and what those lead to that are links or stand behind one. `also`: are there anyway, by a pattern. */
function withTargets(places: readonly string[], also: readonly string[] = []): string[] {
  const all = new Set(places);
  for (const place of [...places, ...also]) {
    if (place.startsWith("**/")) continue;
    const target = leadsTo(place);
    if (target !== undefined && target !== place) all.add(target);
  }
  // A pattern covers these.
  return [...all].filter((place) => !also.includes(place));
}

/**
 * What is to be protected of the git folder that a root's `.git` leads to: as a
 * link, or as a file that names it; and what its configuration names as more of
 * itself, or as the folder of its hooks.
 */
function placesOfGit(root: string, home: string): string[] {
  const folder = leadsTo(`${root}/.git`);
  if (folder === undefined) return [];
  const named = firstLine(folder)?.match(/^gitdir:\s*(.+?)\s*$/)?.[1];
  const git = named === undefined ? folder : leadsTo(absolute(named, root));
  if (git === undefined) return [];
  const shared = firstLine(`${git}/commondir`);
  const common = shared === undefined ? undefined : leadsTo(absolute(shared, git));
  const folders = [git, ...(common === undefined ? [] : [common])];
  return [
    ...folders.filter((folder) => folder !== `${root}/.git`).flatMap(protectedInGit),
    ...folders.flatMap((folder) => namedByGit(folder, root, home)),
  ];
}

/** Files that a git folder's configuration includes, and the folder that it names for hooks. */
function namedByGit(folder: string, root: string, home: string): string[] {
  const found: string[] = [];
  let section = "";
  for (const line of (textOf(`${folder}/config`) ?? "").split("\n")) {
    section = /^\s*\[\s*([\w.-]+)/.exec(line)?.[1].toLowerCase() ?? section;
    const [, name, rest] = /^(?:\s*\[[^\]]*\])?\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (rest === undefined) continue;
    const value = expand(rest.replace(/\s[#;].*$/, "").replaceAll('"', ""), home);
    const key = name.toLowerCase();
    if (value === "") continue;
    if (key === "path" && /^include(if)?$/.test(section)) found.push(resolved(value, folder));
    if (key === "hookspath" && section === "core") found.push(resolved(value, root));
  }
  return found;
}

function resolved(path: string, folder: string): string {
  const parts: string[] = [];
  for (const part of absolute(path, folder).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

function firstLine(path: string): string | undefined {
  return textOf(path)?.split("\n")[0].trim();
}

/** Undefined where there is no file, or none that may be read. */
function textOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return Deno.statSync(path).isFile ? Deno.readTextFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** The real path; undefined where there is nothing, or nothing that may be looked at. */
function leadsTo(path: string): string | undefined {
  // Most of these places are not there, and an error takes ten times as long as a look.
  if (!existsSync(path)) return undefined;
  try {
    return slashes(Deno.realPathSync(path));
  } catch {
    return undefined;
  }
}

/** Removes the private temporary folder. What a program has put there and nobody may remove stays, and fails no run. */
export function removeTemp(policy: Policy): void {
  try {
    removeTree(policy.tempDir);
  } catch (error) {
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
  }
}

function expand(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? home + path.slice(1) : path;
}

/** A relative root belongs to the workspace. */
function absolute(path: string, workspace: string): string {
  return path.startsWith("/") || /^([A-Za-z]:)?[\\/]/.test(path) ? path : `${workspace}/${path}`;
}

/** The real path; undefined where there is nothing. Remembers the name where it differs. */
function real(path: string, aliases: [string, string][]): string | undefined {
  try {
    const found = slashes(Deno.realPathSync(path));
    const given = slashes(path).replace(/(?<=.)\/+$/, "");
    if (given !== found && given.startsWith("/") && !aliases.some(([name]) => name === given)) {
      aliases.push([given, found]);
    }
    return found;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function slashes(path: string): string {
  return Deno.build.os === "windows" ? path.replace(/^\\\\\?\\/, "").replaceAll("\\", "/") : path;
}
