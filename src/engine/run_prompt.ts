/**
 * A prompt from submission to the end of its run: closes what was left open,
 * writes the submission down, loops, checks the answer where a schema was
 * asked for, and reports. Nothing is sent before it is durable.
 */
import { addSpent, type LoopEnd, NOTHING_SPENT, runLoop, type Spent } from "../agent/mod.ts";
import type { Message, StopReason } from "../llm/message.ts";
import { AppError, describe } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import type { EngineDeps } from "./deps.ts";
import { endedBefore } from "./ended_before.ts";
import type { RunReason, RunResult } from "./event.ts";
import { sessionJournal } from "./journal.ts";
import { nameContents } from "./local_content.ts";
import type { Op } from "./op.ts";
import { type Queued, queueOf } from "./queue.ts";
import { recover } from "./recovery.ts";
import { setAsideRefused } from "./set_aside.ts";
import type { RunningState } from "./state.ts";

/** How often an answer that does not satisfy the schema is asked for again. */
const SCHEMA_RETRIES = 2;

export async function runPrompt(op: Op & { type: "prompt" }, deps: EngineDeps): Promise<void> {
  const { session, state, emit } = deps;
  if (state.running !== undefined) {
    throw new AppError("busy", "A run is under way in this session", { hint: "Interrupt it first" });
  }
  if (op.parts.length > 0 && session.submission(op.requestId) !== undefined) {
    // It was accepted before. Where its run was cut off, whoever says it again wants that to go on.
    if (session.projection.run !== undefined) return await runPrompt({ ...op, parts: [] }, deps);
    emit({ type: "notice", level: "info", text: "This was submitted before, and is not done twice" });
    return;
  }
  const started = deps.now();
  const unfinished = session.projection.run;
  const goesOn = op.parts.length === 0 && op.note === undefined && unfinished !== undefined;
  const running: RunningState = {
    runId: goesOn ? unfinished.runId : newId(),
    abort: new AbortController(),
    steerable: true,
  };
  state.running = running;
  const timer = deps.limits.timeoutMs === undefined ? undefined : setTimeout(() => {
    running.endedBy ??= "timeout";
    running.abort.abort();
  }, deps.limits.timeoutMs);
  emit({
    type: "run_start",
    sessionId: session.id,
    sessionFile: session.file ?? null,
    model: deps.use.name,
    cwd: session.cwd,
    resumed: deps.resumed,
  });
  for (const text of deps.notices.splice(0)) emit({ type: "notice", level: "warning", text });
  if (!deps.use.model.images && op.parts.some((part) => part.type === "image")) {
    const text =
      `${deps.use.name} takes no images, as far as its settings say ("images": true says otherwise)`;
    emit({ type: "notice", level: "warning", text });
  }
  if (!deps.use.model.documents && op.parts.some((part) => part.type === "document")) {
    const text =
      `${deps.use.name} reads no documents, as far as is known ("documents": true in its settings says otherwise)`;
    emit({ type: "notice", level: "warning", text });
  }
  const outcome: Outcome = {
    spent: NOTHING_SPENT,
    text: "",
    reason: "error",
    stopReason: null,
    error: null,
    hint: null,
    structured: null,
  };
  try {
    await begin(op, deps, running, goesOn);
    await work(deps, running, outcome);
  } catch (error) {
    if (error instanceof AppError && error.code === "parked") running.parked = true;
    if (running.endedBy !== undefined && running.abort.signal.aborted) {
      conclude({ reason: "aborted", spent: outcome.spent, text: outcome.text }, running, outcome, deps);
    } else {
      outcome.reason = "error";
      outcome.error = describe(error);
      outcome.hint = error instanceof AppError ? error.hint ?? null : null;
    }
  } finally {
    clearTimeout(timer);
    state.running = undefined;
  }
  await finish(deps, running, outcome);
  emit({ type: "run_end", result: resultOf(deps, outcome, deps.now() - started) });
}

