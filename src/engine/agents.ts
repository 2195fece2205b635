/**
 * Sub-agents: loops of their own, with the session's system prompt, a role and
 * a task, over the tools of that role. They keep nothing in the session but
 * what their call returns, and beside it an account of what they say and do,
 * for the case that the program does not come to their end. Their money is the run's: each request of theirs is
 * held against what is left of the run's budget, and what they spent is handed
 * to the run's own account.
 */
import type { AgentEvent } from "../agent/event.ts";
import {
  addSpent,
  type Journal,
  type LoopEnd,
  NOTHING_SPENT,
  runLoop,
  type Spent,
  type ToolContext,
  type Tools,
} from "../agent/mod.ts";
import { type AssistantMessage, type Message, textOf, type ToolCall, toolCalls } from "../llm/message.ts";
import { describe } from "../lib/errors.ts";
import type { AgentReport, AgentRun, Agents, AgentTask } from "../tools/mod.ts";
import type { AgentModel, ModelWish } from "./agent_models.ts";
import { type Role, roleOf } from "./roles.ts";

export interface AgentsOptions {
  /** The session's tools; a role's are chosen from them. `context.session` keeps shells and ledgers apart. */
  readonly tools: Tools;
  roles(): readonly Role[];
  /** The system prompt that the session began with. */
  systemText(): string;
  /** The model for what a role says of it. Rejects with ConfigError where there is none such. */
  model(wish: ModelWish): Promise<AgentModel>;
  /** US dollars that the run may still spend, sub-agents not counted; undefined: no limit. */
  budgetLeft(): number | undefined;
  readonly maxSteps: number;
  notice(text: string): void;
  /** Opens an account for a call's agent; undefined where nothing is kept. */
  keep?(callId: string): Promise<Account | undefined>;
  now(): number;
}

