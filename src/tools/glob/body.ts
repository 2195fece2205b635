/** `glob`: the work. */
import { errorResult, textResult, type ToolBody, type ToolResult } from "../../agent/tool.ts";
import { compileGlob, wantsHidden } from "../../lib/files/glob_pattern.ts";
import { resolvePath, shortPath } from "../../lib/files/paths.ts";
import { RegexError } from "../../lib/regex.ts";
import { visible } from "../../lib/text/visible.ts";
import { HostError, type HostFs } from "../../sandbox/mod.ts";
import { readArgs } from "../shared/arguments.ts";
import { failure } from "../shared/failure.ts";
import { utf8Length } from "../shared/limit_output.ts";
import { timeOf, walkFiles } from "../shared/walk.ts";
import type { SheathDeps } from "../tool.ts";
import plain from "./args.json" with { type: "json" };
import { grouped } from "../../lib/text/count.ts";

/** `workspace` is where ignore files above the folder stop to count. */
type GlobDeps = Pick<SheathDeps, "fs" | "workspace" | "cwd" | "home" | "poll" | "limits">;

const MAX_PATHS = 1000;
/** More matches than this are not looked at one by one for their times. */
const MAX_TIMED = 2000;

/** Newest first, unless there are too many to ask each for its time; then by name. */
export function create(deps: GlobDeps): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(plain.args, () => import("./args.ts").then(({ args }) => args), given);
      if (!args.ok) return errorResult(args.error);
      return find(deps, args.value.pattern, args.value.path ?? ".");
    },
  };
}

function find(deps: GlobDeps, pattern: string, path: string): ToolResult {
  const base = resolvePath(path, deps.cwd(), deps.home);
  const { root, rest } = split(pattern, base, deps);
  try {
    const fits = compileGlob(rest);
    const matches: string[] = [];
    if (deps.fs.stat(root).kind !== "dir") {
      return errorResult(`${visible(shortPath(root, deps.cwd()))} is not a folder`);
    }
    const walk = walkFiles({
      fs: deps.fs,
      root,
      workspace: deps.workspace,
      hidden: wantsHidden(rest),
      poll: deps.poll,
    });
    for (const file of walk) if (fits(file.path)) matches.push(file.absolute);
    return show(deps, matches);
  } catch (error) {
    if (error instanceof RegexError) return errorResult(`pattern ${visible(pattern)}: ${error.message}`);
    if (error instanceof HostError && error.code === "ENOENT" && root !== base) {
      return textResult(`No files match; there is no ${visible(shortPath(root, deps.cwd()))}`);
    }
    return failure(deps, "search", root, error);
  }
}

/** The folder that a pattern leads to by its plain first parts, and what is left of it. */
function split(pattern: string, base: string, deps: GlobDeps): { root: string; rest: string } {
  const text = pattern.endsWith("/") ? pattern + "**" : pattern;
  const parts = text.split("/");
  let plain = 0;
  while (plain < parts.length - 1 && !/[*?[{\\]/.test(parts[plain])) plain++;
  const lead = parts.slice(0, plain).join("/");
  if (plain === 0) return { root: base, rest: text };
  const rest = parts.slice(plain).join("/");
  // What stands behind a folder is for that folder, not for any depth.
  const anchored = rest.includes("/") ? rest : "/" + rest;
  if (text.startsWith("/") && plain === 1) return { root: "/", rest: anchored };
  return { root: resolvePath(lead, base, deps.home), rest: anchored };
}

function show(deps: GlobDeps, matches: string[]): ToolResult {
  if (matches.length === 0) return textResult("No files match");
  const timed = matches.length <= MAX_TIMED;
  const sorted = timed ? newestFirst(deps.fs, matches) : matches.sort();
  const paths: string[] = [];
  let bytes = 0;
  for (const match of sorted) {
    const path = visible(shortPath(match, deps.cwd()));
    bytes += utf8Length(path) + 1;
    if (paths.length >= MAX_PATHS || bytes > deps.limits.outputBytes - 100) break;
    paths.push(path);
  }
  const lines = [...paths];
  if (paths.length < matches.length) {
    const order = timed ? "newest first" : "by name";
    lines.push(
      `[${grouped(paths.length)} of ${grouped(matches.length)} files, ${order}; narrow the pattern]`,
    );
  }
  return textResult(lines.join("\n"), {
    view: { type: "files", title: `${grouped(matches.length)} files`, paths },
  });
}

function newestFirst(fs: HostFs, paths: readonly string[]): string[] {
  const timed = paths.map((path) => ({ path, time: timeOf(fs, path) }));
  timed.sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1));
  return timed.map((entry) => entry.path);
}