interface Outcome {
  spent: Spent;
  text: string;
  reason: RunReason;
  stopReason: StopReason | null;
  error: string | null;
  hint: string | null;
  structured: unknown;
}

/** Makes the session ready for the first request. */
async function begin(
  op: Op & { type: "prompt" },
  deps: EngineDeps,
  running: RunningState,
  goesOn: boolean,
): Promise<void> {
  const { session } = deps;
  const open = await recover(deps, running.abort.signal, goesOn);
  if (open !== undefined && !goesOn) {
    await session.append({ kind: "run_end", runId: open.runId, reason: "interrupted" });
  }
  // Where nothing is said, what stands there unanswered is what is asked.
  const speaks = op.parts.length > 0 || op.note !== undefined;
  const unanswered = speaks ? endedBefore(session) : undefined;
  if (unanswered !== undefined) await session.append({ kind: "note", text: unanswered });
  const news = goesOn && session.leaf !== null ? undefined : await deps.prompts.news();
  if (news !== undefined) await session.append(news);
  if (op.parts.length > 0) {
    const parts = nameContents(op.parts, session);
    const message = await deps.prompts.message(parts);
    await session.append({ kind: "submission", requestId: op.requestId, parts, message });
  }
  if (op.note === "prepare") {
    await session.append({ kind: "note", text: (await import("./space_notes.ts")).PREPARE });
  }
  await session.append({ kind: "run_start", runId: running.runId, model: deps.use.name });
}

/** Loops until the end, and again where the answer must satisfy a schema and does not. */
async function work(
  deps: EngineDeps,
  running: RunningState,
  outcome: Outcome,
): Promise<void> {
  const { check } = deps;
  const journal = sessionJournal(deps.session);
  const signal = running.abort.signal;
  // What the loop collects is never read: requests are made of the session's projection, which lets go of
  // what was taken out of the conversation. A long run must not hold all of it a second time.
  const messages: Message[] = [];
  for (let attempt = 0;;) {
    const end = await runLoop({
      messages,
      tools: deps.tools,
      journal,
      limits: {
        maxSteps: deps.limits.maxSteps - outcome.spent.steps,
        ...(deps.limits.budgetUsd === undefined
          ? {}
          : { budgetUsd: deps.limits.budgetUsd - (outcome.spent.costUsd ?? 0) }),
      },
      signal,
      emit: (event) => {
        if (event.type === "message_end") outcome.stopReason = event.message.stopReason;
        deps.emit(event);
      },
      // What the model sees is the session's projection, so that a resumed run sends the same bytes.
      stream: () => {
        messages.length = 0;
        return deps.space.stream((shown) => deps.stream(shown, signal), signal);
      },
      costOf: deps.costOf,
      ...(deps.leastCostOfNext === undefined ? {} : { leastCostOfNext: deps.leastCostOfNext }),
      alsoSpent: deps.alsoSpent,
      takeSteering: () => submit(queueOf(deps.session).filter(({ steer }) => steer), deps),
      now: deps.now,
    });
    outcome.spent = addSpent(outcome.spent, end.spent);
    outcome.text = end.text;
    if (end.reason === "stop" && await more(deps, messages)) continue;
    if (end.reason === "error") {
      const told = await setAsideRefused(deps.session, end.error);
      if (told !== undefined) deps.emit({ type: "notice", level: "warning", text: told });
    }
    if (end.reason !== "stop" || check === undefined) return conclude(end, running, outcome, deps);
    const checked = check(end.text);
    if (checked.ok) {
      outcome.structured = checked.value;
      return conclude(end, running, outcome, deps);
    }
    if (attempt++ >= SCHEMA_RETRIES) {
      outcome.reason = "error";
      outcome.error = `The answer does not satisfy the output schema: ${checked.problem}`;
      return;
    }
    messages.push(
      await journal.note(
        `Your answer must be JSON that satisfies the output schema, and nothing else, but ${checked.problem}. ` +
          "Answer again with the JSON alone.",
      ),
    );
  }
}

