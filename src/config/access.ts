/**
 * How far a project's files are heeded. Only the user says so: a project can
 * neither raise its own level nor do, at the level "read", anything but
 * choose harmless things and narrow what is allowed.
 */
import { expandHome } from "./paths.ts";
import type { Row } from "./settings.ts";

export type Access = "ignore" | "read" | "trust";

/** The level of the project at `root`: of the longest pattern that matches, else the general one. */
export function accessOf(
  root: string,
  project: { readonly access: Access; readonly paths: Readonly<Record<string, Access>> },
  user: string,
): Access {
  let best: { pattern: string; access: Access } | undefined;
  for (const [pattern, access] of Object.entries(project.paths)) {
    if (best && pattern.length <= best.pattern.length) continue;
    if (matches(root, expandHome(pattern, user))) best = { pattern, access };
  }
  return best?.access ?? project.access;
}

/** `**` is any path (and "/x/**" also /x itself), `*` any part of a name, `?` one character. */
export function matches(path: string, pattern: string): boolean {
  const source = pattern
    .replace(/\/+$/, "")
    .split(/(\/\*\*$|\*\*\/|\*\*|\*|\?)/)
    .map((piece) =>
      piece === "/**"
        ? "(?:/.*)?"
        : piece === "**/"
        ? "(?:.*/)?"
        : piece === "**"
        ? ".*"
        : piece === "*"
        ? "[^/]*"
        : piece === "?"
        ? "[^/]"
        : piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    )
    .join("");
  return new RegExp(`^${source}$`, "su").test(path);
}

/**
 * Whether a project's file may set `row` to `value` where `now` is in force;
 * otherwise why not.
 */
export function mayProjectSet(row: Row, value: unknown, now: unknown, access: Access): true | string {
  switch (row.scope) {
    case "user":
      return "only your own settings can set it";
    case "project":
      return true;
    case "trusted":
      return access === "trust" || 'the project\'s access is "read"';
    case "tighten": {
      const narrower = row.order
        ? row.order.indexOf(value as string) <= row.order.indexOf(now as string)
        : (value as number) <= (now as number);
      return access === "trust" || narrower || 'it would allow more, and the project\'s access is "read"';
    }
  }
}
