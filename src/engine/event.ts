/**
 * What the engine tells its watchers: the loop's events, and the frame of a
 * run around them. Names are the same in the stream of JSON lines that
 * scripts read (docs/headless.md).
 */
import type { AgentEvent } from "../agent/event.ts";
import type { ToolResult, View } from "../agent/tool.ts";
import type { StopReason, Usage } from "../llm/message.ts";
import type { PromptPart } from "../session/entry.ts";

/** Why a run ended. */
export type RunReason = "stop" | "max_steps" | "budget" | "timeout" | "cancelled" | "denied" | "error";

/** How a run ended. */
export interface RunResult {
  readonly sessionId: string | null;
  /** Absolute path; null where nothing is kept. */
  readonly sessionFile: string | null;
  /** "provider/id" */
  readonly model: string | null;
  readonly reason: RunReason;
  /** Why the model ended its last answer: "length" and "filter" say that it was cut. Null: no answer was finished, or the run was interrupted. */
  readonly stopReason: StopReason | null;
  /** The visible text of the last answer. */
  readonly text: string;
  /** The answer as data, where a schema was asked for and satisfied. */
  readonly structured: unknown;
  /** Null: no answer said what it used. */
  readonly usage: Usage | null;
  /** Null: unknown. */
  readonly costUsd: number | null;
  readonly steps: number;
  readonly toolCalls: number;
  readonly durationMs: number;
  /** One line for a person; null where all went well. */
  readonly error: string | null;
  /** What can be done about it. */
  readonly hint: string | null;
}

/** What happened: all that an interface is told. */
export type EngineEvent =
  | AgentEvent
  | {
    readonly type: "run_start";
    readonly sessionId: string;
    readonly sessionFile: string | null;
    readonly model: string;
    readonly cwd: string;
    /** Whether the session held messages before. */
    readonly resumed: boolean;
  }
  /** Somebody must decide; answered by the op `approve`. */
  | {
    readonly type: "permission_request";
    readonly permitId: string;
    readonly callId: string;
    readonly request: string;
    /** Why the rules do not decide it. */
    readonly reason: string;
    /** The narrow rule that an answer for longer than once means and that is kept for the project; null: none says just this. */
    readonly rule: string | null;
  }
  /** It was decided. */
  | {
    readonly type: "permission";
    readonly callId: string;
    readonly request: string;
    readonly decision: "allow" | "deny";
    /** The rule, or who decided. */
    readonly by: string;
    /** Where the answer holds for longer than once: how long, and as which rule. */
    readonly scope?: "session" | "project";
    readonly rule?: string | null;
  }
  /** The model asks; answered by the op `answer`. */
  | {
    readonly type: "question";
    readonly questionId: string;
    readonly callId: string;
    readonly text: string;
    readonly options: readonly string[];
    /** More than one option may be chosen. */
    readonly multiple: boolean;
  }
  /** It was answered, or nobody will any more. */
  | { readonly type: "question_closed"; readonly questionId: string; readonly answered: boolean }
  /** The path ends at `to` now. */
  | {
    readonly type: "navigated";
    readonly to: string | null;
    /** What the user had said there, to edit and submit again. */
    readonly editable: readonly PromptPart[] | null;
    /** Of what was left, where there is one. */
    readonly summary: string | null;
  }
  /** A model or a depth of thinking was chosen for the requests from here on. */
  | { readonly type: "model_changed"; readonly model: string; readonly thinking: string | null }
  /** What was said to the run that works is part of the conversation from here on. */
  | { readonly type: "steered"; readonly requestId: string; readonly parts: readonly PromptPart[] }
  /** What waits for the run's next request (`steer`) or for its end, in order. */
  | {
    readonly type: "queue";
    readonly items: readonly {
      readonly requestId: string;
      readonly parts: readonly PromptPart[];
      readonly steer?: true;
    }[];
  }
  /** The session has a title. */
  | { readonly type: "titled"; readonly title: string }
  /** Files were put back (`undo`) or changed again (`redo`). */
  | {
    readonly type: "files_restored";
    readonly direction: "undo" | "redo";
    readonly restored: readonly string[];
    /** Somebody else has changed them since: left alone. */
    readonly conflicts: readonly string[];
    readonly failed: readonly { readonly path: string; readonly why: string }[];
  }
  /** A summary of the older part is being asked for. */
  | { readonly type: "compaction_start"; readonly automatic: boolean; readonly tokens: number }
  /** What the model sees was shortened; "failed": it stays as it was. Tokens of a request, before and after. */
  | {
    readonly type: "compaction";
    readonly action: "clear" | "summarise" | "failed";
    readonly tokensBefore: number;
    readonly tokensAfter: number;
  }
  | { readonly type: "run_end"; readonly result: RunResult };

export type { AgentEvent, ToolResult, View };
