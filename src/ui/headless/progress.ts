/**
 * What a person sees on stderr while a headless run works: on a terminal a
 * spinner with what is going on, a line for each tool call, diffs in colour;
 * elsewhere the same lines without motion.
 */
import type { EngineEvent, RunResult, ToolResult } from "../../engine/event.ts";
import { oneLine, stripControls } from "../../lib/text/control.ts";
import { fitCells, wrapWords } from "../../lib/text/width.ts";
import { textOf } from "../../llm/message.ts";
import type { Output } from "../interface.ts";
import { type Style, styleFor } from "../shared/style.ts";
import { callTitle, failureLines, outcome, viewLines } from "../shared/tool_view.ts";
import { counted, grouped } from "../../lib/text/count.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const DIFF_LINES = 40;

export interface ProgressOptions {
  /** "quiet": problems only. "verbose": also thinking and live output. */
  readonly level: "quiet" | "normal" | "verbose";
  /** Whether answers before the last are shown; the last one is on stdout. */
  readonly texts: boolean;
}

export interface Progress {
  watch(event: EngineEvent): void;
  /** Takes the spinner away until the next event that is no text: the answer is being written where it stood. */
  pause(): void;
  /** Takes the spinner away; nothing is drawn afterwards. */
  stop(): void;
}

/** Draws events on `output`. */
export function createProgress(output: Output, options: ProgressOptions): Progress {
  const style = styleFor(output);
  const quiet = options.level === "quiet";
  const spinner = output.terminal && !quiet ? createSpinner(output, style) : undefined;
  const running = new Map<string, { name: string; title: string }>();
  const width = () => Math.max(20, output.columns - 2);
  const say = (line: string) => {
    spinner?.clear();
    output.write(line + "\n");
    spinner?.draw();
  };

  /** On a terminal broken between words, so that the terminal does not break within them. */
  const prose = (text: string) => {
    const lines = stripControls(text).split("\n");
    return (output.terminal ? lines.flatMap((line) => wrapWords(line, output.columns)) : lines).join("\n");
  };

  const watch = (event: EngineEvent): void => {
    if (event.type !== "text_delta") spinner?.resume();
    switch (event.type) {
      case "step_start":
        spinner?.show("waiting for the model");
        break;
      case "thinking_delta":
        spinner?.show("thinking");
        break;
      case "text_delta":
        if (!spinner?.paused) spinner?.show("writing");
        break;
      case "message_end": {
        const calls = event.message.parts.some((part) => part.type === "tool_call");
        const text = stripControls(textOf(event.message.parts)).trim();
        if (calls && text !== "" && options.texts && !quiet) say(text);
        break;
      }
      case "tool_start": {
        const title = callTitle(event.args, width() - event.name.length - 16);
        running.set(event.callId, { name: event.name, title });
        spinner?.show(`${event.name} ${title}`.trim());
        break;
      }
      case "tool_output":
        if (options.level === "verbose") say(style.dim(stripControls(event.text).trimEnd()));
        break;
      case "tool_end":
        if (!quiet) {
          for (const line of toolLines(event, running.get(event.callId)?.title ?? "", style, width())) {
            say(line);
          }
        }
        running.delete(event.callId);
        break;
      case "permission":
        if (event.decision === "deny" && !quiet) {
          say(style.yellow(`  denied: ${oneLine(event.request, width())}`));
        }
        break;
      case "retry": {
        const seconds = (event.delayMs / 1000).toFixed(1);
        say(
          style.yellow(
            prose(`! ${oneLine(event.cause.message, 400)}; trying again in ${seconds} s (${event.attempt})`),
          ),
        );
        spinner?.show("waiting to try again", event.delayMs);
        break;
      }
      case "notice":
        if (!quiet || event.level === "warning") {
          say(
            event.level === "warning" ? style.yellow(prose(`! ${event.text}`)) : style.dim(prose(event.text)),
          );
        }
        break;
      case "compaction_start":
        spinner?.show("summarising the conversation");
        break;
      case "compaction":
        if (!quiet && event.action !== "failed") {
          const what = event.action === "clear" ? "cleared old tool output" : "summarised the older part";
          say(
            style.dim(
              `  ${what}: ~${grouped(event.tokensBefore)} to ~${counted(event.tokensAfter, "token")}`,
            ),
          );
        }
        break;
      case "run_end":
        spinner?.stop();
        if (event.result.error !== null) {
          output.write(style.red(prose(`Error: ${event.result.error}`)) + "\n");
          if (event.result.hint !== null) output.write(`${prose(event.result.hint)}\n`);
        }
        if (!quiet && event.result.steps > 0) output.write(style.dim(prose(summary(event.result))) + "\n");
        break;
      case "run_start":
      case "usage":
      case "permission_request":
        break;
    }
  };
  return { watch, pause: () => spinner?.pause(), stop: () => spinner?.stop() };
}

