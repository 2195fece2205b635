/** `task` and `task_output`: the work. What an agent is and how it runs is behind the port. */
import { errorResult, textResult, type ToolBody, type ToolResult } from "../../agent/tool.ts";
import { AppError } from "../../lib/errors.ts";
import { visible } from "../../lib/text/visible.ts";
import { readArgs } from "../shared/arguments.ts";
import { limitOutput } from "../shared/limit_output.ts";
import type { AgentReport, AgentRun, MainDeps } from "../tool.ts";
import plain from "./args.json" with { type: "json" };

type TaskDeps = Pick<MainDeps, "agents" | "limits">;

/** In the foreground the agent ends with the call; in the background it outlives it. */
export function createTask({ agents, limits }: TaskDeps): ToolBody {
  return {
    async run(given, context) {
      const args = await readArgs(
        plain.taskArgs,
        () => import("./args.ts").then(({ taskArgs }) => taskArgs),
        given,
      );
      if (!args.ok) return errorResult(args.error);
      const { prompt, role, background = false } = args.value;
      let run: AgentRun;
      try {
        run = agents.start({
          prompt,
          role,
          callId: context.callId,
          signal: background ? undefined : context.signal,
          progress: background ? () => {} : (text) => context.output(`${text}\n`),
        });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return errorResult(visible(error.message));
      }
      if (background) {
        return textResult(`Running in the background as ${run.id}; task_output shows how it stands.`);
      }
      return toResult(await run.done, limits.outputBytes);
    },
  };
}

/** `task_output`: news are told once; the report as often as it is asked for. */
export function createOutput({ agents, limits }: TaskDeps): ToolBody {
  return {
    async run(given, { signal }) {
      const args = await readArgs(
        plain.outputArgs,
        () => import("./args.ts").then(({ outputArgs }) => outputArgs),
        given,
      );
      if (!args.ok) return errorResult(args.error);
      const { id, wait = false, cancel = false } = args.value;
      const run = agents.find(id);
      if (run === undefined) {
        const running = agents.running();
        return errorResult(
          visible(
            `There is no task ${id}; ${
              running.length === 0 ? "none is running" : `running: ${running.join(", ")}`
            }`,
          ),
        );
      }
      if (cancel) run.cancel();
      if (cancel || wait) await Promise.race([run.done, aborted(signal)]);
      if (run.report !== undefined) return toResult(run.report, limits.outputBytes);
      const news = run.news();
      const text = news.length === 0 ? "nothing new" : news.join("\n");
      return textResult(limitOutput(visible(`${id} is still running:\n${text}`), limits.outputBytes).text);
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

const ENDS: Readonly<Record<AgentReport["ended"], string>> = {
  stop: "",
  max_steps: "stopped at its limit of steps",
  budget: "stopped: the budget is used up",
  aborted: "stopped before its end",
  denied: "stopped: a permission was denied",
  error: "failed",
};

function toResult({ ended, text, problem, steps, toolCalls }: AgentReport, maxBytes: number): ToolResult {
  const about = `${steps} step${steps === 1 ? "" : "s"}, ${toolCalls} call${toolCalls === 1 ? "" : "s"}`;
  const how = ended === "stop"
    ? ""
    : `[${ENDS[ended]}${problem === undefined ? "" : `: ${problem}`}; ${about}]`;
  const said = text.trim() === "" ? ended === "stop" ? "(it ended without an answer)" : "" : text.trim();
  const whole = [said, how].filter((part) => part !== "").join("\n\n");
  const shown = limitOutput(visible(whole), maxBytes).text;
  const view = { type: "text", title: about, text: shown } as const;
  return ended === "stop" ? textResult(shown, { view }) : errorResult(shown, { view });
}
