/**
 * The tool contract. A declaration is light: it loads without the tool's body
 * and without a schema library, because it is needed before the first request.
 */
import type { ContentPart } from "../llm/message.ts";
import type { ToolDeclaration } from "../llm/provider.ts";

/** Whether a call may be made again after a crash: "safe" repeats, "never" does not. */
export type Replay = "safe" | "never";

/** "read": changes nothing, so that neighbouring calls may run at the same time. */
export type Effects = "read" | "write";

/** Which isolate runs the body: the sheath (everything that touches the machine), which waits for `begin` itself, or the main one. */
export type RunsIn = "sheath" | "main";

/** What the loop knows of a tool: its declaration, and what a call of it may do. */
export interface ToolEntry extends ToolDeclaration {
  readonly replay: Replay;
  readonly effects: Effects;
  readonly runsIn: RunsIn;
  /** The smallest set that offers it. */
  readonly set: "core" | "full";
  /** The argument that names the file or folder which the call reads or changes. */
  readonly touches?: string;
  /** It starts agents, or is about them: not offered to those. */
  readonly delegates?: true;
  /** Offered only where there is somebody at an interface. */
  readonly needs?: "person";
}

/** What interfaces draw: data, never a picture. Texts in it are raw; the one who draws strips control sequences. */
export type View =
  /** A unified diff of one file. */
  | {
    readonly type: "diff";
    readonly path: string;
    readonly diff: string;
    readonly added: number;
    readonly removed: number;
  }
  | { readonly type: "text"; readonly title: string; readonly text: string }
  | { readonly type: "files"; readonly title: string; readonly paths: readonly string[] }
  | {
    readonly type: "command";
    readonly command: string;
    readonly status: number;
    /** Where a signal ended it. */
    readonly signal?: string;
    readonly durationMs?: number;
    /** The background shell that it has left. */
    readonly background?: string;
  }
  | { readonly type: "todo"; readonly items: readonly TodoItem[] };

/** "active": being worked on now. */
export interface TodoItem {
  readonly text: string;
  readonly state: "open" | "active" | "done";
}

/** The outcome of a call. A failure is a result that the model can read, not an exception. */
export interface ToolResult {
  readonly parts: readonly ContentPart[];
  readonly isError: boolean;
  readonly view?: View;
  /** Set where a permission was refused: what was asked for and why not. */
  readonly denied?: string;
}

/** What a body gets beside its arguments. */
export interface ToolContext {
  readonly callId: string;
  /** Aborts when the call is to end. In the sheath it also shows as `host.cancelled()`. */
  readonly signal: AbortSignal;
  /** The call is only got ready before this resolves: it has no effect yet. A rejection: it never begins. Absent: at once. */
  readonly begin?: Promise<void>;
  /** Streams output to watchers while the call runs; bounded by the receiver. */
  output(text: string): void;
}

/** A tool ready to run. `args` is the parsed JSON of the call, not yet checked: bodies check it against their schema. */
export interface ToolBody {
  run(args: unknown, context: ToolContext): Promise<ToolResult>;
}

/** Anything that runs calls by name: the sheath, the main isolate's own tools, or both joined. */
export interface Tools {
  readonly entries: readonly ToolEntry[];
  run(name: string, args: unknown, context: ToolContext): Promise<ToolResult>;
}

/** A result of plain text. */
export function textResult(text: string, options: Omit<Partial<ToolResult>, "parts"> = {}): ToolResult {
  return { isError: false, ...options, parts: [{ type: "text", text }] };
}

/** A failure that the model can act on. */
export function errorResult(text: string, options: Omit<Partial<ToolResult>, "parts"> = {}): ToolResult {
  return { isError: true, ...options, parts: [{ type: "text", text }] };
}
