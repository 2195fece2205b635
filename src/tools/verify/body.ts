/**
 * `verify`: the work. The checks run one after the other, each in a subshell
 * of the session's shell, so that none changes folder or variables for what
 * follows. Green ones take a line; of red ones the end of their output is
 * shown, where the reason stands.
 */
import { errorResult, textResult, type ToolBody } from "../../agent/tool.ts";
import { joinPath, resolvePath } from "../../lib/files/paths.ts";
import { visible } from "../../lib/text/visible.ts";
import { HostError } from "../../sandbox/mod.ts";
import { readArgs } from "../shared/arguments.ts";
import { createCommandOutput } from "../shared/command_output.ts";
import { failure } from "../shared/failure.ts";
import { stoppedBy } from "../shared/stopped_by.ts";
import { openFile, readAll } from "../shared/file_bytes.ts";
import type { SheathDeps } from "../tool.ts";
import plain from "./args.json" with { type: "json" };
import { type Check, readChecks } from "./read_checks.ts";

/** `workspace` is where the file with the checks stands. */
type VerifyDeps = Pick<
  SheathDeps,
  "fs" | "workspace" | "cwd" | "home" | "poll" | "artifacts" | "limits" | "shell" | "deadline"
>;

const PLACE = ".myelin/verify.json";
const MAX_FILE = 256 * 1024;

interface Outcome {
  readonly check: Check;
  readonly ok: boolean;
  readonly text: string;
  readonly seconds: number;
}

/** One red check makes an error result; a time limit ends the run, the checks behind it are not run. */
export function create(deps: VerifyDeps): ToolBody {
  return {
    async run(given, context) {
      const args = await readArgs(plain.args, () => import("./args.ts").then(({ args }) => args), given);
      if (!args.ok) return errorResult(args.error);
      const path = joinPath(deps.workspace, PLACE);
      let text: string | undefined;
      try {
        text = await readText(deps, path);
      } catch (error) {
        if (error instanceof HostError && error.code === "ENOENT") return errorResult(howTo());
        return failure(deps, "read", path, error);
      }
      if (text === undefined) return errorResult(`${PLACE} is too big`);
      const read = readChecks(text);
      if (!read.ok) return errorResult(visible(`${PLACE}: ${read.problem}`));
      const { only } = args.value;
      const names = read.checks.map((check) => check.name);
      const unknown = only?.find((name) => !names.includes(name));
      if (unknown !== undefined) {
        return errorResult(visible(`There is no check "${unknown}". There are: ${names.join(", ")}`));
      }
      const chosen = read.checks.filter((check) => only === undefined || only.includes(check.name));
      const outcomes: Outcome[] = [];
      for (const check of chosen) {
        context.output(`${check.name}: ${check.run}\n`);
        outcomes.push(await runCheck(deps, check, chosen.length, context.signal));
        if (stoppedBy(deps.poll) === "timeout") break;
        deps.poll();
      }
      const red = outcomes.filter((outcome) => !outcome.ok);
      const lines = [
        `${outcomes.length - red.length} of ${chosen.length} checks are green`,
        ...outcomes.map(({ check, ok, seconds }) =>
          `${ok ? "✓" : "✗"} ${check.name} (${seconds.toFixed(1)} s)`
        ),
        ...red.map(({ check, text }) => `\n--- ${check.name}: ${check.run}\n${text.trimEnd()}`),
      ];
      const report = visible(lines.join("\n"));
      const view = { type: "text", title: lines[0], text: report } as const;
      return red.length === 0 ? textResult(report, { view }) : errorResult(report, { view });
    },
  };
}

function howTo(): string {
  return `There is no ${PLACE}. The user can make one: {"checks": [{"name": "tests", "run": "command", "timeout": "5m"}]}`;
}

async function readText(deps: VerifyDeps, path: string): Promise<string | undefined> {
  const file = await openFile(deps.fs, path);
  try {
    const bytes = await readAll(file, MAX_FILE);
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  } finally {
    file.close();
  }
}

async function runCheck(deps: VerifyDeps, check: Check, of: number, signal: AbortSignal): Promise<Outcome> {
  const shell = await deps.shell();
  const output = createCommandOutput({
    maxBytes: Math.max(1024, Math.floor(deps.limits.outputBytes / of / 2) - 256),
    createArtifact: () => deps.artifacts.create(),
    live: () => {},
  });
  deps.deadline(check.timeoutMs);
  const start = performance.now();
  const end = await shell.run({
    script: `(\n${check.run}\n)`,
    cwd: check.cwd === undefined ? deps.workspace : resolvePath(check.cwd, deps.workspace, deps.home),
    write: output.write,
    signal,
  });
  const seconds = (performance.now() - start) / 1000;
  const text = await output.end();
  const timedOut = stoppedBy(deps.poll) === "timeout";
  const why = timedOut
    ? `[ended after its time limit of ${check.timeoutMs / 1000} s; the checks after it were not run]`
    : `[exit status ${end.status}]`;
  return {
    check,
    ok: end.status === 0 && !timedOut,
    text: `${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${why}`,
    seconds,
  };
}
