/**
 * External programs under bubblewrap (Linux): everything read-only, the
 * workspace and the temporary folder writable (in `read-only` mode only the
 * latter), credentials hidden, own process, IPC, host-name and network
 * namespaces, no capability that could undo it.
 *
 * The order of the arguments is the order of the mounts: later ones cover
 * earlier ones, so hiding comes after binding, and the system's own places
 * come after a root that holds them.
 *
 * A mount at a link goes where the link leads, or fails and the whole wrapper
 * with it: so places are resolved first, and where a program of the workspace
 * could have made the link, nothing is mounted that it must not see.
 */
import { protectedBelow } from "../default_paths.ts";
import { isWithin } from "../glob.ts";
import { absolutePattern, parseRule } from "../rules.ts";
import type { Policy } from "../policy.ts";
import { FILTER_ARGUMENTS, FILTER_FD, withFilter } from "./filter_file.ts";
import { launch } from "./launch.ts";
import { expectedMounts, type Mount } from "./mounts.ts";
import { machineSockets } from "./sockets.ts";
import type { Exists, RealPath, Wrapper } from "./wrapper.ts";

/**
 * Capabilities that root keeps: those that concern files' owners, none with
 * which a mount could be changed or a file be opened by its number
 * (DAC_READ_SEARCH).
 */
const KEPT = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETUID", "SETGID", "KILL"];

/** Places in which something else is mounted. */
const COVERED = ["/tmp", "/var/tmp", "/run"];

/** Parts of /proc with which root could change the machine. */
const KERNEL = ["sys", "sysrq-trigger", "irq", "bus", "fs"];

/** New namespaces for processes, messages, names and, unless every host is allowed, the network. */
export function ownNamespaces(policy: Policy): string[] {
  const args = ["--unshare-ipc", "--unshare-pid", "--unshare-uts"];
  return policy.net.includes("*") ? args : [...args, "--unshare-net"];
}

/**
 * Builds the arguments before the program's own. Pure but for `exists` and
 * `real`. `namespaces`: what it does about them. `sockets`: on which others
 * listen.
 */
export function bubblewrapArguments(
  policy: Policy,
  cwd: string,
  exists: Exists,
  root: boolean,
  real: RealPath = (path) => path,
  namespaces: readonly string[] = ownNamespaces(policy),
  sockets: readonly string[] = [],
): string[] {
  const { workspace, tempDir } = policy;
  const writable = policy.mode === "read-only" ? [] : [workspace, ...policy.writeRoots];
  const wholeDisk = writable.includes("/");
  const places = (list: "allow" | "deny", kind: "read" | "write") =>
    placesOfRules(policy, list, kind).filter((path) => exists(path) !== undefined);
  const hidden = [...(policy.hiddenPaths ?? []), ...places("deny", "read")].map((path) =>
    exists(path) === undefined ? path : real(path)
  );
  const isHidden = (path: string) => hidden.some((top) => isWithin(top, path));

  const args = ["--die-with-parent", "--new-session", ...namespaces, "--unshare-cgroup-try"];
  args.push(wholeDisk ? "--bind" : "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc");
  for (const name of KERNEL) {
    if (exists(`/proc/${name}`) !== undefined) args.push("--ro-bind", `/proc/${name}`, `/proc/${name}`);
  }
  // Sockets of other programs (session bus, agents, container engines) would be ways out.
  if (exists("/run") === "dir") args.push("--tmpfs", "/run");
  if (policy.net.includes("*") && exists("/run/systemd/resolve") === "dir") {
    args.push("--ro-bind", "/run/systemd/resolve", "/run/systemd/resolve");
  }
  // Whoever works on the whole disk means the machine's own.
  if (!wholeDisk) {
    args.push("--bind", tempDir, "/tmp");
    if (exists("/var/tmp") === "dir") args.push("--bind", tempDir, "/var/tmp");
  }
  for (const path of [...policy.readRoots, ...places("allow", "read")].filter(canBeRoot)) {
    if (!isHidden(path) && COVERED.some((top) => isWithin(top, path))) {
      args.push("--ro-bind", path, path);
    }
  }
  if (!writable.includes(workspace) && canBeRoot(workspace)) args.push("--ro-bind", workspace, workspace);
  for (const path of writable.filter(canBeRoot)) args.push("--bind", path, path);
  // A link in a place that programs write may have been made by one of them: a rule does not follow it.
  const isMade = (path: string) => real(path) !== path && writable.some((top) => isWithin(top, path));
  const named = (kind: "read" | "write") =>
    places("allow", kind).filter((path) =>
      !(kind === "write" && policy.mode === "read-only") && !isMade(path)
    );
  for (const path of named("write").map(real)) {
    if (!isHidden(path) && canBeRoot(path)) args.push("--bind", path, path);
  }
  args.push("--bind", tempDir, tempDir);
  protect(args, policy, writable, exists, real, places("deny", "write"));

  const shown = [workspace, ...policy.readRoots, ...policy.writeRoots];
  const covers: string[] = [];
  for (const path of new Set(hidden)) {
    if (isWithin(path, workspace) || isWithin(path, tempDir)) continue;
    // What is covered already needs no cover, and a mount point for it would have to be made.
    if (COVERED.some((top) => isWithin(top, path)) && !shown.some((root) => isWithin(root, path))) continue;
    const kind = exists(path);
    if (kind === "dir") {
      args.push("--tmpfs", path);
      covers.push(path);
    } else if (kind === "file") args.push("--ro-bind", "/dev/null", path);
  }
  const isCovered = (path: string) =>
    COVERED.some((top) => isWithin(top, path)) && !shown.some((top) => isWithin(top, path));
  // What programs may write anyway is theirs to talk to, too.
  const reached = [...writable, tempDir, ...named("write").map(real)];
  const met = sockets.filter((path) => !isCovered(path) && exists(path) !== undefined).map(real);
  for (const path of new Set(met)) {
    if (isCovered(path) || isHidden(path) || reached.some((top) => isWithin(top, path))) continue;
    args.push("--ro-bind", "/dev/null", path);
  }
  // Of what is hidden only what a rule names is shown; a rule for a folder around it does not open it.
  const denied = [...places("deny", "read"), ...places("deny", "write")].map(real);
  for (const kind of ["read", "write"] as const) {
    for (const path of named(kind)) {
      if (!(isHidden(path) || isHidden(real(path))) || denied.some((top) => isWithin(top, real(path)))) {
        continue;
      }
      const inCover = covers.some((top) => isWithin(top, path));
      args.push(kind === "read" ? "--ro-bind" : "--bind", real(path), inCover ? path : real(path));
    }
  }
  // Only now: a mount inside a cover needs a place to be made for it.
  for (const path of covers) args.push("--remount-ro", path);
  if (root) {
    args.push("--cap-drop", "ALL");
    for (const name of KEPT) args.push("--cap-add", `CAP_${name}`);
  }
  args.push("--chdir", cwd, "--");
  return args;
}

