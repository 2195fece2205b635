/**
 * git, the same whatever a repository's configuration says: nothing that it
 * names is started (hooks, filters, textconv, watchers, pagers, transports),
 * no lock is taken for a look, paths are names and not patterns, and output is
 * asked for in forms made for programs. Only where the user trusts the project
 * do its hooks and filters run.
 */
import type { ProgramEnd, SheathDeps } from "../tool.ts";

/** `trusted` decides whether the project's hooks and filters run. */
export type GitDeps = Pick<SheathDeps, "program" | "cwd" | "poll" | "limits" | "trusted">;

/** Throws HostError where git may not or cannot be started; one that fails is an end. */
interface Git {
  /** Runs `git ARGS` in the session's folder. */
  (
    args: readonly string[],
    options?: { readonly input?: string; readonly maxBytes?: number },
  ): Promise<GitEnd>;
}

/** `text` is stdout as UTF-8; of stderr only `problem` is kept. */
export interface GitEnd {
  readonly ok: boolean;
  readonly status: number;
  readonly text: string;
  /** Bytes of output that were left out. */
  readonly lost: number;
  /** What it said about a failure, in one line. */
  readonly problem: string;
}

/** What no configuration may change. */
const FIXED = [
  "core.fsmonitor=false",
  "core.pager=cat",
  "core.attributesFile=/dev/null",
  "core.quotePath=false",
  "color.ui=false",
  "diff.noprefix=false",
  "diff.mnemonicPrefix=false",
  "diff.orderFile=/dev/null",
  "diff.relative=false",
  "diff.suppressBlankEmpty=false",
  "diff.ignoreSubmodules=dirty",
  "log.showSignature=false",
  "log.follow=false",
  "log.mailmap=false",
  "log.showRoot=true",
  "format.pretty=medium",
  "status.relativePaths=true",
  "submodule.recurse=false",
  "i18n.logOutputEncoding=UTF-8",
  "i18n.commitEncoding=UTF-8",
  "protocol.allow=never",
  "gc.auto=0",
  "maintenance.auto=false",
];

/** What runs code that the project chose. */
const UNTRUSTED = ["core.hooksPath=/dev/null", "commit.gpgSign=false", "tag.gpgSign=false"];

const MAX_OUTPUT = 4 << 20;
const decoder = new TextDecoder();

/** A git for one call. */
export function openGit(deps: GitDeps): Git {
  let flags: Promise<readonly string[]> | undefined;

  async function run(
    argv: readonly string[],
    input: string | undefined,
    maxBytes: number,
  ): Promise<ProgramEnd> {
    deps.poll();
    const end = await deps.program({
      argv,
      cwd: deps.cwd(),
      maxBytes,
      ...(input === undefined ? {} : { input: new TextEncoder().encode(input) }),
    });
    deps.poll();
    return end;
  }

  async function findFlags(): Promise<readonly string[]> {
    const settings = [...FIXED, ...(deps.trusted === true ? [] : UNTRUSTED)];
    const base = ["git", "--no-pager", "--no-optional-locks", "--literal-pathspecs"];
    const withSettings = [...base, ...settings.flatMap((setting) => ["-c", setting])];
    if (deps.trusted === true) return withSettings;
    // Filters and drivers have names of their own choice: each that is configured is emptied by its name.
    const { stdout } = await run(
      [...withSettings, "config", "-z", "--name-only", "--get-regexp", "^(filter|diff)\\..*"],
      undefined,
      256 * 1024,
    );
    const drivers = decoder.decode(stdout).split("\0").filter((key) =>
      /^(filter\..*\.(clean|smudge|process|required)|diff\..*\.(command|textconv))$/i.test(key)
    );
    return [
      ...withSettings,
      ...[...new Set(drivers)].flatMap((key) => ["-c", `${key}=${/\.required$/i.test(key) ? "false" : ""}`]),
    ];
  }

  return async (args, options = {}) => {
    const max = options.maxBytes ?? MAX_OUTPUT;
    const end = await run([...await (flags ??= findFlags()), ...args], options.input, max);
    return {
      ok: end.status === 0,
      status: end.status,
      text: decoder.decode(end.stdout),
      lost: Math.max(0, end.size - end.stdout.length),
      problem: problemOf(decoder.decode(end.stderr), end.status),
    };
  };
}

function problemOf(stderr: string, status: number): string {
  const lines = stderr.split("\n").map((line) => line.trim()).filter((line) =>
    line !== "" && !/^hint:/.test(line)
  );
  const line = lines.find((one) => /^(fatal|error):/.test(one)) ?? lines[0];
  return line === undefined ? `git ended with status ${status}` : line.replace(/^(fatal|error): /, "");
}
