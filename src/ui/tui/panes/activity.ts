/** The line above the editor while a run works: what is going on, how long, how much. Draws nothing while idle. */
import type { EngineEvent } from "../../../engine/event.ts";
import { counted } from "../../../lib/text/count.ts";
import { fitCells } from "../../../lib/text/width.ts";
import { callTitle } from "../../shared/tool_view.ts";
import type { Theme } from "../theme.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** Often enough to be seen to move, seldom enough to cost nothing over a slow line. */
const FRAME_MS = 160;

export interface Activity {
  readonly running: boolean;
  readonly spin: string;
  /** Tokens of the last request as the server counted them, its answer included; before the first one what `holds` was told. */
  readonly contextTokens: number | undefined;
  /** Of all runs of this conversation, as far as it is known. */
  readonly costUsd: number | undefined;
  watch(event: EngineEvent): void;
  /** What the conversation is thought to take, as long as no server has counted it. */
  holds(tokens: number): void;
  line(width: number, hint: string, theme: Theme): string;
  stop(): void;
  /** Forgets costs and sizes: another conversation has begun. */
  reset(): void;
}

/** `changed` asks for a frame. `now` in milliseconds. */
export function createActivity(changed: () => void, now: () => number): Activity {
  let running = false;
  let what = "";
  let since = 0;
  let until: number | undefined;
  let output = 0;
  let settled = 0;
  let pieces = 0;
  let contextTokens: number | undefined;
  let costBefore = 0;
  let costRun: number | undefined;
  let costKnown = false;
  let timer: ReturnType<typeof setInterval> | undefined;
  const calls = new Map<string, string>();
  const tick = () => {
    timer ??= setInterval(changed, FRAME_MS);
  };
  const stop = () => {
    if (timer !== undefined) clearInterval(timer);
    timer = undefined;
  };
  const show = (text: string) => {
    what = text;
    until = undefined;
  };

  return {
    get running() {
      return running;
    },
    get spin() {
      return FRAMES[Math.floor(now() / FRAME_MS) % FRAMES.length];
    },
    get contextTokens() {
      return contextTokens;
    },
    get costUsd() {
      return costKnown ? costBefore + (costRun ?? 0) : undefined;
    },
    watch(event) {
      switch (event.type) {
        case "run_start":
          running = true;
          since = now();
          output = settled = pieces = 0;
          costBefore += costRun ?? 0;
          costRun = undefined;
          show("starting");
          tick();
          break;
        case "step_start":
          pieces = 0;
          show("waiting for the model");
          break;
        case "thinking_delta":
          pieces += event.text.length;
          show("thinking");
          break;
        case "text_delta":
          pieces += event.text.length;
          show("writing");
          break;
        case "tool_start":
          calls.set(event.callId, `${event.name} ${callTitle(event.args, 60)}`.trim());
          show([...calls.values()].at(-1)!);
          break;
        case "tool_end":
          calls.delete(event.callId);
          show([...calls.values()].at(-1) ?? "working");
          break;
        case "permission_request":
        case "question":
          show("waiting for you");
          break;
        case "retry":
          show("trying again");
          until = now() + event.delayMs;
          break;
        case "compaction_start":
          show("summarising the conversation");
          break;
        case "usage":
          if (event.usage !== undefined) {
            settled += event.usage.output;
            pieces = 0;
            const { input, cacheRead, cacheWrite } = event.usage;
            contextTokens = input + cacheRead + cacheWrite + event.usage.output;
          }
          if (event.costUsd !== undefined) {
            costRun = event.costUsd;
            costKnown = true;
          }
          break;
        case "compaction":
          contextTokens = event.tokensAfter;
          break;
        case "run_end":
          running = false;
          calls.clear();
          output = 0;
          stop();
          break;
      }
    },
    line(width, hint, theme) {
      const seconds = until === undefined ? (now() - since) / 1000 : Math.max(0, until - now()) / 1000;
      output = settled + Math.round(pieces / 4);
      const time = seconds < 60
        ? `${seconds.toFixed(0)} s`
        : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
      const facts = [
        until === undefined ? time : `in ${time}`,
        output === 0 ? "" : counted(output, "token"),
        costRun === undefined ? "" : `$${costRun.toFixed(3)}`,
        hint,
      ].filter((part) => part !== "");
      while (facts.length > 1 && facts.join(" · ").length > width - 14) facts.pop();
      const tail = ` · ${facts.join(" · ")}`;
      return `${theme.paint("accent", this.spin)} ${fitCells(what, Math.max(4, width - tail.length - 2))}${
        theme.paint("muted", tail)
      }`;
    },
    stop,
    holds(tokens) {
      contextTokens ??= tokens;
    },
    reset() {
      contextTokens = undefined;
      costBefore = 0;
      costRun = undefined;
      costKnown = false;
    },
  };
}
