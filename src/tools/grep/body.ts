/** `grep`: the work. */
import { errorResult, textResult, type ToolBody, type ToolResult } from "../../agent/tool.ts";
import { compileGlob, wantsHidden } from "../../lib/files/glob_pattern.ts";
import { baseName, resolvePath, shortPath } from "../../lib/files/paths.ts";
import { compileRegex, type Regex, RegexError } from "../../lib/regex.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { visible } from "../../lib/text/visible.ts";
import { HostError, type HostFile } from "../../sandbox/mod.ts";
import { readArgs } from "../shared/arguments.ts";
import { failure } from "../shared/failure.ts";
import { openFile } from "../shared/file_bytes.ts";
import { type Walked, walkFiles } from "../shared/walk.ts";
import type { SheathDeps } from "../tool.ts";
import plain from "./args.json" with { type: "json" };
import { globOfType, TYPE_NAMES } from "./file_types.ts";
import { TextLoader } from "./load_text.ts";
import { Report } from "./report.ts";

/** `artifacts` are searched as files are: `path` may name one. */
type GrepDeps = Pick<
  SheathDeps,
  "fs" | "workspace" | "cwd" | "home" | "poll" | "artifacts" | "limits"
>;

/** How long one search may take. */
const LIMIT_MS = 30_000;

/** The time of a search is over: thrown by its `poll`. */
class TimeUp extends Error {
  override readonly name = "TimeUp";
}

/** `limitMs`: a search that takes longer ends with what it has found, and says so. */
export function create(callDeps: GrepDeps, limitMs = LIMIT_MS): ToolBody {
  return {
    async run(given) {
      const end = performance.now() + limitMs;
      const deps: GrepDeps = {
        ...callDeps,
        poll() {
          callDeps.poll();
          if (performance.now() >= end) throw new TimeUp();
        },
      };
      const args = await readArgs(plain.args, () => import("./args.ts").then(({ args }) => args), given);
      if (!args.ok) return errorResult(args.error);
      const {
        pattern,
        path = ".",
        glob,
        type,
        replace,
        context = 0,
        ignoreCase = false,
        multiline = false,
        show = "lines",
      } = args.value;
      const typed = type === undefined ? undefined : globOfType(type);
      if (type !== undefined && typed === undefined) {
        const near = nearest(type, TYPE_NAMES);
        return errorResult(
          visible(
            `type: "${type}" is not known${
              near === undefined ? "" : `; did you mean "${near}"?`
            } \`glob\` takes any names`,
          ),
        );
      }
      const root = resolvePath(path, deps.cwd(), deps.home);
      const artifact = /^artifact:\/\/(.+)$/.exec(path)?.[1];
      let report: Report | undefined;
      const progress = { searched: 0 };
      try {
        const regex = compileRegex(pattern, { ignoreCase, multiline, lines: !multiline, poll: deps.poll });
        const single = artifact !== undefined || deps.fs.stat(root).kind !== "dir";
        report = new Report({
          show,
          context,
          maxBytes: deps.limits.outputBytes,
          names: !single,
          poll: deps.poll,
          ...(replace === undefined ? {} : { replace }),
        });
        if (artifact !== undefined) return await searchArtifact(deps, artifact, regex, report);
        return single ? await searchOne(deps, root, regex, report) : await searchTree(
          deps,
          root,
          [glob, typed].filter((one) => one !== undefined),
          regex,
          report,
          progress,
        );
      } catch (error) {
        if (error instanceof TimeUp && report !== undefined) {
          const note = `stopped after ${limitMs / 1000} s, not everything was searched: ` +
            "narrow the pattern, path or glob";
          return result(report, progress.searched, [note]);
        }
        if (error instanceof RegexError) {
          return errorResult(`pattern: ${error.message}${error.hint === undefined ? "" : `. ${error.hint}`}`);
        }
        return failure(deps, "search", root, error);
      }
    },
  };
}

async function searchOne(deps: GrepDeps, path: string, regex: Regex, report: Report): Promise<ToolResult> {
  const file = await openFile(deps.fs, path);
  const searched = await searchFile(file, shortPath(path, deps.cwd()), new TextLoader(), regex, report);
  if (!searched) return textResult(`${baseName(path)} is binary or empty: not searched`);
  return result(report, 1, []);
}

/** Searches a full output that the session keeps. */
async function searchArtifact(deps: GrepDeps, id: string, regex: Regex, report: Report): Promise<ToolResult> {
  if (await deps.artifacts.read(id, 0, 1) === undefined) {
    return errorResult(`There is no artifact://${visible(id)}`);
  }
  let at = 0;
  const source = {
    async read(into: Uint8Array): Promise<number> {
      deps.poll();
      const bytes = await deps.artifacts.read(id, at, into.length) ?? new Uint8Array();
      into.set(bytes);
      at += bytes.length;
      return bytes.length;
    },
  };
  await searchIn(source, `artifact://${id}`, new TextLoader(), regex, report);
  return result(report, 1, []);
}

async function searchTree(
  deps: GrepDeps,
  root: string,
  globs: readonly string[],
  regex: Regex,
  report: Report,
  progress: { searched: number },
): Promise<ToolResult> {
  const tests = globs.map(compileGlob);
  const loader = new TextLoader();
  let refused = 0;
  const unreadable = () => void refused++;
  const walk = walkFiles({
    fs: deps.fs,
    root,
    workspace: deps.workspace,
    hidden: globs.some(wantsHidden),
    poll: deps.poll,
    unreadable,
  });
  for (const walked of walk) {
    if (!tests.every((fits) => fits(walked.path))) continue;
    deps.poll();
    const name = () => shortPath(walked.absolute, deps.cwd());
    const text = quickText(deps, loader, walked);
    if (text === undefined) {
      const file = await openQuietly(deps, walked);
      if (file === undefined) refused++;
      else if (await searchFile(file, name(), loader, regex, report)) progress.searched++;
    } else if (text !== null) {
      progress.searched++;
      if (regex.test(text)) report.add(name(), text, regex, { line: 1, first: true });
    }
  }
  return result(report, progress.searched, refused === 0 ? [] : [`${refused} could not be read`]);
}

/** The text of a small file; undefined where opening it has to tell what is the matter. */
function quickText(deps: GrepDeps, loader: TextLoader, walked: Walked): string | null | undefined {
  try {
    return loader.quick(deps.fs, walked.absolute);
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

/** Opens a file of the walk; undefined for one that may not be read or is gone. */
async function openQuietly(deps: GrepDeps, walked: Walked): Promise<HostFile | undefined> {
  try {
    const file = deps.fs.open(walked.absolute, { read: true });
    return file instanceof Promise ? await file : file;
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

/** Searches an open file and closes it; false where there was no text in it. */
async function searchFile(
  file: HostFile,
  name: string,
  loader: TextLoader,
  regex: Regex,
  report: Report,
): Promise<boolean> {
  try {
    return await searchIn(file, name, loader, regex, report);
  } finally {
    file.close();
  }
}

async function searchIn(
  source: Pick<HostFile, "read">,
  name: string,
  loader: TextLoader,
  regex: Regex,
  report: Report,
): Promise<boolean> {
  let found = false;
  let any = false;
  for await (const part of loader.load(source)) {
    any = true;
    if (report.add(name, part.text, regex, { line: part.line, first: !found })) found = true;
  }
  return any;
}

function result(report: Report, searched: number, notes: readonly string[]): ToolResult {
  return textResult(report.end(searched, notes), {
    view: { type: "files", title: "matches", paths: report.paths },
  });
}