/** Takes what an agent says and does, as it goes. */
export interface Account {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Starts sub-agents and knows what became of them. */
export interface AgentService extends Agents {
  /** What was spent since the last time this was asked; steps are not the run's. */
  takeSpent(): Spent;
  /** Ends all of them. */
  close(): void;
}

/** Lines of news that are kept of one agent. */
const MAX_NEWS = 200;

/** What one agent has spent so far. */
interface Bill {
  spent: Spent;
}

export function createAgents(options: AgentsOptions): AgentService {
  const runs = new Map<string, AgentRun>();
  let next = 1;
  let spent = NOTHING_SPENT;

  /** What the run has left, less what sub-agents have spent and not handed over yet. */
  function left(): number | undefined {
    const budget = options.budgetLeft();
    return budget === undefined ? undefined : budget - (spent.costUsd ?? 0);
  }

  function start(task: AgentTask): AgentRun {
    const role = roleOf(options.roles(), task.role);
    const id = `task${next++}`;
    const abort = new AbortController();
    const news: string[] = [];
    let report: AgentReport | undefined;
    const tell = (line: string) => {
      news.push(line);
      if (news.length > MAX_NEWS) news.shift();
      task.progress(line);
    };
    const run: AgentRun = {
      id,
      news: () => news.splice(0),
      get report() {
        return report;
      },
      cancel: () => abort.abort(),
      done: work(task, role, id, abort, tell).then((ended) => report = ended),
    };
    if (task.signal === undefined) runs.set(id, run);
    return run;
  }

  async function work(
    task: AgentTask,
    role: Role,
    id: string,
    abort: AbortController,
    tell: (line: string) => void,
  ): Promise<AgentReport> {
    const stop = () => abort.abort();
    task.signal?.addEventListener("abort", stop, { once: true });
    if (task.signal?.aborted) stop();
    const entries = options.tools.entries.filter((entry) =>
      // Agents hand nothing on, and ask nobody.
      role.tools.includes(entry.name) && entry.needs === undefined && !entry.delegates
    );
    const done: string[] = [];
    const bill: Bill = { spent: NOTHING_SPENT };
    const account = openAccount(() => options.keep?.(task.callId));
    const messages: Message[] = [
      { role: "system", text: `${options.systemText()}\n<role>\n${role.text}\n</role>` },
      { role: "user", parts: [{ type: "text", text: task.prompt }] },
    ];
    try {
      const model = await options.model(role);
      const end = await runLoop({
        messages,
        tools: {
          entries,
          run: (name, args, context) => options.tools.run(name, args, inSession(context, task.callId, id)),
        },
        journal: { ...nothingKept, assistant: account.say },
        limits: {
          maxSteps: Math.min(role.steps ?? Infinity, options.maxSteps),
          get budgetUsd() {
            const rest = left();
            return rest === undefined ? undefined : (bill.spent.costUsd ?? 0) + rest;
          },
        },
        signal: abort.signal,
        emit: (event) => watch(event, model, bill, id, done, tell),
        stream: (all) => model.stream(all, entries, abort.signal),
        costOf: model.costOf,
        now: options.now,
      });
      return toReport(end, done);
    } catch (error) {
      return {
        ended: "error",
        text: partial("", done),
        problem: describe(error),
        steps: 0,
        toolCalls: done.length,
      };
    } finally {
      task.signal?.removeEventListener("abort", stop);
      await account.close();
    }
  }

  /** Counts what it costs as it goes, and tells what it does. */
  function watch(
    event: AgentEvent,
    model: AgentModel,
    bill: Bill,
    id: string,
    done: string[],
    tell: (line: string) => void,
  ): void {
    switch (event.type) {
      case "usage": {
        const cost = event.usage === undefined ? undefined : model.costOf(event.usage);
        const more = { steps: 0, toolCalls: 0, usage: event.usage, costUsd: cost };
        bill.spent = addSpent(bill.spent, more);
        spent = addSpent(spent, more);
        return;
      }
      case "tool_start": {
        const line = `${event.name} ${titleOf(event.args)}`.trim();
        done.push(line);
        return tell(line);
      }
      case "notice":
        if (event.level === "warning") options.notice(`${id}: ${event.text}`);
    }
  }

  return {
    roles: () => options.roles().map(({ name, about }) => ({ name, about })),
    start,
    find: (id) => runs.get(id),
    running: () => [...runs.values()].filter((run) => run.report === undefined).map((run) => run.id),
    takeSpent() {
      const taken = spent;
      spent = NOTHING_SPENT;
      return taken;
    },
    close() {
      for (const run of runs.values()) run.cancel();
    },
  };
}

/** A context whose shell and ledger are the agent's own, and whose questions belong to the call of the run. */
function inSession(context: ToolContext, callId: string, session: string): ToolContext & { session: string } {
  return { callId, signal: context.signal, output() {}, session };
}

/** An account that begins with the first words; where it cannot be kept, the agent works without. */
function openAccount(keep: () => Promise<Account | undefined> | undefined) {
  let opened: Promise<Account | undefined> | undefined;
  return {
    async say(message: AssistantMessage): Promise<void> {
      const calls = toolCalls(message).map((call) => `● ${call.name} ${call.arguments}\n`);
      const text = textOf(message.parts).trim();
      const bytes = new TextEncoder().encode(`${text === "" ? "" : `${text}\n`}${calls.join("")}`);
      opened ??= keep()?.catch(() => undefined);
      await (await opened)?.write(bytes).catch(() => {/* the disk is full: its answer is what counts */});
    },
    async close(): Promise<void> {
      await (await opened)?.close().catch(() => {});
    },
  };
}

const nothingKept: Journal = {
  assistant: () => Promise.resolve(),
  intent: (_call: ToolCall) => Promise.resolve(),
  result: () => Promise.resolve(),
  note: (text) =>
    Promise.resolve({ role: "user", parts: [{ type: "text", text: `<note>\n${text}\n</note>` }] }),
  sync: () => Promise.resolve(),
};

function counts({ steps, toolCalls }: Spent): { steps: number; toolCalls: number } {
  return { steps, toolCalls };
}

function toReport(end: LoopEnd, done: readonly string[]): AgentReport {
  const text = end.reason === "stop" ? end.text : partial(end.text, done);
  const base = { ended: end.reason, text, ...counts(end.spent) };
  if (end.reason === "error") return { ...base, problem: end.error.message };
  if (end.reason === "denied") return { ...base, problem: end.denied };
  return base;
}

/** What there is of an agent that did not come to its answer. */
function partial(text: string, done: readonly string[]): string {
  const steps = done.slice(-20).map((line) => `- ${line}`).join("\n");
  const list = done.length === 0
    ? ""
    : `It had done:\n${done.length > 20 ? `(${done.length - 20} calls before)\n` : ""}${steps}`;
  return [text.trim(), list].filter((part) => part !== "").join("\n\n");
}

/** What a call is about: its first text argument. */
function titleOf(args: unknown): string {
  if (typeof args !== "object" || args === null) return "";
  const first = Object.values(args).find((value) => typeof value === "string" && value !== "");
  return typeof first === "string" ? first.replace(/\s+/g, " ").slice(0, 120).toWellFormed() : "";
}
