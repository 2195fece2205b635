/** One run without a person at the keyboard: the answer or JSON on stdout, everything else on stderr. */
import type { EngineEvent, RunResult } from "../../engine/event.ts";
import type { Op } from "../../engine/op.ts";
import { stripControls } from "../../lib/text/control.ts";
import type { EnginePort, Output } from "../interface.ts";
import { lineMapper, runObject, toLine } from "./json.ts";
import { createProgress } from "./progress.ts";

export type OutputFormat = "text" | "json" | "stream-json";

export interface HeadlessOptions {
  readonly format: OutputFormat;
  readonly level: "quiet" | "normal" | "verbose";
}

/** Writes one kind of output for a stream of events. */
export interface Reporter {
  watch(event: EngineEvent): void;
  stop(): void;
}

/** Reports events in the wanted format. */
export function createReporter(stdout: Output, stderr: Output, options: HeadlessOptions): Reporter {
  // On a terminal the answer is shown as it comes; elsewhere only what turned out to be the answer is written.
  const live = options.format === "text" && stdout.terminal ? createLiveText(stdout) : undefined;
  const progress = createProgress(stderr, {
    level: options.level,
    texts: options.format === "text" && live === undefined,
  });
  const toObject = options.format === "stream-json" ? lineMapper() : undefined;
  return {
    watch(event) {
      if (live?.before(event)) progress.pause();
      progress.watch(event);
      live?.after(event);
      if (toObject !== undefined) {
        const object = toObject(event);
        if (object !== undefined) stdout.write(toLine(object));
      } else if (event.type === "run_end") {
        if (options.format === "json") stdout.write(toLine(runObject(event.result)));
        else if (live === undefined) writeAnswer(event.result, stdout);
      }
    },
    stop: () => progress.stop(),
  };
}

/** Submits the prompt and resolves with how the run ended, when all is written. */
export async function runHeadless(
  engine: EnginePort,
  op: Op & { type: "prompt" },
  stdout: Output,
  stderr: Output,
  options: HeadlessOptions,
): Promise<RunResult | undefined> {
  const reporter = createReporter(stdout, stderr, options);
  let result: RunResult | undefined;
  const unsubscribe = engine.subscribe((event) => {
    if (event.type === "run_end") result = event.result;
    reporter.watch(event);
  });
  try {
    await engine.submit(op);
  } finally {
    unsubscribe();
    reporter.stop();
    await stdout.flush();
    await stderr.flush();
  }
  return result;
}

/** A remark before a run was cut short is no answer; it was shown as it came. */
function writeAnswer(result: RunResult, stdout: Output): void {
  if (result.reason !== "stop" && result.reason !== "denied") return;
  const text = stripControls(result.text).trimEnd();
  if (text !== "") stdout.write(text + "\n");
}

interface LiveText {
  /** True where the event is text that is about to be written. */
  before(event: EngineEvent): boolean;
  after(event: EngineEvent): void;
}

/** Writes text as it comes, and ends its line before anything else is drawn. */
function createLiveText(stdout: Output): LiveText {
  let open = false;
  return {
    before(event) {
      const text = event.type === "text_delta";
      if (!text && open) {
        stdout.write("\n");
        open = false;
      }
      return text;
    },
    after(event) {
      if (event.type !== "text_delta" || event.text === "") return;
      const text = stripControls(event.text);
      stdout.write(text);
      open = open ? !text.endsWith("\n") : text !== "" && !text.endsWith("\n");
    },
  };
}
