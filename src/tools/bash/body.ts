/**
 * `bash`: the work. The session's shell runs the script; here its output is
 * bounded, its time limited, and its outcome told: the status where it is not
 * 0, what ended it where that was not the script itself, and what still runs.
 */
import { errorResult, textResult, type ToolBody, type ToolResult } from "../../agent/tool.ts";
import { resolvePath } from "../../lib/files/paths.ts";
import { signalOfStatus } from "../../lib/signals.ts";
import { HostError, type OutputCopy, type ShellEnd } from "../../sandbox/mod.ts";
import type { SheathDeps } from "../tool.ts";
import { readArgs } from "../shared/arguments.ts";
import { stoppedBy } from "../shared/stopped_by.ts";
import plain from "./args.json" with { type: "json" };
import { createCommandOutput } from "../shared/command_output.ts";

/** `deadline` sets the time limit on the main isolate's clock; `poll` tells afterwards whether it or a cancel ended the script. */
type BashDeps = Pick<
  SheathDeps,
  "fs" | "cwd" | "home" | "artifacts" | "limits" | "shell" | "deadline" | "poll" | "offline"
>;

const DEFAULT_TIMEOUT = 120_000;

/** How programs say that a name or an address could not be reached. */
const NO_NETWORK =
  /could not resolve|name resolution|name or service not known|network is unreachable|unknown host|getaddrinfo|ENOTFOUND|EAI_AGAIN|ENETUNREACH|dns error|no such host|tunnel.{0,30}\b403\b|code 403 from proxy|sandbox\.net does not list/i;

/** A status other than 0 is an error result with what was printed; a script that outlives its limit too. */
export function create(deps: BashDeps): ToolBody {
  return {
    async run(given, context) {
      const args = await readArgs(plain.args, () => import("./args.ts").then(({ args }) => args), given);
      if (!args.ok) return errorResult(args.error);
      const { command, timeout, background } = args.value;
      const cwd = args.value.cwd === undefined
        ? undefined
        : resolvePath(args.value.cwd, deps.cwd(), deps.home);
      const shell = await deps.shell();
      try {
        if (cwd !== undefined && deps.fs.stat(cwd).kind !== "dir") {
          return errorResult(`Cannot run in ${cwd}: Not a directory`);
        }
        if (background) {
          const copy = await openCopy(deps);
          const id = shell.launch(command, cwd, copy?.copy);
          const whole = copy === undefined ? "" : ` Its whole output: ${copy.where}.`;
          return textResult(
            `Running in the background as ${id}. bash_output shows what it prints, kill_shell ends it.${whole}`,
          );
        }
      } catch (error) {
        if (error instanceof HostError) return errorResult(`Cannot run in ${cwd}: ${error.message}`);
        throw error;
      }
      const limit = timeout === undefined ? deps.limits.bashTimeoutMs ?? DEFAULT_TIMEOUT : timeout * 1000;
      deps.deadline(limit);
      const output = createCommandOutput({
        maxBytes: deps.limits.outputBytes,
        createArtifact: () => deps.artifacts.create(),
        live: context.output,
      });
      const started = performance.now();
      const end = await shell.run({
        script: command,
        ...(cwd === undefined ? {} : { cwd }),
        write: output.write,
        signal: context.signal,
      });
      const text = await output.end();
      const offline = deps.offline === true && end.status !== 0 && NO_NETWORK.test(text);
      return toResult(command, text, end, stoppedBy(deps.poll), limit, performance.now() - started, offline);
    },
  };
}

/** An artifact that a background shell's output is written to; undefined where none is kept. */
async function openCopy(deps: BashDeps): Promise<{ copy: OutputCopy; where: string } | undefined> {
  const sink = await deps.artifacts.create();
  if (sink === undefined) return undefined;
  let open = true;
  return {
    where: `artifact://${sink.id} (${sink.path})`,
    copy: {
      // What cannot be written is missing from the copy only.
      write: (bytes) => open ? sink.write(bytes).catch(() => void (open = false)) : undefined,
      end() {
        open = false;
        sink.close().catch(() => {/* the session is over: the file is closed with it */});
      },
    },
  };
}

function toResult(
  command: string,
  text: string,
  end: ShellEnd,
  stopped: "timeout" | "cancelled" | undefined,
  limit: number,
  took: number,
  offline: boolean,
): ToolResult {
  const lines: string[] = [];
  if (offline) {
    lines.push(
      "[programs have no network here but to the hosts that sandbox.net in the user's settings lists]",
    );
  }
  if (stopped === "timeout") {
    lines.push(
      `[ended after the time limit of ${seconds(limit)}; \`timeout\` sets another, \`background\` none]`,
    );
  } else if (stopped === "cancelled") lines.push("[cancelled]");
  else if (end.status !== 0) lines.push(`[exit status ${end.status}${signalName(end.status)}]`);
  if (took >= 10_000) lines.push(`[took ${seconds(took)}]`);
  if (end.jobs.length > 0) {
    const list = end.jobs.map((job) => `[${job.id}] ${oneLine(job.command)}`).join(", ");
    const as = end.background === undefined ? "" : ` as ${end.background} (bash_output, kill_shell)`;
    lines.push(
      `[${end.jobs.length} ${
        end.jobs.length === 1 ? "job" : "jobs"
      } still running${as}: ${list}; ended with the session]`,
    );
  }
  const notes = lines.join("\n");
  const body = text === "" && notes === ""
    ? "(no output)"
    : text === ""
    ? notes
    : notes === ""
    ? text
    : `${text}${text.endsWith("\n") ? "" : "\n"}${notes}`;
  const signal = signalOf(end.status);
  const view = {
    type: "command",
    command,
    status: end.status,
    durationMs: Math.round(took),
    ...(signal === undefined ? {} : { signal }),
    ...(end.background === undefined ? {} : { background: end.background }),
  } as const;
  if (stopped === undefined && end.status === 0) return textResult(body, { view });
  return errorResult(body, end.denied === undefined ? { view } : { view, denied: end.denied });
}

function seconds(ms: number): string {
  const value = ms / 1000;
  return `${value >= 10 ? Math.round(value) : Number(value.toFixed(1))} s`;
}

/** Signals by which programs end; other statuses above 128 are mostly a program's own. */
const ENDING = new Set(["HUP", "INT", "QUIT", "ABRT", "BUS", "FPE", "KILL", "SEGV", "PIPE", "TERM"]);

function signalOf(status: number): string | undefined {
  const name = signalOfStatus(status);
  return name !== undefined && ENDING.has(name) ? `SIG${name}` : undefined;
}

function signalName(status: number): string {
  const signal = signalOf(status);
  return signal === undefined ? "" : `, ${signal}`;
}

function oneLine(command: string): string {
  const line = command.replace(/\s+/g, " ").trim();
  return line.length > 80 ? `${line.slice(0, 79).toWellFormed()}…` : line;
}
