/**
 * External programs under seatbelt (macOS): the same rules as under
 * bubblewrap, as a profile for `sandbox-exec`. The profile is text that is
 * generated here and tested as text; the last rule that fits decides.
 */
import type { Policy } from "../policy.ts";
import { launch } from "./launch.ts";
import type { Wrapper } from "./wrapper.ts";

/** Writes the profile. */
export function seatbeltProfile(policy: Policy): string {
  const writable = policy.mode === "read-only"
    ? [policy.tempDir]
    : [policy.workspace, policy.tempDir, ...policy.writeRoots];
  const lines = [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper") (regex #"^/dev/fd/"))',
    ...writable.map((path) => `(allow file-write* (subpath ${quote(path)}))`),
    ...policy.protectedPaths.map((path) =>
      path.startsWith("**/")
        ? `(deny file-write* (regex #"/${escapePattern(path.slice(3))}(/|$)"))`
        : `(deny file-write* (subpath ${quote(path)}))`
    ),
    ...(policy.hiddenPaths ?? []).map((path) => `(deny file-read* file-write* (subpath ${quote(path)}))`),
    // What could start programs outside of the sandbox, or hand out secrets.
    "(deny appleevent-send)",
    '(deny mach-lookup (global-name "com.apple.securityd.xpc") (global-name "com.apple.SecurityServer"))',
    "(deny process-info* (target others))",
    "(deny signal (target others))",
    "(allow signal (target same-sandbox))",
  ];
  if (!policy.net.includes("*")) {
    lines.push("(deny network*)", '(allow network* (local ip "localhost:*") (remote ip "localhost:*"))');
  }
  return lines.join("\n") + "\n";
}

/** `path`: where sandbox-exec is. */
export function seatbelt(path: string): Wrapper {
  return {
    name: "seatbelt",
    wrap: (command, policy) => {
      const { argv, env } = launch(command);
      return {
        program: path,
        argv: ["sandbox-exec", "-p", seatbeltProfile(policy), ...argv],
        cwd: command.cwd,
        env,
      };
    },
  };
}

function quote(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** A path with `*` as a regular expression of seatbelt. */
function escapePattern(path: string): string {
  return path.replace(/[.+^$(){}|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*").replaceAll('"', '\\"');
}
