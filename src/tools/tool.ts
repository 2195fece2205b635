/**
 * The contract between a tool's folder and the two composition roots. A
 * declaration is light (it loads before the first request, without a schema
 * library); the work is behind `body()`. Each body names what it needs in a
 * narrow interface of its own; the roots hand over one object that satisfies
 * all of them: `SheathDeps` in the worker, `MainDeps` in the main isolate.
 */
import type { ToolBody, ToolEntry } from "../agent/tool.ts";
import type { HostFs, SessionShell } from "../sandbox/mod.ts";
import type { FetchAnswer } from "./fetch/network.ts";

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
  /** Throws (the reason of the abort) once the run is cancelled; cheap: called in every loop. */
  poll(): void;
  readonly artifacts: Artifacts;
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
}

export interface ProgramRequest {
  /** `argv[0]` is looked up in PATH. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** What it reads from stdin; absent: nothing. */
  readonly input?: Uint8Array;
  /** Bytes of its output that are kept; what comes after them is counted. */
  readonly maxBytes: number;
}

export interface ProgramEnd {
  /** Exit status; 128 + number where a signal ended it. */
  readonly status: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** Bytes of stdout in all. */
  readonly size: number;
}

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
