/**
 * ShellHost: the only way in which the shell touches the world. Everything
 * behind it can be replaced: by Deno's own calls (`sandbox/host_real.ts`), by
 * the same behind path checks (`sandbox/host_guarded.ts`), or by memory in a
 * test. Operations on files are synchronous where the answer is near (disk);
 * whatever may wait for somebody else (pipes, terminals, processes, a
 * permission) may answer with a promise: {@link Later}.
 *
 * Paths given to the host are absolute and use `/`, on Windows too
 * (`C:/a/b`, `//server/share/x`). Texts follow `lib/text/bytes.ts`: a byte
 * that is not UTF-8 is a lone surrogate U+DC80..U+DCFF.
 */

/** A value that is there now, or later. Callers test before they await, so that the near case costs no promise. */
export type Later<T> = T | Promise<T>;

export type HostErrorCode =
  | "ENOENT"
  | "EACCES"
  | "EPERM"
  | "EEXIST"
  | "ENOTDIR"
  | "EISDIR"
  | "ENOTEMPTY"
  | "ELOOP"
  | "EINVAL"
  | "EXDEV"
  | "EBADF"
  | "EPIPE"
  | "ENOSPC"
  | "EROFS"
  | "EMFILE"
  | "ENAMETOOLONG"
  | "ENOTSUP"
  | "ENOEXEC"
  | "ENXIO"
  | "EBUSY"
  | "EIO"
  /** Refused by the sandbox or by a rule; `message` says which and what to do. */
  | "EDENIED";

/** The text that C's strerror gives for a code: what bash and coreutils print. */
export const ERROR_TEXT: Readonly<Record<HostErrorCode, string>> = {
  ENOENT: "No such file or directory",
  EACCES: "Permission denied",
  EPERM: "Operation not permitted",
  EEXIST: "File exists",
  ENOTDIR: "Not a directory",
  EISDIR: "Is a directory",
  ENOTEMPTY: "Directory not empty",
  ELOOP: "Too many levels of symbolic links",
  EINVAL: "Invalid argument",
  EXDEV: "Invalid cross-device link",
  EBADF: "Bad file descriptor",
  EPIPE: "Broken pipe",
  ENOSPC: "No space left on device",
  EROFS: "Read-only file system",
  EMFILE: "Too many open files",
  ENAMETOOLONG: "File name too long",
  ENOTSUP: "Operation not supported",
  ENOEXEC: "Exec format error",
  ENXIO: "No such device or address",
  EBUSY: "Device or resource busy",
  EIO: "Input/output error",
  EDENIED: "Permission denied",
};

/** Failure of a host operation. `message` is fit to stand after `prog: path: `. */
export class HostError extends Error {
  override readonly name = "HostError";
  readonly code: HostErrorCode;
  readonly path: string | undefined;

  constructor(
    code: HostErrorCode,
    path?: string,
    message: string = ERROR_TEXT[code],
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.path = path;
  }
}

export type FileKind =
  | "file"
  | "dir"
  | "symlink"
  | "fifo"
  | "socket"
  | "char"
  | "block";

