/**
 * The protocol between the main isolate and the sheath's worker: plain data,
 * one closed union per direction. Bytes travel in buffers of at most
 * {@link CHUNK} that are transferred, not copied, and never more of them than
 * the receiver has asked for. A cancel travels twice: as a message for code
 * that waits, and as a number in shared memory for code that loops.
 */
import type { HostErrorCode, HostUser, ProcessEnd } from "../../shell/host.ts";
import type { Action, Policy } from "../policy.ts";
import type { FileRequest } from "./file_wire.ts";

/** Bytes in one message. */
export const CHUNK = 64 * 1024;
/** Chunks of one pipe that may be under way before the reader has taken any. */
export const WINDOW = 4;
/** Characters of live output that may be under way for one call. */
export const OUTPUT_WINDOW = 64 * 1024;

/** Layout of the shared cells (32-bit integers). */
export const CELLS = {
  /** Number of external programs that run. */
  programs: 0,
  /** Starts and ends of external programs in all. Counted after a start and before an end is seen in `programs`. */
  started: 2,
  /** The answer to a question for which the worker stands still: 0 none yet, 1 yes, 2 no. */
  answer: 1,
  /** 1 while the worker works on names of files by itself: no program starts meanwhile. */
  busy: 3,
  /** Bytes of the words that come with an answer "no", see {@link sayWhy}. */
  words: 4,
  /** The first of the calls' own cells. */
  firstCall: 8,
  length: 264,
} as const;

/** Bytes behind the cells, for words that a worker that stands still is told. */
const WORDS = 2048;

/** Bytes of the shared memory for cells and words. */
export const CELLS_BYTES = CELLS.length * 4 + WORDS;

/** Main: leaves why the answer is no, as much of it as there is room for. Before the answer itself. */
export function sayWhy(cells: Int32Array, text: string): void {
  const room = new Uint8Array(cells.buffer, CELLS.length * 4);
  const bytes = new TextEncoder().encode(text).subarray(0, room.length);
  room.set(bytes);
  Atomics.store(cells, CELLS.words, bytes.length);
}

/** Worker: the words that came with the last answer "no"; "" for none. */
export function whyNot(cells: Int32Array): string {
  // A copy: shared memory is not decoded. The cut may have met a character.
  const bytes = new Uint8Array(cells.buffer, CELLS.length * 4).slice(0, Atomics.load(cells, CELLS.words));
  return new TextDecoder().decode(bytes).replace(/\ufffd$/, "");
}

/** What a call's cell says. "held": it is got ready, and the worker stands still until it may begin. */
export const STATE = { running: 0, cancelled: 1, timeout: 2, held: 3 } as const;

/** What the worker may not find out by itself. */
export interface MachineFacts {
  readonly platform: "linux" | "darwin" | "windows";
  readonly user: HostUser;
  readonly hostname: string;
  readonly system: {
    readonly sysname: string;
    readonly release: string;
    readonly version: string;
    readonly machine: string;
  };
  readonly processors: number;
  readonly pid: number;
  readonly ppid: number;
  /** File-mode creation mask. */
  readonly umask: number;
}

/** What the user may set of the worker's tools. */
export interface SheathLimits {
  /** Bytes of text in one result. */
  readonly outputBytes: number;
  /** Milliseconds that a command may take where the call names no limit. */
  readonly bashTimeoutMs: number;
  /** Bytes of one output that are kept in full. */
  readonly artifactBytes: number;
}

/** The first message to a worker, and the only one of its kind. */
export interface InitMessage {
  readonly type: "init";
  readonly policy: Policy;
  readonly cwd: string;
  /** The environment of commands, whole. */
  readonly env: Readonly<Record<string, string>>;
  readonly facts: MachineFacts;
  readonly limits: SheathLimits;
  readonly cells: SharedArrayBuffer;
  /** For answers about files while programs run; absent where the worker does them itself even then. */
  readonly answers?: SharedArrayBuffer;
  /** Whether full outputs can be kept. */
  readonly artifacts: boolean;
  /** Whether what is about to be changed is kept. */
  readonly keeps: boolean;
  /** Whether the project may run code of its own choice, such as hooks. */
  readonly trusted?: boolean;
  /** Folders in which programs are looked up. */
  readonly programFolders: readonly string[];
  /** What an earlier worker answered to `rest`. */
  readonly memory?: unknown;
}

/** A failure on its way through a message. */
export interface WireError {
  readonly code: HostErrorCode;
  readonly message: string;
  readonly path?: string;
}

/** An open file of the worker, for the main isolate to open again. */
export interface WireFile {
  /** The same number for the same open file: its position is shared. */
  readonly key: number;
  /** Absolute and free of links. */
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly read: boolean;
  readonly write: boolean;
  readonly append: boolean;
  readonly position: number;
  /** Its number where the main isolate holds it open already. */
  readonly held?: number;
}

/** One of a program's three standard descriptors. */
export type WireStdio =
  | { readonly kind: "null" }
  | { readonly kind: "pipe" }
  | { readonly kind: "file"; readonly file: WireFile };

