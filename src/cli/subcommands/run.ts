/** `myelin run`: one headless run to its end. */
import { loadConfig, namedModel, type Resolved, resolveModel, startNotices } from "../../config/mod.ts";
import { commandNames } from "../../commands/names.ts";
import { createEngine, type Engine, type SessionChoice } from "../../engine/create.ts";
import type { PromptPart } from "../../engine/op.ts";
import type { RunResult } from "../../engine/event.ts";
import { describe, describeBriefly } from "../../lib/errors.ts";
import { stripControls } from "../../lib/text/control.ts";
import { createReporter, type Output, runHeadless } from "../../ui/mod.ts";
import { helpText, UsageError } from "../args.ts";
import { workspaceOf } from "../workspace.ts";
import { EXIT, exitCode } from "../exit_codes.ts";
import { failureHint, failureStatus } from "../failure.ts";
import { openOutput } from "../output.ts";
import { formatOf, readRunOptions, RUN, type RunOptions } from "../run_options.ts";
import { watchSignals } from "../signals.ts";
import { WORKER_URL } from "../worker_url.ts";

/** Resolves to the exit status. */
export async function run(args: string[]): Promise<number> {
  const gone = new AbortController();
  let lost: string | undefined;
  const stdout = openOutput(Deno.stdout, (failure) => {
    lost = failure;
    gone.abort();
  });
  const stderr = openOutput(Deno.stderr, () => {});
  let options: RunOptions | undefined;
  try {
    options = readRunOptions(args);
    if (options === undefined) {
      stdout.write(helpText(RUN));
      await stdout.flush();
      return 0;
    }
    const status = await start(options, stdout, stderr, gone.signal);
    if (!gone.signal.aborted) return status;
    if (lost === undefined) return EXIT.unread;
    stderr.write(`Error: Cannot write to stdout: ${lost}\n`);
    await stderr.flush();
    return EXIT.failed;
  } catch (error) {
    return await report(error, options?.format ?? formatOf(args), stdout, stderr);
  }
}

async function start(
  options: RunOptions,
  stdout: Output,
  stderr: Output,
  gone: AbortSignal,
): Promise<number> {
  const goesOn = options.continue || options.resume !== undefined || options.fork !== undefined;
  const ownProject = options.model === "demo/tour" && options.cwd === undefined;
  const tour = ownProject ? await import("../demo.ts") : undefined;
  const demo = goesOn ? undefined : await tour?.prepareDemo();
  const cwd = workspaceOf(demo?.cwd ?? options.cwd ?? await tour?.lastDemo());
  const parts = await promptOf(options, demo?.prompt, goesOn, stderr);
  if (demo !== undefined && options.level !== "quiet") stderr.write(`The sample project is in ${demo.cwd}\n`);

  const config = await loadConfig({
    cwd,
    overrides: {
      model: options.model,
      "sandbox.mode": options.sandbox,
      "limits.maxSteps": options.maxSteps,
    },
  });
  let model: Resolved;
  try {
    model = resolveModel(config, await namedModel(config, options.model));
  } catch (error) {
    // A name that is misspelt in the settings may be why there is no model.
    for (const notice of startNotices(config)) stderr.write(`! ${stripControls(notice)}\n`);
    throw error;
  }
  const recording = options.record === undefined
    ? undefined
    : (await import("../recording.ts")).openRecording(options.record);
  if (options.approve === "ask") {
    stderr.write("! --approve ask: nobody can answer in this run, so it means never\n");
  }
  const engine = await createEngine({
    config,
    model,
    cwd,
    session: sessionChoice(options),
    ...(options.fork === undefined ? {} : { forkEntry: options.fork }),
    limits: {
      maxSteps: config.settings.limits.maxSteps,
      ...(options.budgetUsd === undefined ? {} : { budgetUsd: options.budgetUsd }),
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    },
    approve: headlessApproval(options, config.settings.permissions.approve),
    ...(options.thinking === undefined ? {} : { thinking: options.thinking }),
    sessionDecides: [
      ...(options.model === undefined ? ["model" as const] : []),
      ...(options.thinking === undefined ? ["thinking" as const] : []),
    ],
    ...(options.tools === undefined ? {} : { tools: options.tools }),
    ...(options.outputSchema === undefined ? {} : { outputSchema: readSchema(options.outputSchema) }),
    environment: Deno.env.toObject(),
    reserved: commandNames,
    workerUrl: WORKER_URL,
    ...(recording === undefined ? {} : { record: recording.write }),
    readRecording: (path) => Deno.readTextFile(path),
  });
  const signals = watchSignals(engine, (text) => {
    if (stderr.terminal) stderr.write(`\r\x1b[K${text}\n`);
  });
  gone.addEventListener("abort", () => void engine.submit({ type: "interrupt", by: "shutdown" }));
  try {
    if (parts.length === 0 && !engine.unfinished) {
      throw new UsageError(
        "There is nothing to go on with: the session's last run has ended",
        'Say what to do next: myelin run -c "…"',
      );
    }
    const [first] = parts;
    const typed = parts.length === 1 && first.type === "text" && first.text.startsWith("/")
      ? await typedCommand(engine, first.text, stdout, stderr, options)
      : undefined;
    const result = typed ?? await runHeadless(
      engine,
      { type: "prompt", requestId: crypto.randomUUID(), parts },
      stdout,
      stderr,
      { format: options.format, level: options.level },
    );
    return signals.status ?? (result === undefined ? 1 : exitCode(result.reason));
  } finally {
    await engine.close();
    recording?.close();
    signals.stop();
  }
}