export interface FileStat {
  readonly kind: FileKind;
  /** Bytes. */
  readonly size: number;
  /** Permission bits with set-id and sticky bits: 0 to 0o7777. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly dev: number;
  readonly ino: number;
  readonly nlink: number;
  readonly rdev: number;
  /** Blocks of 512 bytes. */
  readonly blocks: number;
  /** Milliseconds since 1970, with fractions. */
  readonly atimeMs: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

export interface DirEntry {
  readonly name: string;
  /** Kind of the entry itself (a link is "symlink"); "unknown" where the system does not say. */
  readonly kind: FileKind | "unknown";
}

export interface OpenOptions {
  readonly read?: boolean;
  readonly write?: boolean;
  /** Every write goes to the end. */
  readonly append?: boolean;
  readonly create?: boolean;
  /** With `create`: fail with EEXIST where the name exists, also as a dangling link. */
  readonly exclusive?: boolean;
  readonly truncate?: boolean;
  /** Mode of a new file, after the shell's umask was applied. Default 0o666. */
  readonly mode?: number;
}

/** An open file with a position, shared by all who hold it (as descriptors share one after a fork). */
export interface HostFile {
  /** Fills at most `into.length` bytes; resolves to their number, 0 at end of file. */
  read(into: Uint8Array): Later<number>;
  /** Writes all bytes, or fails. */
  write(bytes: Uint8Array): Later<void>;
  /** Moves the position; returns the new one. Throws HostError "ENOTSUP" for what cannot seek. */
  seek(offset: number, from: "start" | "current" | "end"): number;
  truncate(length: number): void;
  stat(): FileStat;
  /** Whether it is a terminal. */
  readonly terminal: boolean;
  close(): void;
}

export interface HostFs {
  stat(path: string): FileStat;
  lstat(path: string): FileStat;
  readLink(path: string): string;
  /** The path without links, `.` and `..`; every component must exist. */
  realPath(path: string): string;
  /** Entries without `.` and `..`, in the system's order. */
  readDir(path: string): DirEntry[];
  open(path: string, options: OpenOptions): Later<HostFile>;
  mkdir(path: string, mode: number): void;
  /** Removes a file or a link. A folder: EISDIR. */
  unlink(path: string): void;
  /** Removes an empty folder. */
  rmdir(path: string): void;
  rename(from: string, to: string): Later<void>;
  /** Makes a hard link. */
  link(existing: string, path: string): Later<void>;
  /** Makes a symbolic link at `path` that holds `target`. */
  symlink(target: string, path: string): Later<void>;
  chmod(path: string, mode: number): void;
  /** Changes owner and group; -1 keeps. */
  chown(path: string, uid: number, gid: number): void;
  /** Times in milliseconds since 1970. */
  utime(path: string, atimeMs: number, mtimeMs: number): void;
  truncate(path: string, length: number): void;
  /** Whether this process may read, write or execute (search) it. */
  access(path: string, mode: "r" | "w" | "x"): boolean;
  /** Whether somebody is asked before a file is made or changed at a path. Absent: nobody ever is. */
  asks?(path: string): boolean;
  /** Bytes of the file system that holds a path: in all, free, and free for this user. Absent where the host does not tell. */
  space?(path: string): { readonly size: number; readonly free: number; readonly available: number };
  /**
   * Reads the beginning of a plain file in one step, for searches over many:
   * the number of bytes put into `into`, fewer than fit only at the end of the
   * file. Undefined where the long way (`open`) has to decide.
   */
  readStart?(path: string, into: Uint8Array): number | undefined;
}

/** Where a descriptor of a new process leads. */
export type SpawnStdio =
  /** `/dev/null`. */
  | { readonly kind: "null" }
  /** A new pipe, whose other end is in the {@link HostProcess}. */
  | { readonly kind: "pipe" }
  /** An open file of this host; its position is shared. */
  | { readonly kind: "file"; readonly file: HostFile };

export interface SpawnRequest {
  /** Absolute path of the executable. */
  readonly program: string;
  /** Argument vector; `argv[0]` is the name as called. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment of the new process. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: SpawnStdio;
  readonly stdout: SpawnStdio;
  readonly stderr: SpawnStdio;
  /** File-mode creation mask of the new process; default: the host's own. */
  readonly umask?: number;
  /** The caller will ask for what the program leaves unread of its stdin, and until then nobody learns that its reader is gone. */
  readonly keepUnread?: boolean;
}

export interface ProcessEnd {
  /** Exit status; 128 + number where a signal ended it. */
  readonly code: number;
  /** Name of the signal that ended it, such as "SIGTERM". */
  readonly signal?: string;
}

/** An external program, in a process group of its own. */
export interface HostProcess {
  readonly pid: number;
  /** Present where the request said "pipe". */
  readonly stdin?: ByteSink;
  readonly stdout?: ByteSource;
  readonly stderr?: ByteSource;
  /** Resolves when the program itself has ended, whether or not others still hold its pipes. */
  readonly ended: Promise<ProcessEnd>;
  /**
   * What was written to its stdin and it has not read: for whoever reads on
   * from there. Asked after it has ended and its stdin was closed. Absent where
   * that cannot be known.
   */
  readonly unread?: () => Promise<Uint8Array>;
  /** Sends a signal ("SIGTERM") to its whole group. */
  kill(signal: string): void;
}

/** Something to read bytes from. */
export interface ByteSource {
  /** Fills at most `into.length` bytes; 0 at the end. */
  read(into: Uint8Array): Later<number>;
  close(): void;
}

/** Something to write bytes to. */
export interface ByteSink {
  /** Takes all bytes before it resolves (which is the back-pressure); throws HostError "EPIPE" when nobody reads any more. The caller may reuse the buffer afterwards. */
  write(bytes: Uint8Array): Later<void>;
  close(): void;
}

export interface HostUser {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
  readonly groups: readonly number[];
}

export interface ShellHost {
  readonly platform: "linux" | "darwin" | "windows";
  readonly fs: HostFs;
  /** Starts an external program. Absent where none can run. Throws HostError "EDENIED" where it may not run, "ENOENT", "EACCES", "ENOEXEC". */
  readonly spawn?: (request: SpawnRequest) => Later<HostProcess>;
  /** Milliseconds since 1970, with fractions. */
  now(): number;
  /** Milliseconds of processor time of this process so far: [user, system]. */
  cpuTimes(): [number, number];
  /** Resolves after `ms`, or at once when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Fills with random bytes. */
  random(into: Uint8Array): void;
  readonly user: HostUser;
  readonly hostname: string;
  /** uname's fields. */
  readonly system: {
    readonly sysname: string;
    readonly release: string;
    readonly version: string;
    readonly machine: string;
  };
  readonly processors: number;
  readonly pid: number;
  readonly ppid: number;
  /** A folder for temporary files. */
  readonly tempDir: string;
  /** True once the run is cancelled; cheap (one atomic load); polled by every loop. */
  cancelled(): boolean;
  /** Signals sent by `kill` to processes that this shell did not start; throws HostError. Absent where not possible. */
  readonly kill?: (pid: number, signal: string) => void;
}
