/**
 * The entries of a session: one JSON object a line, appended and never
 * changed. See docs/session_format.md for the rules of reading and writing.
 */
import { isRecord } from "../lib/json.ts";
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
  | { readonly type: "image"; readonly mediaType: string; readonly data: string; readonly name?: string }
  | { readonly type: "document"; readonly mediaType: string; readonly data: string; readonly name?: string }
  /** Handed-over content, which the model reads as `local://NAME`; base64. `size`: its bytes. */
  | {
    readonly type: "content";
    readonly name: string;
    readonly data: string;
    readonly mediaType?: string;
    readonly size?: number;
  };

/** New content for what an earlier entry says to the model, or kinds of content left out of it. */
export interface ContextEdit {
  readonly entry: string;
  readonly parts?: readonly ContentPart[];
  readonly drop?: "images" | "thinking";
}

/** What stands at a path: nothing (null), a file by the hash of its content, a link, a folder. */
export type FileState =
  | null
  | { readonly type: "file"; readonly hash: string; readonly size: number; readonly mode: number }
  | { readonly type: "link"; readonly target: string }
  | { readonly type: "folder"; readonly mode: number };

/** Absolute, `/`-separated. */
export interface FileChange {
  readonly path: string;
  readonly before: FileState;
  readonly after: FileState;
  /** Where the path or a link's target holds a secret, there are marks above: this is the content that says it all. */
  readonly whole?: string;
}

export interface LostChange {
  readonly path: string;
  /** Why it cannot be put back, for a person. */
  readonly why: string;
}

/** What an entry says, without its place in the tree. */
export type Payload =
  /** The system prompt (first one of the session, or changed sections later on). */
  | {
    readonly kind: "system";
    readonly text: string;
    /** Which sections it sets: name -> digest, "" for one that no longer holds. */
    readonly sections?: Readonly<Record<string, string>>;
  }
  /** What the user said; `message` is what the model sees of it. */
  | {
    readonly kind: "submission";
    readonly requestId: string;
    readonly parts: readonly PromptPart[];
    readonly message: readonly ContentPart[];
  }
  /** What the user wants said when the run is over: becomes a submission with the same `requestId`, or is taken back. */
  | {
    readonly kind: "queued";
    readonly requestId: string;
    readonly parts: readonly PromptPart[];
    /** Said to the run that works: submitted before its next request, not at its end. */
    readonly steer?: true;
  }
  | { readonly kind: "unqueued"; readonly requestId: string }
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
  /** A name for an entry; an empty one takes it away. */
  | { readonly kind: "label"; readonly target: string; readonly label: string }
  /** The model or the thinking of the runs from here on. */
  | { readonly kind: "model"; readonly model: string }
  | { readonly kind: "thinking"; readonly level: string }
  /** What earlier entries say to the model is replaced; the entries stay as they are. */
  | { readonly kind: "context_edit"; readonly edits: readonly ContextEdit[]; readonly reason?: string }
  /** The model sees `summary` in place of everything before `firstKept` (null: of everything), system prompts excepted. */
  | {
    readonly kind: "compaction";
    readonly summary: string;
    readonly firstKept: string | null;
    readonly tokensBefore?: number;
  }
  /** What was said on a path that was left. `from`: its last entry. */
  | { readonly kind: "branch_summary"; readonly summary: string; readonly from: string }
  /** What calls did to files, so that it can be undone. Written when it was noticed, with the call that ran then. */
  | {
    readonly kind: "changes";
    readonly callId: string | null;
    readonly files: readonly FileChange[];
    /** Changed, and not restorable. */
    readonly lost: readonly LostChange[];
  }
  /** Files are about to be put back: `undo` to what they were before these `changes`, `redo` to what they were after. */
  | {
    readonly kind: "undo";
    readonly direction: "undo" | "redo";
    readonly changes: readonly string[];
    /** Paths that somebody else has changed since: left alone. */
    readonly conflicts: readonly string[];
  }
  /** The `undo` entry before it was carried out to its end. */
  | { readonly kind: "undo_end"; readonly undo: string; readonly failed?: readonly string[] }
  /** A point that one can go back to by name. */
  | { readonly kind: "checkpoint"; readonly name: string }
  | { readonly kind: "usage"; readonly usage: Usage; readonly purpose: string }
  /** The path goes on from this entry's parent: how one goes back in the tree. */
  | { readonly kind: "leaf"; readonly reason?: string };

/** An entry in the tree. */
export type Entry = Payload & {
  /** UUID version 7. */
  readonly id: string;
  /** The entry before it on its path; null for the first. */
  readonly parentId: string | null;
  readonly at: string;
};

/** A kind that this version does not know, or one without what it needs: kept, passed over by the projection. */
export interface UnknownEntry {
  readonly kind: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly at?: string;
  /** Set where the kind is known and the rest is not as it should be. */
  readonly unfit?: true;
}

/** What a file holds. */
export type AnyEntry = Entry | UnknownEntry;

const isText = (value: unknown): value is string => typeof value === "string";
/** Content as models get it. Parts of an unknown type are let through: the projection leaves them out. */
const isContent = (value: unknown) =>
  Array.isArray(value) &&
  value.every((part) =>
    isRecord(part) && (part.type === "text"
      ? isText(part.text)
      : part.type === "image" || part.type === "document"
      ? isText(part.mediaType) && isText(part.data)
      : isText(part.type))
  );
