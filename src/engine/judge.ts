/**
 * The automatic judge of `permissions.approve` "auto": one short request to a
 * model, with the user's rules as its brief. What it is asked about was
 * written by another model and is given as data; only an answer of exactly the
 * wanted form counts, and everything else means that it is not sure.
 */
import type { StreamEvent } from "../llm/event.ts";
import { type Message, textOf, type Usage } from "../llm/message.ts";
import type { PermitRequest } from "../sandbox/mod.ts";
import brief from "../../prompts/tasks/permit.md" with { type: "text" };
import type { Judgement } from "./permits.ts";

/** What the judge knows beside the question. */
export interface JudgeFacts {
  readonly rules: {
    readonly allow: readonly string[];
    readonly ask: readonly string[];
    readonly deny: readonly string[];
  };
  readonly sandbox: string;
  readonly workspace: string;
  /** What the user has asked for, oldest first. */
  readonly tasks: readonly string[];
}

export interface JudgeOptions {
  readonly facts: () => JudgeFacts;
  readonly stream: (messages: readonly Message[], signal: AbortSignal) => AsyncIterable<StreamEvent>;
  /** Told what an answer has used. */
  readonly spent?: (usage: Usage) => void;
  /** Milliseconds, after which it counts as not sure. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;
const TASK_CHARS = 2000;

/** Asks the model; never rejects. */
export function createJudge(
  options: JudgeOptions,
): (request: PermitRequest, signal: AbortSignal) => Promise<Judgement> {
  return async (request, signal) => {
    const both = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)]);
    try {
      for await (const event of options.stream(messagesOf(request, options.facts()), both)) {
        if (event.type === "error") {
          return { says: "unsure", why: `it could not be asked: ${event.error.message}` };
        }
        if (event.type !== "done") continue;
        if (event.message.usage !== undefined) options.spent?.(event.message.usage);
        if (event.message.stopReason !== "stop") break;
        return readJudgement(textOf(event.message.parts));
      }
    } catch (error) {
      return { says: "unsure", why: error instanceof Error ? error.message : String(error) };
    }
    return {
      says: "unsure",
      why: both.aborted && !signal.aborted ? "it took too long" : "it gave no answer",
    };
  };
}

function messagesOf(request: PermitRequest, facts: JudgeFacts): Message[] {
  const question = {
    rules: facts.rules,
    sandbox: facts.sandbox,
    workspace: facts.workspace,
    tasks: facts.tasks.slice(-3).map((task) => task.slice(0, TASK_CHARS)),
    action: request.action,
    whyItIsAsked: request.reason,
  };
  return [
    { role: "system", text: brief },
    { role: "user", parts: [{ type: "text", text: JSON.stringify(question, null, 1) }] },
  ];
}

/** The first line is the answer; a reason may follow on it. */
export function readJudgement(text: string): Judgement {
  const [line] = text.trim().split("\n");
  const match = /^(ALLOW|DENY|ASK)\s*(?::\s*(.*))?$/.exec(line.trim());
  const why = (match?.[2] ?? "").trim().slice(0, 300) || "it gave no reason";
  switch (match?.[1]) {
    case "ALLOW":
      return { says: "allow" };
    case "DENY":
      return { says: "deny", why };
    case "ASK":
      return { says: "unsure", why };
    default:
      return { says: "unsure", why: "its answer was not of the wanted form" };
  }
}