/** A program to be started, as the shell has resolved it; the main isolate judges it again. */
export interface WireSpawn {
  readonly program: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: WireStdio;
  readonly stdout: WireStdio;
  readonly stderr: WireStdio;
  readonly umask?: number;
  /** See SpawnRequest. */
  readonly keepUnread?: boolean;
}

/** Asked by the worker, answered by one {@link ReplyMessage}. */
export type Question =
  /** May this be done? Judged again by the main isolate; a person may be asked. */
  | { readonly ask: "permit"; readonly action: Action }
  /** Starts a program. No number in the answer: a file could not be handed over, pipes are needed. */
  | { readonly ask: "spawn"; readonly spawn: WireSpawn }
  /** Writes to a program's stdin. */
  | { readonly ask: "feed"; readonly process: number; readonly bytes: Uint8Array }
  /** What a program that has ended left of its stdin; answered once its input is closed. */
  | { readonly ask: "unread"; readonly process: number }
  | { readonly ask: "symlink"; readonly target: string; readonly path: string }
  /** A path is about to be changed: keep what stands there. Asked only while the worker stands still. */
  | { readonly ask: "keep"; readonly path: string; readonly tree: boolean }
  /** What stands at a URL. */
  | { readonly ask: "fetch"; readonly url: string }
  | { readonly ask: "artifact_create" }
  | { readonly ask: "artifact_write"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly ask: "artifact_close"; readonly id: number }
  | {
    readonly ask: "artifact_read";
    readonly id: number | string;
    readonly offset: number;
    readonly length: number;
  };

/** The answer to each kind of question. */
export interface Answers {
  readonly permit: { readonly allowed: true } | { readonly allowed: false; readonly reason: string };
  readonly spawn:
    | {
      readonly process: number;
      readonly pid: number;
      /** "kept": what it leaves unread can be asked for. "none": it has ended already and takes no input. */
      readonly input?: "kept" | "none";
    }
    | { readonly process: undefined };
  readonly feed: undefined;
  readonly unread: Uint8Array;
  readonly symlink: undefined;
  readonly keep: undefined;
  /** What the answer looks like is agreed between the tool and whoever fetches. */
  readonly fetch: unknown;
  readonly artifact_create: { readonly id: number; readonly path: string };
  readonly artifact_write: undefined;
  readonly artifact_close: undefined;
  readonly artifact_read: Uint8Array | undefined;
}

/** The answer to the question of that number: a value, or an error. */
export interface ReplyMessage {
  readonly type: "reply";
  readonly id: number;
  readonly value?: unknown;
  readonly error?: WireError;
}

/** From the main isolate to the worker. */
export type ToWorker =
  | InitMessage
  | {
    readonly type: "call";
    readonly call: number;
    /** Index of the call's cell. */
    readonly cell: number;
    readonly callId: string;
    /** Calls of one session share a shell. */
    readonly session: string;
    readonly name: string;
    readonly args: unknown;
  }
  | { readonly type: "cancel"; readonly call: number; readonly reason: "cancelled" | "timeout" }
  /** Nothing has been asked for a while: what would another worker have to know to take over? */
  | { readonly type: "rest" }
  /** That much live output of a call has been taken. */
  | { readonly type: "taken"; readonly call: number; readonly length: number }
  /** Bytes of a program's output; without bytes: its end. */
  | {
    readonly type: "chunk";
    readonly process: number;
    readonly fd: 1 | 2;
    readonly bytes?: Uint8Array;
  }
  | {
    readonly type: "ended";
    readonly process: number;
    readonly end: ProcessEnd;
    /** Where the positions of handed files stand now, by key. */
    readonly positions: readonly (readonly [number, number])[];
  }
  | ReplyMessage;

/** From the worker to the main isolate. */
export type ToMain =
  | { readonly type: "ready" }
  /** `output`: what the call had to say before and was not sent yet. */
  | { readonly type: "result"; readonly call: number; readonly result: unknown; readonly output?: string }
  /** The call failed in a way that no tool foresaw. */
  | { readonly type: "broken"; readonly call: number; readonly text: string; readonly output?: string }
  | { readonly type: "output"; readonly call: number; readonly text: string }
  /** The call is to be ended in so many milliseconds; sent again to change it. */
  | { readonly type: "deadline"; readonly call: number; readonly ms: number }
  | {
    readonly type: "question";
    readonly id: number;
    readonly call: number;
    readonly question: Question;
    /** The worker stands still until the shared cell holds the answer; no reply is sent. */
    readonly still?: true;
  }
  /** An operation on files; the answer is put into shared memory. */
  | { readonly type: "file"; readonly request: FileRequest; readonly granted: readonly Action[] }
  /** The reader has taken one chunk. */
  | { readonly type: "more"; readonly process: number; readonly fd: 1 | 2 }
  /** The reader is gone. */
  | { readonly type: "unread"; readonly process: number; readonly fd: 1 | 2 }
  /** The writer is gone: end of the program's input. */
  | { readonly type: "unfed"; readonly process: number }
  | { readonly type: "kill"; readonly process: number; readonly signal: string }
  /** Answer to `rest`: plain data, absent where there is more than that to lose. Only a worker reads it. */
  | { readonly type: "resting"; readonly memory?: unknown }
  | { readonly type: "notice"; readonly text: string };
