/** A built-in command that was given to `run` in place of a prompt: it runs, and what it says is the answer. */
import { commands, parseCommand } from "../commands/mod.ts";
import type { Engine } from "../engine/create.ts";
import type { EngineEvent, RunResult } from "../engine/event.ts";
import { AppError, describe } from "../lib/errors.ts";
import { UsageError } from "./args.ts";

/** Undefined where the text is no command but something to say to the model. */
export async function runTypedCommand(
  engine: Engine,
  text: string,
  emit: (event: EngineEvent) => void,
): Promise<RunResult | undefined> {
  const parsed = parseCommand(text, commands);
  if (parsed === undefined) return undefined;
  if (parsed.type === "wrong") throw new UsageError(parsed.problem);
  const started = performance.now();
  const said: string[] = [];
  const failed: { error?: string; hint?: string } = {};
  // A command that leads to a run ends with that run's own report.
  const ended: { result?: RunResult } = {};
  const unsubscribe = engine.subscribe((event) => {
    if (event.type === "run_end") ended.result = event.result;
    else if (event.type === "notice" && event.level === "info") said.push(event.text);
    else emit(event);
  });
  try {
    await parsed.command.run(parsed.args, {
      submit: (op) => engine.submit(op),
      snapshot: () => engine.snapshot(),
      tree: () => engine.tree(),
      say: (text) => void said.push(text),
      host: {},
      commands,
    });
  } catch (error) {
    failed.error = describe(error);
    if (error instanceof AppError && error.hint !== undefined) failed.hint = error.hint;
  } finally {
    unsubscribe();
  }
  const { session, model } = await engine.snapshot();
  const result = ended.result ?? {
    sessionId: session.id,
    sessionFile: session.file,
    model,
    reason: failed.error === undefined ? "stop" as const : "error" as const,
    stopReason: null,
    text: said.join("\n"),
    structured: null,
    usage: null,
    costUsd: null,
    steps: 0,
    toolCalls: 0,
    durationMs: Math.round(performance.now() - started),
    error: failed.error ?? null,
    hint: failed.hint ?? null,
  };
  emit({ type: "run_end", result });
  return result;
}
