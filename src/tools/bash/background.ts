/** `bash_output` and `kill_shell`: news of a background shell, and its end. */
import { errorResult, textResult, type ToolBody } from "../../agent/tool.ts";
import type { SessionShell } from "../../sandbox/mod.ts";
import type { SheathDeps } from "../tool.ts";
import plain from "./args.json" with { type: "json" };
import { readArgs } from "../shared/arguments.ts";
import { createCommandOutput } from "../shared/command_output.ts";
import { visible } from "../../lib/text/visible.ts";
import { grouped } from "../../lib/text/count.ts";

type BackgroundDeps = Pick<SheathDeps, "shell" | "limits" | "artifacts">;

/** `bash_output`: each byte is told once, so a call is never repeated after a crash. */
export function createOutput(deps: BackgroundDeps): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(plain.byId, () => import("./args.ts").then(({ byId }) => byId), given);
      if (!args.ok) return errorResult(args.error);
      const shell = await deps.shell();
      const news = shell.news(args.value.id);
      if (!news) return errorResult(unknown(args.value.id, shell));
      const output = createCommandOutput({
        maxBytes: deps.limits.outputBytes,
        createArtifact: () => deps.artifacts.create(),
        live: () => {},
      });
      await output.write(news.bytes);
      const text = await output.end();
      const state = news.running
        ? "still running"
        : news.status === undefined
        ? "ended"
        : `ended with status ${news.status}`;
      const lost = news.lost > 0
        ? `[${grouped(news.lost)} bytes before are not shown any more: see its whole output]\n`
        : "";
      return textResult(
        `${lost}${text}${text === "" || text.endsWith("\n") ? "" : "\n"}[${args.value.id}: ${state}]`,
      );
    },
  };
}

/** `kill_shell`: the result is there when the shell and its programs are gone. */
export function createKill(deps: BackgroundDeps): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(plain.byId, () => import("./args.ts").then(({ byId }) => byId), given);
      if (!args.ok) return errorResult(args.error);
      const shell = await deps.shell();
      if (!await shell.kill(args.value.id)) return errorResult(unknown(args.value.id, shell));
      return textResult(`${args.value.id} has ended.`);
    },
  };
}

function unknown(id: string, shell: SessionShell): string {
  const running = shell.running();
  return `There is no background shell ${visible(id)}; ${
    running.length === 0 ? "none is running" : `running: ${running.join(", ")}`
  }.`;
}