/** Whether the user has said more, to the run at its very end or for when it is over; then the messages have it. */
async function more(deps: EngineDeps, messages: Message[]): Promise<boolean> {
  const waiting = queueOf(deps.session);
  const steering = waiting.filter(({ steer }) => steer);
  const said = await submit(steering.length > 0 ? steering : waiting.slice(0, 1), deps);
  messages.push(...said);
  return said.length > 0;
}

/** Makes what waited part of the conversation. */
async function submit(items: readonly Queued[], deps: EngineDeps): Promise<Message[]> {
  const said: Message[] = [];
  for (const { requestId, parts } of items) {
    const message = await deps.prompts.message(parts);
    await deps.session.append({ kind: "submission", requestId, parts, message });
    deps.emit({ type: "queue", items: queueOf(deps.session) });
    deps.emit({ type: "steered", requestId, parts });
    said.push({ role: "user", parts: message });
  }
  return said;
}

/** Turns the loop's end into the run's. */
function conclude(end: LoopEnd, running: RunningState, outcome: Outcome, deps: EngineDeps): void {
  switch (end.reason) {
    case "stop":
      outcome.reason = "stop";
      return;
    case "max_steps":
      outcome.reason = "max_steps";
      outcome.error = `Stopped after ${deps.limits.maxSteps} step${deps.limits.maxSteps === 1 ? "" : "s"}`;
      outcome.hint = "Raise --max-steps, or go on with --continue.";
      return;
    case "budget":
      outcome.reason = "budget";
      outcome.error =
        `Stopped: the budget of $${deps.limits.budgetUsd} is used up, or the next request would pass it`;
      outcome.hint = "Raise --budget, or go on with --continue.";
      return;
    case "denied":
      outcome.reason = "denied";
      outcome.error = `A needed permission was denied: ${end.denied}`;
      outcome.hint =
        "Which rule decides: `myelin sandbox explain`; how one is allowed: `myelin docs sandbox`.";
      return;
    case "aborted":
      // The text may be the beginning of an answer that nobody ended.
      outcome.stopReason = null;
      outcome.reason = running.endedBy === "timeout" ? "timeout" : "cancelled";
      outcome.error = running.endedBy === "timeout"
        ? `Stopped after ${duration(deps.limits.timeoutMs ?? 0)} (--timeout)`
        : "Interrupted";
      outcome.hint = deps.session.file === undefined ? null : "Go on with --continue.";
      return;
    case "error":
      outcome.reason = "error";
      outcome.error = end.error.message;
      outcome.hint = end.error.hint ?? null;
  }
}

/** Writes the end down. After a shutdown the run stays open, to be resumed. */
async function finish({ session }: EngineDeps, running: RunningState, outcome: Outcome): Promise<void> {
  if (running.endedBy === "shutdown" || running.parked) return await session.sync().catch(() => {});
  try {
    await session.append({
      kind: "run_end",
      runId: running.runId,
      reason: outcome.reason,
      ...(outcome.error === null ? {} : { error: outcome.error }),
    });
  } catch (error) {
    // The run has ended either way; a first failure is the one to tell.
    if (outcome.error === null) {
      outcome.reason = "error";
      outcome.error = describe(error);
      outcome.hint = error instanceof AppError ? error.hint ?? null : null;
    }
  }
}

function resultOf(deps: EngineDeps, outcome: Outcome, durationMs: number): RunResult {
  return {
    sessionId: deps.session.id,
    sessionFile: deps.session.file ?? null,
    model: deps.use.name,
    reason: outcome.reason,
    stopReason: outcome.stopReason,
    text: outcome.text,
    structured: outcome.structured,
    usage: outcome.spent.usage ?? null,
    costUsd: outcome.spent.costUsd ?? null,
    steps: outcome.spent.steps,
    toolCalls: outcome.spent.toolCalls,
    durationMs: Math.round(durationMs),
    error: outcome.error,
    hint: outcome.hint,
  };
}

/** "90 s", "250 ms". */
function duration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}
