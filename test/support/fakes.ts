/** Small stand-ins for the loop's ports, that remember what happened. */
import type { AgentEvent } from "../../src/agent/event.ts";
import type { Journal } from "../../src/agent/journal.ts";
import {
  type RunsIn,
  textResult,
  type ToolContext,
  type ToolEntry,
  type ToolResult,
  type Tools,
} from "../../src/agent/tool.ts";
import { LlmError } from "../../src/llm/errors.ts";
import type { StreamEvent } from "../../src/llm/event.ts";
import type { AssistantMessage, Message, ToolCall } from "../../src/llm/message.ts";

/** An answer of text and calls; each call is [name, arguments] or a whole ToolCall. */
export function answer(
  text: string,
  calls: readonly ([string, unknown] | ToolCall)[] = [],
): AssistantMessage {
  return {
    role: "assistant",
    parts: [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...calls.map((call, i): ToolCall =>
        "type" in call
          ? call
          : { type: "tool_call", id: `c${i}`, name: call[0], arguments: JSON.stringify(call[1]) }
      ),
    ],
    stopReason: calls.length > 0 ? "tool_calls" : "stop",
    model: "test/model",
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  };
}

export type Step = AssistantMessage | LlmError | ((signal: AbortSignal) => AsyncIterable<StreamEvent>);

/** A model that gives the next step for each request, and remembers the requests. */
export function scripted(steps: readonly Step[], signal: AbortSignal): {
  requests: Message[][];
  stream: (messages: readonly Message[]) => AsyncIterable<StreamEvent>;
} {
  const requests: Message[][] = [];
  let next = 0;
  return {
    requests,
    stream(messages) {
      requests.push([...messages]);
      const step = steps[next++] ?? answer("nothing left in the script");
      if (typeof step === "function") return step(signal);
      return (async function* (): AsyncGenerator<StreamEvent> {
        yield { type: "start" };
        if (step instanceof LlmError) yield { type: "error", error: step };
        else {
          for (const part of step.parts) {
            if (part.type === "text") yield { type: "text_delta", text: part.text };
          }
          yield { type: "done", message: step };
        }
      })();
    },
  };
}

/** A journal in memory; `log` holds one short line for each write, in order. */
export function memoryJournal(fail?: (line: string) => boolean): Journal & { log: string[] } {
  const log: string[] = [];
  const write = (line: string) => {
    if (fail?.(line)) return Promise.reject(new Error(`cannot write ${line}`));
    log.push(line);
    return Promise.resolve();
  };
  return {
    log,
    assistant: (message) => write(`assistant ${message.parts.length}`),
    intent: (call) => write(`intent ${call.name}`),
    result: (call, result) => write(`result ${call.name}${result.isError ? " error" : ""}`),
    note: async (text): Promise<Message> => {
      await write("note");
      return { role: "user", parts: [{ type: "text", text }] };
    },
    sync: () => write("sync"),
  };
}

type Run = (args: Record<string, unknown>, context: ToolContext) => Promise<ToolResult> | ToolResult;

/** Tools made of functions; names that start with "read" only read. */
export function toolsOf(bodies: Readonly<Record<string, Run>>, runsIn: RunsIn = "main"): Tools {
  const entries = Object.keys(bodies).map((name): ToolEntry => ({
    name,
    description: name,
    schema: { type: "object" },
    replay: name.startsWith("read") ? "safe" : "never",
    effects: name.startsWith("read") ? "read" : "write",
    runsIn,
    set: "core",
  }));
  return {
    entries,
    run: async (name, args, context) => await bodies[name](args as Record<string, unknown>, context),
  };
}

export const okTool: Run = () => textResult("ok");

/** Collects events; `types` is their order. */
export function collector(): {
  events: AgentEvent[];
  emit: (event: AgentEvent) => void;
  types: () => string[];
} {
  const events: AgentEvent[] = [];
  return { events, emit: (event) => events.push(event), types: () => events.map((event) => event.type) };
}
