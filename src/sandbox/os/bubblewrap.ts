/**
 * External programs under bubblewrap (Linux): everything read-only, the
 * workspace and the temporary folder writable (in `read-only` mode only the
 * latter), credentials hidden, own process, IPC, host-name and network
 * namespaces, no capability that could undo it.
 *
 * The order of the arguments is the order of the mounts: later ones cover
 * earlier ones, so hiding comes after binding.
 */
import { isWithin } from "../glob.ts";
import { absolutePattern, parseRule } from "../rules.ts";
import type { Policy } from "../policy.ts";
import { variables, type Wrapper, WRAPPER_ENV } from "./wrapper.ts";

/** What stands at a path: a missing thing can be neither hidden nor bound. */
export type Exists = (path: string) => "dir" | "file" | undefined;

/**
 * Capabilities that root keeps: those that concern files' owners, none with
 * which a mount could be changed or a file be opened by its number
 * (DAC_READ_SEARCH).
 */
const KEPT = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETUID", "SETGID", "KILL"];

/** Protected paths of a workspace, relative to it, that are bound read-only where they exist. */
const PROTECTED_HERE = [
  ".git/hooks",
  ".git/config",
  ".git/config.worktree",
  ".myelin",
  ".vscode",
  ".idea",
  ".envrc",
];

/** Places in which something else is mounted. */
const COVERED = ["/tmp", "/var/tmp", "/run"];

/** Builds the arguments before the program's own. Pure but for `exists`. */
export function bubblewrapArguments(policy: Policy, cwd: string, exists: Exists, root: boolean): string[] {
  const { workspace, tempDir } = policy;
  const writable = policy.mode === "read-only" ? [] : [workspace, ...policy.writeRoots];
  const args = ["--die-with-parent", "--new-session", "--unshare-ipc", "--unshare-pid", "--unshare-uts"];
  args.push("--unshare-cgroup-try");
  if (!policy.net.includes("*")) args.push("--unshare-net");
  args.push("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc");
  // Sockets of other programs (session bus, agents, container engines) would be ways out.
  if (exists("/run") === "dir") args.push("--tmpfs", "/run");
  if (policy.net.includes("*") && exists("/run/systemd/resolve") === "dir") {
    args.push("--ro-bind", "/run/systemd/resolve", "/run/systemd/resolve");
  }
  args.push("--bind", tempDir, "/tmp");
  if (exists("/var/tmp") === "dir") args.push("--bind", tempDir, "/var/tmp");
  for (const path of policy.readRoots) {
    if (isWithin("/tmp", path) || isWithin("/run", path)) args.push("--ro-bind", path, path);
  }
  if (!writable.includes(workspace)) args.push("--ro-bind", workspace, workspace);
  for (const path of writable) args.push("--bind", path, path);
  args.push("--bind", tempDir, tempDir);
  const shown = [workspace, ...policy.readRoots, ...policy.writeRoots];
  const covers: string[] = [];
  for (const path of [...(policy.hiddenPaths ?? []), ...placesOfRules(policy, "deny", "read")]) {
    if (isWithin(path, workspace) || isWithin(path, tempDir)) continue;
    // What is covered already needs no cover, and a mount point for it would have to be made.
    if (COVERED.some((top) => isWithin(top, path)) && !shown.some((root) => isWithin(root, path))) continue;
    const kind = exists(path);
    if (kind === "dir") {
      args.push("--tmpfs", path);
      covers.push(path);
    } else if (kind === "file") args.push("--ro-bind", "/dev/null", path);
  }
  for (const kind of ["read", "write"] as const) {
    if (kind === "write" && policy.mode === "read-only") continue;
    for (const path of placesOfRules(policy, "allow", kind)) {
      if (exists(path) !== undefined) args.push(kind === "read" ? "--ro-bind" : "--bind", path, path);
    }
  }
  // Only now: a mount inside a cover needs a place to be made for it.
  for (const path of covers) args.push("--remount-ro", path);
  for (const top of writable) {
    // A mount point cannot be renamed: so the folder around the protected ones is one, too.
    if (exists(`${top}/.git`) === "dir") args.push("--bind", `${top}/.git`, `${top}/.git`);
    for (const name of PROTECTED_HERE) {
      const path = `${top}/${name}`;
      if (exists(path) !== undefined) args.push("--ro-bind", path, path);
    }
  }
  for (const path of policy.protectedPaths) {
    if (path.startsWith("**/") || !writable.some((top) => isWithin(top, path))) continue;
    if (exists(path) !== undefined && !(policy.hiddenPaths ?? []).includes(path)) {
      args.push("--ro-bind", path, path);
    }
  }
  for (const path of placesOfRules(policy, "deny", "write")) {
    if (exists(path) !== undefined) args.push("--ro-bind", path, path);
  }
  if (root) {
    args.push("--cap-drop", "ALL");
    for (const name of KEPT) args.push("--cap-add", `CAP_${name}`);
  }
  args.push("--chdir", cwd, "--");
  return args;
}

/** The places that rules name plainly: a mount is for a path, not for a pattern. A name anywhere counts in the workspace itself. */
function placesOfRules(policy: Policy, list: "allow" | "deny", kind: "read" | "write"): string[] {
  const places: string[] = [];
  for (const text of policy.rules[list]) {
    const rule = parseRule(text);
    if (rule.kind !== kind) continue;
    const pattern = absolutePattern(rule.pattern, policy).replace(/\/\*\*$/, "")
      .replace(/^\/\*\*\//, `${policy.workspace}/`);
    if (pattern !== "" && !/[*?]/.test(pattern)) places.push(pattern);
  }
  return places;
}

/** The wrapper, given where bubblewrap is. */
export function bubblewrap(path: string, exists: Exists, root: boolean, groupOf: Wrapper["group"]): Wrapper {
  return {
    name: "bubblewrap",
    wrap: ({ program, argv, cwd, env }, policy) => ({
      program: path,
      argv: [
        "bwrap",
        "--clearenv",
        ...variables(env).flatMap(([name, value]) => ["--setenv", name, value]),
        ...bubblewrapArguments(policy, cwd, exists, root),
        program,
        ...argv.slice(1),
      ],
      cwd: "/",
      env: WRAPPER_ENV,
    }),
    group: groupOf,
  };
}
