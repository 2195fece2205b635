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
  const progress = createProgress(stderr, { level: options.level, texts: options.format === "text" });
  const toObject = options.format === "stream-json" ? lineMapper() : undefined;
  return {
    watch(event) {
      progress.watch(event);
      if (toObject !== undefined) {
        const object = toObject(event);
        if (object !== undefined) stdout.write(toLine(object));
      } else if (event.type === "run_end") {
        if (options.format === "json") stdout.write(toLine(runObject(event.result)));
        else writeAnswer(event.result, stdout);
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