/** From this many characters on, piped text is handed over as a long file is. */
const LONG_INPUT = 256 * 1024;

/** What the command line, the pipe and the attached files say; nothing only where an earlier run goes on. */
async function promptOf(
  options: RunOptions,
  ofDemo: string | undefined,
  goesOn: boolean,
  stderr: Output,
): Promise<PromptPart[]> {
  const ownPrompt = ofDemo !== undefined && options.prompt === "" && !options.dash;
  const piped = ownPrompt ? undefined : await readInput(options, goesOn, stderr);
  const own = options.prompt || ofDemo || "";
  // A long text beside a prompt is something to read in, as a file that is attached is.
  const long = own.trim() !== "" && piped !== undefined && piped.length > LONG_INPUT;
  const text = [own, long ? "" : piped ?? ""].filter((one) => one.trim() !== "").join("\n\n");
  const parts: PromptPart[] = text === "" ? [] : [{ type: "text", text }];
  if (long || options.attach.length > 0) {
    const { readAttachments, textPart } = await import("../attach.ts");
    if (long) parts.push(textPart("stdin.txt", piped));
    parts.push(...await readAttachments(options.attach));
  }
  if (parts.length > 0 || goesOn) return parts;
  if (options.model === "demo/tour") {
    throw new UsageError(
      "demo/tour brings its own folder and prompt",
      "Leave --cwd out: myelin run -m demo/tour",
    );
  }
  throw new UsageError("There is no prompt", 'Say what to do: myelin run "…", or pipe it in');
}

async function typedCommand(
  engine: Engine,
  text: string,
  stdout: Output,
  stderr: Output,
  options: RunOptions,
): Promise<RunResult | undefined> {
  const { runTypedCommand } = await import("../typed_command.ts");
  const reporter = createReporter(stdout, stderr, { format: options.format, level: options.level });
  try {
    return await runTypedCommand(engine, text, reporter.watch);
  } finally {
    reporter.stop();
    await stdout.flush();
    await stderr.flush();
  }
}

/** What rules leave open is decided by nobody in a run, unless the user said otherwise on the command line. */
function headlessApproval(options: RunOptions, configured: string): "never" | "always" | "auto" {
  const wanted = options.approve ?? configured;
  return wanted === "always" || wanted === "auto" ? wanted : "never";
}

async function readInput(options: RunOptions, goesOn: boolean, stderr: Output): Promise<string | undefined> {
  if (Deno.stdin.isTerminal() && !options.dash) return undefined;
  const { MAX_STDIN_BYTES, readPiped } = await import("../stdin.ts");
  const { text, silent, cut } = await readPiped(options.dash || (options.prompt === "" && !goesOn));
  if (silent && options.level !== "quiet") {
    stderr.write('! Nothing came on stdin, which stayed open; going on without it ("-" waits for it)\n');
  }
  if (cut) stderr.write(`! stdin holds more than ${MAX_STDIN_BYTES >> 20} MiB; the rest is not read\n`);
  return text;
}

function sessionChoice(options: RunOptions): SessionChoice {
  if (options.noSession) return { kind: "none" };
  if (options.resume !== undefined) return { kind: "named", wanted: options.resume };
  return { kind: options.continue ? "newest" : "new" };
}

function readSchema(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch (error) {
    throw new UsageError(`Cannot read the output schema "${path}": ${describeBriefly(error)}`);
  }
  try {
    const schema: unknown = JSON.parse(text);
    if (typeof schema === "object" && schema !== null && !Array.isArray(schema)) {
      return schema as Record<string, unknown>;
    }
  } catch (error) {
    throw new UsageError(`The output schema "${path}" is not JSON: ${describe(error)}`);
  }
  throw new UsageError(`The output schema "${path}" must be a JSON object`);
}

/** A failure before there was an engine: a message for people, and for scripts the last line that they wait for. */
async function report(
  error: unknown,
  format: RunOptions["format"],
  stdout: Output,
  stderr: Output,
): Promise<number> {
  const message = describe(error);
  const result: RunResult = {
    sessionId: null,
    sessionFile: null,
    model: null,
    reason: "error",
    stopReason: null,
    text: "",
    structured: null,
    usage: null,
    costUsd: null,
    steps: 0,
    toolCalls: 0,
    durationMs: 0,
    error: message,
    hint: failureHint(error) ?? null,
  };
  createReporter(stdout, stderr, { format, level: "normal" }).watch({ type: "run_end", result });
  await stdout.flush();
  await stderr.flush();
  return failureStatus(error);
}
