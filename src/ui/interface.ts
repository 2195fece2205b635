/** The contract of an interface: it is given an engine's port and speaks ops and events only. */
import type { EngineEvent, View } from "../engine/event.ts";
import type { Op, PromptPart } from "../engine/op.ts";
import type { Snapshot, TreeNode } from "../engine/snapshot.ts";

/** What an interface sees of the engine. */
export interface EnginePort {
  /** Resolves when the op is done: a prompt, when its run has ended. Never rejects for what is reported as an event. */
  submit(op: Op): Promise<void>;
  /** Calls back for every event, in order, until the answer is called. */
  subscribe(watch: (event: EngineEvent) => void): () => void;
}

/** Where an interface writes to. */
export interface Output {
  write(text: string): void;
  /** Resolves when all is out; the reader may be slow or gone. */
  flush(): Promise<void>;
  readonly terminal: boolean;
  readonly color: boolean;
  /** Width in columns, 80 where nobody knows. */
  readonly columns: number;
}

/** How a conversation begins. */
export type ChatChoice =
  | { readonly kind: "new" | "newest" | "none" }
  | { readonly kind: "named"; readonly wanted: string };

/** What was said and done before, as it is drawn again. */
export type PastItem =
  | { readonly type: "user"; readonly text: string; readonly images: number }
  | { readonly type: "assistant"; readonly text: string; readonly thinking: string }
  | {
    readonly type: "call";
    readonly callId: string;
    readonly name: string;
    readonly args: unknown;
    readonly text: string;
    readonly isError: boolean;
    readonly view?: View;
    readonly durationMs?: number;
    /** It was cut off. */
    readonly open?: true;
  }
  | { readonly type: "note"; readonly text: string }
  | { readonly type: "run_end"; readonly reason: string; readonly error?: string };

/** What the chat sees of the engine. */
export interface ChatEngine extends EnginePort {
  readonly unfinished: boolean;
  snapshot(): Promise<Snapshot>;
  tree(): Promise<readonly TreeNode[]>;
}

/** An open conversation. */
export interface Chat {
  readonly engine: ChatEngine;
  readonly sessionId: string;
  /** "provider/id" */
  readonly model: string;
  /** Tokens that fit in; undefined: unknown. */
  readonly contextWindow: number | undefined;
  readonly past: readonly PastItem[];
  readonly title: string;
  /** In a fork from something that was said: that, for the draft. */
  readonly editable?: readonly PromptPart[];
  /** What the user should know before anything is said. */
  readonly notices?: readonly string[];
  /** Ends it and gives the session back. */
  close(): Promise<void>;
  /** Ends every program at once, for an exit that waits for nothing. */
  abandon(): void;
}

/** What the next conversation shall be like; what is absent stays as it is. */
export interface ChatWish {
  readonly choice: ChatChoice;
  readonly model?: string;
  readonly thinking?: string;
  readonly approve?: string;
  /** A new session from that entry. */
  readonly fork?: string;
}

export interface SessionRow {
  readonly id: string;
  readonly shortId: string;
  readonly title: string;
  readonly changedAt: string;
  readonly messages: number | undefined;
  readonly model: string | undefined;
  readonly problem: string | undefined;
}

export interface ModelRow {
  /** "provider/id" */
  readonly name: string;
  readonly contextWindow: number | undefined;
  /** US dollars for a million tokens, input and output; undefined: unknown. */
  readonly price: readonly [number, number] | undefined;
  readonly reasoning: boolean;
}

export interface NamedRow {
  readonly name: string;
  readonly text: string;
}

/** How the chat looks and behaves, from the user's settings. */
export interface ChatLook {
  readonly theme: string;
  readonly screen: "main" | "alternate";
  /** Name of an action -> keys. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** What the status line shows, in order. */
  readonly status: readonly string[];
  readonly notify: "bell" | "desktop" | "off";
}

/** Everything of the world that the chat needs beside the engine: given by who starts it. */
export interface ChatPorts {
  open(wish: ChatWish): Promise<Chat>;
  readonly cwd: string;
  readonly version: string;
  readonly home: string;
  readonly look: ChatLook;
  readonly environment: Readonly<Record<string, string | undefined>>;
  branch(): Promise<string | undefined>;
  readonly sandbox: string;
  readonly approve: string;
  readonly sessions: {
    list(): Promise<readonly SessionRow[]>;
    /** Those in which the text was said, with the place. */
    search(text: string): Promise<readonly (SessionRow & { readonly excerpt: string })[]>;
    preview(id: string): Promise<readonly PastItem[]>;
    rename(id: string, title: string): Promise<void>;
    remove(id: string): Promise<void>;
    export(id: string, path: string | undefined): Promise<string>;
  };
  models(): Promise<readonly ModelRow[]>;
  settings(): Promise<readonly NamedRow[]>;
  servers(): Promise<readonly NamedRow[]>;
  /** Files of the workspace, relative, without what is ignored; in pieces as they are found. */
  files(): AsyncIterable<readonly string[]>;
  /** Reads files and images that a prompt names. Rejects with an error that says which and why. */
  attach(paths: readonly string[]): Promise<readonly PromptPart[]>;
  /** The image that the clipboard holds, if any. */
  clipboardImage(): Promise<PromptPart | undefined>;
  /** Runs the user's own command line in the workspace; resolves to its status. */
  shell(command: string, output: (text: string) => void, signal: AbortSignal): Promise<number>;
  /** Lets the user edit a text in his own editor; undefined: there is none, or it failed. */
  edit(text: string): Promise<string | undefined>;
  readonly history: {
    load(): Promise<readonly string[]>;
    add(text: string): Promise<void>;
  };
  readonly trust: {
    /** Files of the project that could run something, where it is not trusted. */
    wanted(): Promise<readonly string[]>;
    give(): Promise<void>;
  };
  saveLook(name: "theme", value: string): Promise<void>;
}
