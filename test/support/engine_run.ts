/** An engine's ops on a session, with a scripted model and tools made of functions: no network, no worker. */
import { NOTHING_SPENT } from "../../src/agent/budget.ts";
import type { Tools } from "../../src/agent/tool.ts";
import type { EngineDeps, RunLimits } from "../../src/engine/deps.ts";
import type { EngineEvent, RunResult } from "../../src/engine/event.ts";
import { ops } from "../../src/engine/ops/mod.ts";
import type { Space } from "../../src/engine/space.ts";
import { createQuestions } from "../../src/engine/questions.ts";
import { messageOf } from "../../src/engine/prompt_parts.ts";
import { createPermits } from "../../src/engine/permits.ts";
import type { Message } from "../../src/llm/message.ts";
import type { Model } from "../../src/llm/model.ts";
import { createMemorySession, type Session } from "../../src/session/mod.ts";
import { okTool, scripted, type Step, toolsOf } from "./fakes.ts";

export interface EngineSetup {
  readonly steps: readonly Step[];
  readonly session?: Session;
  readonly tools?: Tools;
  readonly limits?: RunLimits;
  readonly check?: EngineDeps["check"];
}

export interface EngineRun {
  readonly deps: EngineDeps;
  readonly session: Session;
  readonly events: EngineEvent[];
  readonly requests: Message[][];
  /** Submits and answers with the run's result. */
  prompt(text: string): Promise<RunResult>;
  interrupt(by: "user" | "shutdown" | "timeout"): Promise<void>;
}

const TEST_MODEL: Model = { provider: "test", id: "model", reasoning: false, images: false, options: {} };

/** No test of a run is about room. */
const NO_SPACE: Omit<Space, "stream"> = {
  compact: () => Promise.resolve({ type: "nothing", older: 0 }),
  shake: () => Promise.resolve(0),
  measure: () => Promise.reject(new Error("nothing is measured")),
  instructions: () => Promise.resolve([]),
  takeSpent: () => NOTHING_SPENT,
};

export function engineRun(setup: EngineSetup): EngineRun {
  const session = setup.session ?? createMemorySession({ cwd: "/ws" });
  const events: EngineEvent[] = [];
  const emit = (event: EngineEvent) => void events.push(event);
  const requests: Message[][] = [];
  let next = 0;
  const deps: EngineDeps = {
    session,
    resumed: session.leaf !== null,
    notices: [],
    use: {
      model: TEST_MODEL,
      name: "test/model",
      thinking: undefined,
      choose: () => Promise.resolve([]),
      think: () => {},
    },
    tools: setup.tools ?? toolsOf({ read: okTool, write: okTool }),
    limits: setup.limits ?? { maxSteps: 50 },
    prompts: {
      skills: () => Promise.resolve([]),
      customCommands: () => Promise.resolve([]),
      message: (parts) => Promise.resolve(messageOf(parts)),
      news: () =>
        Promise.resolve(session.leaf === null ? { kind: "system", text: "You are a test." } : undefined),
    },
    space: { ...NO_SPACE, stream: (send) => send(session.projection.messages) },
    ...(setup.check === undefined ? {} : { check: setup.check }),
    stream(messages, signal) {
      requests.push([...messages]);
      return scripted(setup.steps.slice(next++), signal).stream(messages);
    },
    costOf: () => undefined,
    permits: createPermits(emit),
    permissions: { approve: "never", sandbox: "workspace", allow: [], ask: [], deny: [] },
    questions: createQuestions(emit),
    alsoSpent: () => NOTHING_SPENT,
    undo: () => Promise.resolve(undefined),
    state: {},
    emit,
    now: () => performance.now(),
  };
  return {
    deps,
    session,
    events,
    requests,
    async prompt(text) {
      const parts = text === "" ? [] : [{ type: "text" as const, text }];
      await ops.prompt({ type: "prompt", requestId: crypto.randomUUID(), parts }, deps);
      const end = events.findLast((event) => event.type === "run_end");
      if (end?.type !== "run_end") throw new Error("no run_end");
      return end.result;
    },
    interrupt: (by) => ops.interrupt({ type: "interrupt", by }, deps),
  };
}
