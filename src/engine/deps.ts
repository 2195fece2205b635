/** What the ops work with: everything that the composition root has joined, and what is running now. */
import type { Spent } from "../agent/mod.ts";
import type { Tools } from "../agent/tool.ts";
import type { StreamEvent } from "../llm/event.ts";
import type { Message, Usage } from "../llm/message.ts";
import type { Session, UndoReport, UndoWish } from "../session/mod.ts";
import type { EngineEvent } from "./event.ts";
import type { ModelInUse } from "./model_in_use.ts";
import type { Permits } from "./permits.ts";
import type { PromptContext } from "./prompt_context.ts";
import type { Questions } from "./questions.ts";
import type { Space } from "./space.ts";
import type { EngineState } from "./state.ts";
import type { Checker } from "./structured.ts";

/** Limits of a run, the time that it may take among them. */
export interface RunLimits {
  readonly maxSteps: number;
  readonly budgetUsd?: number;
  readonly timeoutMs?: number;
}

/** The permissions as interfaces show them. */
export interface PermissionsInForce {
  readonly approve: string;
  readonly sandbox: string;
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/** What ops get. */
export interface EngineDeps {
  readonly session: Session;
  /** Whether the session held entries when it was opened. */
  readonly resumed: boolean;
  /** What the user should know at the start of the first run. */
  readonly notices: string[];
  /** The model, which may change between requests. */
  readonly use: Pick<ModelInUse, "model" | "name" | "thinking" | "choose" | "think">;
  readonly tools: Tools;
  readonly limits: RunLimits;
  /** What the model is told beside the conversation. */
  readonly prompts: Pick<PromptContext, "news" | "message" | "skills" | "customCommands">;
  /** Makes room before requests. */
  readonly space: Space;
  /** Holds the final answer against the output schema that was asked for. */
  readonly check?: Checker;
  readonly stream: (messages: readonly Message[], signal: AbortSignal) => AsyncIterable<StreamEvent>;
  readonly costOf: (usage: Usage) => number | undefined;
  /** The least that the next request costs. */
  readonly leastCostOfNext?: (usage: Usage) => number | undefined;
  readonly permits: Permits;
  /** The rules and modes in force, to be shown. */
  readonly permissions: PermissionsInForce;
  readonly questions: Questions;
  /** What sub-agents have spent since this was last asked. */
  readonly alsoSpent: () => Spent;
  /** What asks for a summary of a path that is left; absent: there are none. */
  readonly branchPrompt?: () => Promise<string>;
  /** Puts files back; undefined where there is nothing to. */
  readonly undo: (wish: UndoWish) => Promise<UndoReport | undefined>;
  readonly state: EngineState;
  readonly emit: (event: EngineEvent) => void;
  /** Milliseconds, from any start. */
  readonly now: () => number;
}
