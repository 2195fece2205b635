/**
 * Operations on files that the worker has done by the main isolate, because a
 * program runs that could swap folders for links: only the main isolate can
 * hold what it reaches. The worker stands still until the answer lies in
 * shared memory, as it would for the system itself.
 *
 * The answer: its state and lengths in front, then text (JSON), then bytes.
 * What does not fit is fetched with `rest`.
 */
import type { DirEntry, FileStat, HostErrorCode, OpenOptions } from "../../shell/host.ts";
import type { Action } from "../policy.ts";

/** One operation on files, as the worker asks for it. */
export type FileRequest =
  | {
    readonly op: "stat" | "lstat" | "readLink" | "realPath" | "readDir" | "unlink" | "rmdir";
    readonly path: string;
  }
  | { readonly op: "access"; readonly path: string; readonly mode: "r" | "w" | "x" }
  | { readonly op: "mkdir" | "chmod"; readonly path: string; readonly mode: number }
  | { readonly op: "rename" | "link"; readonly from: string; readonly to: string }
  | { readonly op: "symlink"; readonly target: string; readonly path: string }
  | { readonly op: "chown"; readonly path: string; readonly uid: number; readonly gid: number }
  | { readonly op: "utime"; readonly path: string; readonly atimeMs: number; readonly mtimeMs: number }
  | { readonly op: "truncate"; readonly path: string; readonly length: number }
  | { readonly op: "open"; readonly path: string; readonly options: OpenOptions }
  /** The beginning of a plain file; no answer where the long way has to decide. */
  | { readonly op: "read_start"; readonly path: string; readonly length: number }
  | { readonly op: "read"; readonly file: number; readonly length: number }
  | { readonly op: "write"; readonly file: number; readonly bytes: Uint8Array }
  | {
    readonly op: "seek";
    readonly file: number;
    readonly offset: number;
    readonly from: "start" | "current" | "end";
  }
  | { readonly op: "cut"; readonly file: number; readonly length: number }
  | { readonly op: "stat_file" | "close"; readonly file: number }
  /** The next part of an answer that did not fit. */
  | { readonly op: "rest" };

/** A file that the main isolate holds open for the worker. */
export interface FarFile {
  readonly file: number;
  /** Absolute and free of links; a device's name for a device. */
  readonly path: string;
}

/** What an operation answers, by its kind. */
export type FileValue = FileStat | DirEntry[] | FarFile | string | number | boolean;

/** What is said in the text of an answer; bytes come behind it. */
export interface FileAnswer {
  readonly value?: FileValue;
  readonly error?: { readonly code: HostErrorCode; readonly message: string; readonly path?: string };
  /** It has to be allowed first; then the same request comes again. */
  readonly ask?: { readonly action: Action; readonly reason: string };
}

/** Cells in front of an answer. */
export const ANSWER = { state: 0, part: 1, text: 2, bytes: 3, cells: 4 } as const;
/** Bytes that one answer reads from a file. */
export const READ = 64 * 1024;
/** Bytes of one part of an answer. */
export const PART = READ + 1024;
/** Bytes of the shared memory for answers. */
export const ANSWER_BYTES = ANSWER.cells * 4 + PART;
