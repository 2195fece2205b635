/**
 * What the runtime itself grants to the worker, computed from the policy. It
 * is the outer wall: wider than the policy where a rule speaks of a pattern
 * (the path guard judges each path inside it), never wider than that.
 */
import { isWithin } from "../glob.ts";
import { knownPlaces } from "../guard_paths.ts";
import { absolutePattern, fixedPart, parseRule } from "../rules.ts";
import type { Policy } from "../policy.ts";

interface WorkerPermissions {
  readonly read: boolean | string[];
  readonly write: boolean | string[];
  readonly net: false;
  readonly env: false;
  readonly run: false;
  readonly ffi: false;
  readonly sys: false;
  readonly import: false;
}

/** `programFolders`: where programs are looked up; see {@link lookupFolders}. */
export function workerPermissions(policy: Policy, programFolders: readonly string[]): WorkerPermissions {
  const none = { net: false, env: false, run: false, ffi: false, sys: false, import: false } as const;
  if (policy.mode === "off") return { ...none, read: true, write: true };
  const write = [policy.tempDir];
  if (policy.mode === "workspace") {
    write.push(policy.workspace, ...policy.writeRoots, ...writePlaces(policy));
  }
  return {
    ...none,
    read: [...new Set([...knownPlaces(policy), ...programFolders])],
    write: [...new Set(write)],
  };
}

/** Where rules let tools and programs write. */
function writePlaces(policy: Policy): string[] {
  return [...policy.rules.allow, ...policy.rules.ask].flatMap((text) => {
    const rule = parseRule(text);
    return rule.kind === "write" ? [fixedPart(absolutePattern(rule.pattern, policy))] : [];
  });
}

/**
 * The folders of a search path whose entries the worker may look at: none that
 * holds more than programs. Those that tools can write are left to the path
 * guard: what stands there may be a link.
 */
export function lookupFolders(policy: Policy, path: string): string[] {
  const guarded = [
    policy.workspace,
    policy.tempDir,
    ...policy.readRoots,
    ...policy.writeRoots,
    ...writePlaces(policy),
  ];
  const delicate = [policy.home, policy.workspace, ...(policy.hiddenPaths ?? [])];
  return [...new Set(path.split(":"))].filter((folder) =>
    folder.startsWith("/") && folder !== "/" && !/\/\.{1,2}(\/|$)/.test(folder) &&
    !delicate.some((place) => isWithin(folder, place)) &&
    !(policy.hiddenPaths ?? []).some((place) => isWithin(place, folder)) &&
    !guarded.some((place) => isWithin(place, folder))
  ).map((folder) => folder.replace(/\/+$/, ""));
}
