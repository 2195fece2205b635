/**
 * The entries of a session: one JSON object a line, appended and never
 * changed. See docs/session_format.md for the rules of reading and writing.
 */
import type { AssistantMessage, ContentPart, Message, Usage } from "../llm/message.ts";

/** The version that this program writes. */
export const FORMAT_VERSION = 1;

/** The first line of every file. */
export interface HeaderEntry {
  readonly kind: "session";
  readonly version: number;
  readonly id: string;
  /** Absolute path of the workspace. */
  readonly cwd: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The session and entry that this one was forked from. */
  readonly forkedFrom?: { readonly session: string; readonly entry: string };
}

/** A piece of what the user submitted, kept so that interfaces can draw it again. */
export type PromptPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "image"; readonly mediaType: string; readonly data: string; readonly name?: string };

/** What an entry says, without its place in the tree. */
export type Payload =
  /** The system prompt (first one of the session, or changed sections later on). */
  | { readonly kind: "system"; readonly text: string }
  /** What the user said; `message` is what the model sees of it. */
  | {
    readonly kind: "submission";
    readonly requestId: string;
    readonly parts: readonly PromptPart[];
    readonly message: readonly ContentPart[];
  }
  | { readonly kind: "run_start"; readonly runId: string; readonly model: string }
  | { readonly kind: "run_end"; readonly runId: string; readonly reason: string; readonly error?: string }
  /** A finished answer, durable before the first of its tools starts. */
  | { readonly kind: "assistant"; readonly message: AssistantMessage; readonly costUsd?: number }
  /** Written before a call has its effect. */
  | {
    readonly kind: "intent";
    readonly callId: string;
    readonly name: string;
    readonly replay: "safe" | "never";
  }
  /** Written after; exactly one for each call. */
  | {
    readonly kind: "result";
    readonly callId: string;
    readonly name: string;
    readonly parts: readonly ContentPart[];
    readonly isError: boolean;
    /** Data for interfaces (agent/tool.ts: View), opaque here. */
    readonly view?: unknown;
    readonly durationMs?: number;
  }
  /** A message of the program to the model, such as a cut tool call or a limit. */
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "title"; readonly title: string }
  | { readonly kind: "usage"; readonly usage: Usage; readonly purpose: string };

/** An entry in the tree. */
export type Entry = Payload & {
  /** UUID version 7. */
  readonly id: string;
  /** The entry before it on its path; null for the first. */
  readonly parentId: string | null;
  readonly at: string;
};

/** A kind that this version does not know: kept, passed over by the projection. */
export interface UnknownEntry {
  readonly kind: string;
  readonly id: string;
  readonly parentId: string | null;
}

/** What a model sees of a path: see project.ts. */
export type Projected = readonly Message[];
