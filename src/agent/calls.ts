/**
 * The tool calls of one answer: each gets exactly one result, in call order,
 * whatever happens. Neighbouring calls that only read run side by side;
 * everything else runs alone. Nothing here throws but a failed journal.
 */
import { describe } from "../lib/errors.ts";
import type { Message, ToolCall } from "../llm/message.ts";
import type { AgentEvent } from "./event.ts";
import type { Journal } from "./journal.ts";
import { errorResult, type ToolEntry, type ToolResult, type Tools } from "./tool.ts";

/** What the calls of one answer need. `emit` must not throw. */
interface CallsOptions {
  readonly tools: Tools;
  readonly journal: Journal;
  readonly emit: (event: AgentEvent) => void;
  readonly signal: AbortSignal;
  /** Milliseconds, from any start. */
  readonly now: () => number;
  /** The answer ended at the model's output limit: a call that is not whole was cut there. */
  readonly cut?: boolean;
}

interface Prepared {
  readonly call: ToolCall;
  readonly entry: ToolEntry | undefined;
  readonly args: unknown;
  /** Set where the call cannot run: what the model is told. */
  readonly refusal?: string;
}

interface Finished {
  readonly result: ToolResult;
  readonly durationMs: number;
}

/** The calls of an answer, read and put into groups of what may run side by side. */
type Plan = readonly (readonly Prepared[])[];

/** Reads arguments and refuses what cannot run; nothing is started, nothing written. */
export function planCalls(calls: readonly ToolCall[], options: CallsOptions): Plan {
  return groups(calls.map((call) => prepare(call, options)));
}

/** The calls of a group, handed over: they are got ready and wait for `begin`. */
interface Started {
  readonly running: readonly Promise<Finished>[];
  begin(): void;
  /** They never begin. */
  never(error: unknown): void;
}

/** Hands the calls of a group over, so that they are ready by the time that what must be durable before them is. */
export function startCalls(group: Plan[number], options: CallsOptions): Started {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => {/* who waits for it knows */});
  return {
    running: group.map((prepared) => execute(prepared, options, promise)),
    begin: resolve,
    never: reject,
  };
}

/** Writes down that the calls of a group are about to have their effect. */
export async function writeIntents(group: Plan[number], { journal, signal }: CallsOptions): Promise<void> {
  if (signal.aborted) return;
  await Promise.all(
    group.map(({ call, entry, refusal }) =>
      refusal === undefined && entry !== undefined ? journal.intent(call, entry.replay) : undefined
    ),
  );
}

/**
 * Runs the calls and writes their results; answers with the messages that the
 * model gets, and the results themselves. The calls of the first group are
 * started already, and their intents written.
 */
export async function runCalls(
  plan: Plan,
  first: Started,
  options: CallsOptions,
): Promise<{ messages: Message[]; results: ToolResult[] }> {
  const messages: Message[] = [];
  const results: ToolResult[] = [];
  for (const [n, group] of plan.entries()) {
    const { running, begin } = n === 0 ? first : await startWritten(group, options);
    for (const { call, args } of group) {
      options.emit({ type: "tool_start", callId: call.id, name: call.name, args });
    }
    begin();
    for (let i = 0; i < group.length; i++) {
      const { call } = group[i];
      const { result, durationMs } = await running[i];
      await options.journal.result(call, result, durationMs);
      options.emit({ type: "tool_end", callId: call.id, name: call.name, result, durationMs });
      results.push(result);
      messages.push({
        role: "tool_result",
        callId: call.id,
        name: call.name,
        parts: result.parts,
        isError: result.isError,
      });
    }
  }
  return { messages, results };
}

async function startWritten(group: Plan[number], options: CallsOptions): Promise<Started> {
  const intents = writeIntents(group, options);
  const started = startCalls(group, options);
  try {
    await intents;
  } catch (error) {
    started.never(error);
    throw error;
  }
  return started;
}

/** Reads the arguments and looks the tool up. */
function prepare(call: ToolCall, { tools, cut }: CallsOptions): Prepared {
  const entry = tools.entries.find((tool) => tool.name === call.name);
  const read = readArguments(call, cut === true);
  const prepared = { call, entry, args: read.args, refusal: read.problem };
  if (entry !== undefined) return prepared;
  const names = tools.entries.map((tool) => tool.name).join(", ");
  return {
    ...prepared,
    refusal: `There is no tool named "${call.name}". ${
      names === "" ? "There are none in this run." : `Tools: ${names}.`
    }${call.broken ? ` ${read.problem}` : ""}`,
  };
}

function readArguments(call: ToolCall, cut: boolean): { readonly args?: unknown; readonly problem?: string } {
  if (call.broken) {
    const kind = otherKind(call.arguments);
    return {
      problem: kind !== undefined
        ? `The call to ${call.name} was not run: its arguments must be a JSON object, not ${kind}.`
        : cut
        ? `The call to ${call.name} was not run: your answer was cut at the output limit, in the middle of ` +
          "the call's arguments. Do it in smaller parts, with less in each call."
        : `The call to ${call.name} was not run: its arguments arrived incomplete or are not JSON. ` +
          "Send the call again with complete arguments, in smaller parts if they are long.",
    };
  }
  try {
    const args: unknown = JSON.parse(call.arguments);
    if (typeof args === "object" && args !== null && !Array.isArray(args)) return { args };
    return { problem: `The arguments of ${call.name} must be a JSON object, not ${kindOf(args)}.` };
  } catch (error) {
    return { problem: `The arguments of ${call.name} are not JSON: ${describe(error)}.` };
  }
}

/** What a JSON text is that is no object; undefined for everything else. */
function otherKind(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? undefined : kindOf(value);
  } catch {
    return undefined; // no JSON at all
  }
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

/** Splits into runs of calls that may go side by side, keeping the order. */
function groups(calls: readonly Prepared[]): Prepared[][] {
  const out: Prepared[][] = [];
  let readers: Prepared[] | undefined;
  for (const prepared of calls) {
    const reads = prepared.refusal === undefined && prepared.entry?.effects === "read";
    if (!reads) {
      out.push([prepared]);
      readers = undefined;
    } else if (readers === undefined) {
      readers = [prepared];
      out.push(readers);
    } else readers.push(prepared);
  }
  return out;
}

/** Never rejects. */
async function execute(
  prepared: Prepared,
  options: CallsOptions,
  begin: Promise<void>,
): Promise<Finished> {
  const { call, args, refusal, entry } = prepared;
  const start = options.now();
  const finish = (result: ToolResult) => ({ result, durationMs: Math.round(options.now() - start) });
  if (refusal !== undefined) return finish(errorResult(refusal));
  try {
    if (entry?.runsIn === "main") await begin;
    if (options.signal.aborted) return finish(errorResult("Not run: the user interrupted."));
    const result = await options.tools.run(call.name, args, {
      callId: call.id,
      signal: options.signal,
      begin,
      output: (text) => options.emit({ type: "tool_output", callId: call.id, text }),
    });
    return finish(result);
  } catch (error) {
    if (options.signal.aborted) {
      return finish(errorResult("Interrupted by the user; it may have had some effect."));
    }
    return finish(errorResult(`${call.name} failed: ${describe(error)}`));
  }
}