/** What was typed or handed over. Parts of an unknown type are let through here, too. */
const isPrompt = (value: unknown) =>
  Array.isArray(value) &&
  value.every((part) =>
    isRecord(part) && (part.type === "text" || part.type === "paste"
      ? isText(part.text)
      : part.type === "file"
      ? isText(part.path)
      : part.type === "image" || part.type === "document"
      ? isText(part.mediaType) && isText(part.data)
      : part.type === "content"
      ? isText(part.name) && isText(part.data)
      : isText(part.type))
  );
const isAnswer = (value: unknown) =>
  isRecord(value) && isText(value.model) && Array.isArray(value.parts) &&
  value.parts.every((part) =>
    isRecord(part) && (part.type === "tool_call"
      ? isText(part.id) && isText(part.name) && isText(part.arguments)
      : part.type === "text" || part.type === "thinking"
      ? isText(part.text)
      : isText(part.type))
  );

const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isEdit = (value: unknown) =>
  isRecord(value) && isText(value.entry) && (value.parts === undefined || isContent(value.parts));
const isState = (value: unknown) =>
  value === null ||
  (isRecord(value) &&
    (value.type === "file"
      ? isText(value.hash) && typeof value.size === "number" && typeof value.mode === "number"
      : value.type === "link"
      ? isText(value.target)
      : value.type === "folder" && typeof value.mode === "number"));
const isChange = (value: unknown) =>
  isRecord(value) && isText(value.path) && isState(value.before) && isState(value.after);

/** What each kind must have so that the projection can rely on it. */
const FIT: { readonly [K in Payload["kind"]]: (entry: Record<string, unknown>) => boolean } = {
  system: (e) =>
    isText(e.text) &&
    (e.sections === undefined || (isRecord(e.sections) && isTexts(Object.values(e.sections)))),
  submission: (e) => isText(e.requestId) && isPrompt(e.parts) && isContent(e.message),
  queued: (e) => isText(e.requestId) && isPrompt(e.parts),
  unqueued: (e) => isText(e.requestId),
  run_start: (e) => isText(e.runId) && isText(e.model),
  run_end: (e) => isText(e.runId) && isText(e.reason),
  assistant: (e) => isAnswer(e.message),
  intent: (e) => isText(e.callId) && isText(e.name) && (e.replay === "safe" || e.replay === "never"),
  result: (e) => isText(e.callId) && isText(e.name) && isContent(e.parts),
  note: (e) => isText(e.text),
  title: (e) => isText(e.title),
  label: (e) => isText(e.target) && isText(e.label),
  model: (e) => isText(e.model),
  thinking: (e) => isText(e.level),
  context_edit: (e) => Array.isArray(e.edits) && e.edits.every(isEdit),
  compaction: (e) => isText(e.summary) && (e.firstKept === null || isText(e.firstKept)),
  branch_summary: (e) => isText(e.summary) && isText(e.from),
  changes: (e) =>
    Array.isArray(e.files) && e.files.every(isChange) && Array.isArray(e.lost) &&
    e.lost.every((one) => isRecord(one) && isText(one.path) && isText(one.why)),
  undo: (e) =>
    (e.direction === "undo" || e.direction === "redo") && isTexts(e.changes) && isTexts(e.conflicts),
  undo_end: (e) => isText(e.undo),
  checkpoint: (e) => isText(e.name),
  usage: (e) => isRecord(e.usage),
  leaf: () => true,
};

/** True where the entry's kind is known and it has what the kind needs. */
export function isKnown(entry: AnyEntry): entry is Entry {
  return Object.hasOwn(FIT, entry.kind) && !("unfit" in entry);
}

/** A parsed line as an entry; undefined where it is none. An entry of a known kind that lacks something is marked `unfit`. */
export function asEntry(value: unknown): AnyEntry | undefined {
  if (!isRecord(value) || !isText(value.kind) || !isText(value.id) || value.id === "") return undefined;
  if (value.kind === "session") return undefined;
  if (value.parentId !== null && !isText(value.parentId)) return undefined;
  const fit = Object.hasOwn(FIT, value.kind) ? FIT[value.kind as Payload["kind"]] : undefined;
  if (fit && !fit(value)) return { ...value, unfit: true } as unknown as UnknownEntry;
  return value as unknown as AnyEntry;
}

/** A parsed line as a header; undefined where it is none. */
export function asHeader(value: unknown): HeaderEntry | undefined {
  if (!isRecord(value) || value.kind !== "session" || !isText(value.id)) return undefined;
  if (typeof value.version !== "number") return undefined;
  return {
    ...value,
    cwd: isText(value.cwd) ? value.cwd : "",
    at: isText(value.at) ? value.at : "",
  } as unknown as HeaderEntry;
}

/** An entry or header as the text of its line, without the line feed. `kind` comes first: readers that repair rely on it. */
export function encode(entry: AnyEntry | HeaderEntry): string {
  const { kind, unfit: _, ...rest } = entry as AnyEntry & { unfit?: true };
  return JSON.stringify({ kind, ...rest });
}

/** What a model sees of a path: see project.ts. */
export type Projected = readonly Message[];