/** The host's own processes and devices are shown by no root, and the whole disk stands there from the beginning. */
function canBeRoot(path: string): boolean {
  return path !== "/" && path !== "/dev" && !isWithin("/proc", path);
}

/** Binds read-only what must not be written inside of writable roots. */
function protect(
  args: string[],
  policy: Policy,
  writable: readonly string[],
  exists: Exists,
  real: RealPath,
  denied: readonly string[],
): void {
  const bind = (path: string) => {
    if (exists(path) === undefined) return;
    const place = real(path);
    // A link to where nothing can be written, or to what stands covered, would show what it leads to.
    const inRoot = writable.some((top) =>
      isWithin(top, place) &&
      (top !== "/" || (canBeRoot(place) && !isWithin("/run", place) && !isWithin("/dev", place)))
    );
    if (inRoot) args.push("--ro-bind", place, place);
  };
  for (const top of writable.map((path) => path === "/" ? "" : path)) {
    // A mount point cannot be renamed: so the folder around the protected ones is one, too.
    const git = `${top}/.git`;
    if (exists(git) === "dir" && real(git) === git) args.push("--bind", git, git);
    for (const path of protectedBelow(top)) bind(path);
  }
  for (const path of policy.protectedPaths) {
    if (!path.startsWith("**/")) bind(path);
  }
  for (const path of denied) bind(path);
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

/** The wrapper with namespaces of its own for each program, given where bubblewrap is and where its filter can be opened. */
export function bubblewrap(
  path: string,
  exists: Exists,
  root: boolean,
  groupOf: Wrapper["group"],
  real?: RealPath,
  mounts: () => readonly Mount[] = () => [],
  filter?: string,
  sockets: () => readonly string[] = machineSockets,
): Wrapper {
  return {
    name: "bubblewrap",
    wrap: (command, policy) => {
      const namespaces = [...ownNamespaces(policy), ...(filter === undefined ? [] : FILTER_ARGUMENTS)];
      const args = bubblewrapArguments(policy, command.cwd, exists, root, real, namespaces, sockets());
      const { argv, env } = launch(command, {
        mounted: expectedMounts(args, policy, mounts()),
        close: filter === undefined ? [] : [FILTER_FD],
      });
      return filter === undefined
        ? { program: path, argv: ["bwrap", ...args, ...argv], cwd: "/", env }
        : { program: "/bin/sh", argv: withFilter(filter, [path, ...args, ...argv]), cwd: "/", env };
    },
    group: groupOf,
  };
}