function toolLines(
  event: { readonly name: string; readonly result: ToolResult; readonly durationMs: number },
  title: string,
  style: Style,
  width: number,
): string[] {
  const { result } = event;
  const mark = result.isError ? style.red("✗") : style.green("●");
  const tail = [outcome(result), event.durationMs >= 1000 ? `${(event.durationMs / 1000).toFixed(1)} s` : ""]
    .filter((part) => part !== "").join(", ");
  const named = [mark, style.bold(event.name), title].filter((part) => part !== "").join(" ");
  const lines = [`${named}${tail === "" ? "" : style.dim(` (${tail})`)}`];
  if (result.isError) lines.push(...failureLines(result, width - 2).map((line) => style.dim(`  ${line}`)));
  return [...lines, ...viewLines(result.view, style, DIFF_LINES).map((line) => `  ${line}`)];
}

/** "3 steps, 5 tool calls, 12,345 tokens in (11,000 cached), 678 out, $0.0123, 4.2 s" */
export function summary(result: RunResult): string {
  const number = (n: number) => grouped(n);
  const parts = [counted(result.steps, "step"), counted(result.toolCalls, "tool call")];
  const { usage } = result;
  if (usage === null) parts.push("tokens unknown");
  else {
    const cached = usage.cacheRead > 0 ? ` (${number(usage.cacheRead)} cached)` : "";
    parts.push(
      `${counted(usage.input + usage.cacheRead + usage.cacheWrite, "token")} in${cached}`,
      `${number(usage.output)} out`,
    );
  }
  parts.push(result.costUsd === null ? "cost unknown" : `$${result.costUsd.toFixed(4)}`);
  parts.push(`${(result.durationMs / 1000).toFixed(1)} s`);
  return parts.join(", ");
}

interface Spinner {
  readonly paused: boolean;
  pause(): void;
  resume(): void;
  show(what: string, untilMs?: number): void;
  clear(): void;
  draw(): void;
  stop(): void;
}

function createSpinner(output: Output, style: Style): Spinner {
  let what = "starting";
  let frame = 0;
  let since = performance.now();
  let until: number | undefined;
  let stopped = false;
  let paused = false;
  const draw = () => {
    if (stopped || paused) return;
    const now = performance.now();
    const seconds = until === undefined ? (now - since) / 1000 : Math.max(0, until - now) / 1000;
    const time = `${seconds.toFixed(0)} s`;
    // One cell is left free: a full line would make some terminals wrap.
    const room = output.columns - time.length - 4;
    output.write(
      room < 4
        ? `\r\x1b[K${style.cyan(FRAMES[frame])}`
        : `\r\x1b[K${style.cyan(FRAMES[frame])} ${fitCells(what, room)} ${style.dim(time)}`,
    );
  };
  const clear = () => {
    if (!stopped && !paused) output.write("\r\x1b[K");
  };
  const timer = setInterval(() => {
    frame = (frame + 1) % FRAMES.length;
    draw();
  }, 120);
  return {
    get paused() {
      return paused;
    },
    pause() {
      clear();
      paused = true;
    },
    resume() {
      paused = false;
    },
    show(next, waitMs) {
      if (next === what && waitMs === undefined) return;
      what = oneLine(next, 400);
      since = performance.now();
      until = waitMs === undefined ? undefined : since + waitMs;
    },
    clear,
    draw,
    stop() {
      if (stopped) return;
      clear();
      stopped = true;
      clearInterval(timer);
    },
  };
}
