/**
 * The contract between a tool's folder and the two composition roots. A
 * declaration is light (it loads before the first request, without a schema
 * library); the work is behind `body()`. Each body names what it needs in a
 * narrow interface of its own; the roots hand over one object that satisfies
 * all of them: `SheathDeps` in the worker, `MainDeps` in the main isolate.
 */
import type { ToolBody, ToolEntry } from "../agent/tool.ts";
import type { HostFs, SessionShell } from "../sandbox/mod.ts";

/** A tool whose body runs in the worker. */
export interface SheathTool extends ToolEntry {
  readonly runsIn: "sheath";
  body(): Promise<{ create(deps: SheathDeps): ToolBody }>;
}

/** A tool whose body runs in the main isolate. */
export interface MainTool extends ToolEntry {
  readonly runsIn: "main";
  body(): Promise<{ create(deps: MainDeps): ToolBody }>;
}

/** A switch over `runsIn` tells the two apart. */
export type Tool = SheathTool | MainTool;

/** What the worker's composition root hands to every body that it creates. */
export interface SheathDeps {
  /** The guarded file system: the only way to a file. */
  readonly fs: HostFs;
  /** Absolute real path of the workspace, with `/`. */
  readonly workspace: string;
  /** The folder to which relative paths belong. Absolute, with `/`. */
  cwd(): string;
  /** What `~` stands for. */
  readonly home: string;
  /** The session's own folder for what is temporary, which nobody else sees; absent where there is none. */
  readonly privateTemp?: string;
  /** Throws (the reason of the abort) once the run is cancelled; cheap: called in every loop. */
  poll(): void;
  readonly artifacts: Artifacts;
  /** A page of the program's own documentation; undefined for a name that none has. */
  docs?(name: string): Promise<string | undefined>;
  /** What was read and written in this session; one for all tools. */
  readonly ledger: Ledger;
  readonly limits: ToolLimits;
  /** Whether programs are kept from the network. */
  readonly offline?: boolean;
  /** The session's shell; loaded at its first use. */
  shell(): Promise<SessionShell>;
  /** Runs an external program as the policy lets it, apart from the shell. Throws HostError where it may not or cannot run. */
  program(request: ProgramRequest): Promise<ProgramEnd>;
  /** Gets what stands at a URL, as the policy lets it; absent where there is no way to the network. */
  fetch?(url: string): Promise<FetchAnswer>;
  /** Whether the user trusts the project to run code of its own choice, such as hooks. */
  readonly trusted?: boolean;
  /** Has the call stopped in so many milliseconds, also if its code loops. */
  deadline(ms: number): void;
}

/** What the main isolate's composition root hands over. */
export interface MainDeps {
  readonly limits: ToolLimits;
  readonly people: People;
  readonly notes: Notes;
  readonly checkpoints: Checkpoints;
  readonly agents: Agents;
}

/** Whoever sits at an interface. */
export interface People {
  /** Asks and waits; undefined where nobody answered before the signal. */
  ask(question: Question, callId: string, signal: AbortSignal): Promise<Reply | undefined>;
}

/** Without options the answer is free text. */
export interface Question {
  readonly text: string;
  readonly options: readonly string[];
  /** More than one option may be chosen. */
  readonly multiple: boolean;
}

/** Nothing chosen and no text is an answer too. */
export interface Reply {
  /** What was chosen of the options, in their order. */
  readonly chosen: readonly string[];
  /** What was written instead, or besides. */
  readonly text?: string;
}

/** Notes of a project that live on from session to session. */
export interface Notes {
  list(): readonly { readonly title: string; readonly bytes: number }[];
  read(title: string): string | undefined;
  /** Replaces the note of that title. Throws AppError where it cannot be kept. */
  save(title: string, text: string): void;
  /** False where there is none. */
  remove(title: string): boolean;
  /** Where the user finds them. */
  readonly place: string;
}

/** Points of a session that have a name, to return to. */
export interface Checkpoints {
  mark(name: string): Promise<void>;
  list(): readonly string[];
  /** Puts the files back to what they were then; undefined where no point has that name. */
  restore(name: string): Promise<Restored | undefined>;
}

/** Files by what became of them: put back, left alone, or failed. */
export interface Restored {
  readonly restored: readonly string[];
  /** Somebody else has changed them since: left alone. */
  readonly conflicts: readonly string[];
  readonly failed: readonly { readonly path: string; readonly why: string }[];
}

/** Agents that work for the model, each with a conversation of its own. */
export interface Agents {
  /** Names of the roles with what they are for. */
  roles(): readonly { readonly name: string; readonly about: string }[];
  /** Starts one. Throws AppError where there is no such role. */
  start(task: AgentTask): AgentRun;
  /** One that runs in the background, or has ended there. */
  find(id: string): AgentRun | undefined;
  /** Ids of those that still run in the background. */
  running(): readonly string[];
}

/** What an agent is to do, and how its end is tied to the call that wants it. */
export interface AgentTask {
  readonly prompt: string;
  readonly role: string | undefined;
  readonly callId: string;
  /** Ends it; undefined: it runs on when its call has ended. */
  readonly signal: AbortSignal | undefined;
  /** Told of what it does. */
  progress(text: string): void;
}

/** An agent at work or done. It never rejects: what went wrong is in the report. */
export interface AgentRun {
  readonly id: string;
  readonly done: Promise<AgentReport>;
  /** How it stands: what it has done since it was last asked. */
  news(): readonly string[];
  /** Undefined while it runs. */
  readonly report: AgentReport | undefined;
  cancel(): void;
}

/** How it ended. `steps` are requests to its model, `toolCalls` the calls of all of them. */
export interface AgentReport {
  readonly ended: "stop" | "max_steps" | "budget" | "aborted" | "denied" | "error";
  /** Its answer; where it was stopped before one, the last that it said. */
  readonly text: string;
  /** Why it could not go on. */
  readonly problem?: string;
  readonly steps: number;
  readonly toolCalls: number;
}

/** An external program that a tool wants to run, apart from the shell. */
export interface ProgramRequest {
  /** `argv[0]` is looked up in PATH. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** What it reads from stdin; absent: nothing. */
  readonly input?: Uint8Array;
  /** Bytes of its output that are kept; what comes after them is counted. */
  readonly maxBytes: number;
}

/** Both outputs up to the request's `maxBytes`. */
export interface ProgramEnd {
  /** Exit status; 128 + number where a signal ended it. */
  readonly status: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** Bytes of stdout in all. */
  readonly size: number;
}

/** What came, as bytes: it is read where it can do no harm. */
export interface Fetched {
  /** Where the content came from in the end. */
  readonly url: string;
  readonly status: number;
  /** The content type as it was sent; empty where none was. */
  readonly type: string;
  readonly body: Uint8Array;
  /** The body is only the first part. */
  readonly cut: boolean;
}

/** `problem` fits behind "Cannot fetch URL: "; `denied`: it was refused by the policy, and what. */
export type FetchAnswer =
  | { readonly ok: true; readonly fetched: Fetched }
  | { readonly ok: false; readonly problem: string; readonly denied?: string };

/** What a user may set for all tools. */
export interface ToolLimits {
  /** Bytes of text in one result. */
  readonly outputBytes: number;
  /** Milliseconds that a command may take where the call names no limit. */
  readonly bashTimeoutMs?: number;
}

/** Full outputs that the session keeps, which results name as `artifact://N`. */
export interface Artifacts {
  /** At most `length` bytes from `offset`: fewer at the end, undefined where there is no such artifact. */
  read(id: string, offset: number, length: number): Promise<Uint8Array | undefined>;
  /** Begins to keep an output; undefined where the session keeps none. */
  create(): Promise<ArtifactSink | undefined>;
}

/** An output while it is being kept. */
export interface ArtifactSink {
  /** The N of `artifact://N`. */
  readonly id: number;
  /** Where the user finds it. */
  readonly path: string;
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** The state of a file's content at some moment. */
export interface Stamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly dev: number;
  readonly ino: number;
  /** SHA-256 in hex; undefined where the file was too big to be read whole. */
  readonly hash: string | undefined;
}

/** Remembers in which state the model has last seen a file, by real path. */
export interface Ledger {
  get(realPath: string): Stamp | undefined;
  set(realPath: string, stamp: Stamp): void;
}
