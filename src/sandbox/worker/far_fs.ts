/**
 * The worker's files while programs run: each operation is done by the main
 * isolate, which holds what it reaches, and the worker stands still for it.
 * {@link createSwitchedFs} decides for each operation: where no program runs
 * the worker does it itself, and says so, so that none is started meanwhile.
 */
import {
  type DirEntry,
  type FileStat,
  HostError,
  type HostFile,
  type HostFs,
  type Later,
  type OpenOptions,
} from "../../shell/host.ts";
import { isDevice } from "../devices.ts";
import type { GuardedFs, OpenedFile } from "../host_guarded.ts";
import type { Action } from "../policy.ts";
import { ANSWER, type FarFile, type FileAnswer, type FileRequest, PART, READ } from "./file_wire.ts";
import { CELLS } from "./messages.ts";

/** Bytes that one request writes. */
const WRITE = 1024 * 1024;

interface FarFsOptions {
  /** Shared memory of ANSWER_BYTES. */
  readonly answers: SharedArrayBuffer;
  post(request: FileRequest, granted: readonly Action[], transfer: Transferable[]): void;
  /** As of the guarded files. */
  permit(action: Action, reason: string): Promise<string | undefined>;
  permitStill(action: Action, reason: string): string | undefined;
}

/** Every operation stands still until the main isolate has done it. */
export interface FarFs extends HostFs {
  symlink(target: string, path: string): void;
  /** Opens with what was allowed already. */
  openGranted(path: string, options: OpenOptions, granted: readonly Action[]): Later<HostFile>;
  opened(file: HostFile): OpenedFile | undefined;
}

interface Answered {
  readonly answer: FileAnswer;
  readonly bytes: Uint8Array;
}

/** The other end is file_server.ts; both share the memory for answers. */
export function createFarFs(options: FarFsOptions): FarFs {
  const cells = new Int32Array(options.answers, 0, ANSWER.cells);
  const part = new Uint8Array(options.answers, ANSWER.cells * 4, PART);
  const decoder = new TextDecoder();
  const files = new WeakMap<HostFile, OpenedFile>();

  /** One part of an answer: waits for it and takes it out of the shared memory. */
  function takePart(request: FileRequest, granted: readonly Action[], transfer: Transferable[]): Uint8Array {
    Atomics.store(cells, ANSWER.state, 0);
    options.post(request, granted, transfer);
    Atomics.wait(cells, ANSWER.state, 0);
    return part.slice(0, cells[ANSWER.part]);
  }

  function once(
    request: FileRequest,
    granted: readonly Action[] = [],
    transfer: Transferable[] = [],
  ): Answered {
    let all = takePart(request, granted, transfer);
    const [text, bytes] = [cells[ANSWER.text], cells[ANSWER.bytes]];
    if (all.length < text + bytes) {
      const whole = new Uint8Array(text + bytes);
      whole.set(all);
      for (let at = all.length; at < whole.length; at += all.length) {
        all = takePart({ op: "rest" }, [], []);
        whole.set(all, at);
      }
      all = whole;
    }
    const answer = JSON.parse(decoder.decode(all.subarray(0, text))) as FileAnswer;
    const { error } = answer;
    if (error) throw new HostError(error.code, error.path, error.message);
    return { answer, bytes: all.subarray(text) };
  }

  /** Asks for what has to be allowed first, and stands still for it. */
  function granted(request: FileRequest, before: readonly Action[] = []): Answered {
    const grants = [...before];
    for (;;) {
      const answered = once(request, grants);
      const { ask } = answered.answer;
      if (!ask) return answered;
      const refusal = options.permitStill(ask.action, ask.reason);
      if (refusal !== undefined) throw denied(ask.action, refusal);
      grants.push(ask.action);
    }
  }

  const valueOf = <T>(request: FileRequest): T => granted(request).answer.value as T;

  function openGranted(
    path: string,
    wanted: OpenOptions,
    grants: readonly Action[],
  ): Later<HostFile> {
    const { answer } = once({ op: "open", path, options: wanted }, grants);
    if (!answer.ask) return fileOf(answer.value as unknown as FarFile, wanted);
    const { action, reason } = answer.ask;
    return options.permit(action, reason).then((refusal) => {
      if (refusal !== undefined) throw denied(action, refusal);
      return openGranted(path, wanted, [...grants, action]);
    });
  }

  function fileOf({ file, path }: FarFile, wanted: OpenOptions): HostFile {
    let closed = false;
    const made: HostFile = {
      terminal: false,
      read(into) {
        if (into.length === 0) return 0;
        const { bytes } = once({ op: "read", file, length: Math.min(into.length, READ) });
        into.set(bytes);
        return bytes.length;
      },
      write(bytes) {
        for (let at = 0; at < bytes.length; at += WRITE) {
          const sent = bytes.slice(at, at + WRITE);
          once({ op: "write", file, bytes: sent }, [], [sent.buffer]);
        }
      },
      seek: (offset, from) => once({ op: "seek", file, offset, from }).answer.value as number,
      truncate: (length) => void once({ op: "cut", file, length }),
      stat: () => once({ op: "stat_file", file }).answer.value as FileStat,
      close() {
        if (closed) return;
        closed = true;
        once({ op: "close", file });
      },
    };
    files.set(made, { path, options: wanted, held: file });
    return made;
  }

  return {
    stat: (path) => valueOf({ op: "stat", path }),
    lstat: (path) => valueOf({ op: "lstat", path }),
    readLink: (path) => valueOf({ op: "readLink", path }),
    realPath: (path) => valueOf({ op: "realPath", path }),
    readDir: (path) => valueOf<DirEntry[]>({ op: "readDir", path }),
    access: (path, mode) => valueOf({ op: "access", path, mode }),
    mkdir: (path, mode) => void granted({ op: "mkdir", path, mode }),
    unlink: (path) => void granted({ op: "unlink", path }),
    rmdir: (path) => void granted({ op: "rmdir", path }),
    rename: (from, to) => void granted({ op: "rename", from, to }),
    link: (from, to) => void granted({ op: "link", from, to }),
    symlink: (target, path) => void granted({ op: "symlink", target, path }),
    chmod: (path, mode) => void granted({ op: "chmod", path, mode }),
    chown: (path, uid, gid) => void granted({ op: "chown", path, uid, gid }),
    utime: (path, atimeMs, mtimeMs) => void granted({ op: "utime", path, atimeMs, mtimeMs }),
    truncate: (path, length) => void granted({ op: "truncate", path, length }),
    open: (path, wanted) => openGranted(path, wanted, []),
    openGranted,
    readStart(path, into) {
      const length = Math.min(into.length, READ);
      const { answer, bytes } = once({ op: "read_start", path, length });
      // Fewer than fit may come only at the end of the file.
      if (answer.value !== true || (bytes.length === length && length < into.length)) return undefined;
      into.set(bytes);
      return bytes.length;
    },
    opened: (file) => files.get(file),
  };
}

interface SwitchedFsOptions {
  /** The cells that both isolates share. */
  readonly cells: Int32Array;
  readonly far: FarFs;
  /** The worker's own guarded files. `resume` is for their option of that name. */
  near(resume: Resume): GuardedFs;
}

type Resume = (
  go: () => Later<HostFile>,
  given: string,
  wanted: OpenOptions,
  granted: readonly Action[],
) => Later<HostFile>;

/** The worker's own files where no program runs, else the far ones. */
export function createSwitchedFs({ cells, far, near }: SwitchedFsOptions): GuardedFs {
  /**
   * The main isolate counts a program before it starts it, and then waits for
   * what this isolate is at: so either the count is seen here, or the program
   * starts afterwards. Nothing in between waits for anything but the disk and
   * a person's answer.
   */
  function either<T>(here: () => T, there: () => T): T {
    Atomics.store(cells, CELLS.busy, 1);
    if (Atomics.load(cells, CELLS.programs) > 0) {
      Atomics.store(cells, CELLS.busy, 0);
      return there();
    }
    try {
      return here();
    } finally {
      Atomics.store(cells, CELLS.busy, 0);
    }
  }

  const own = near((go, given, wanted, granted) => either(go, () => far.openGranted(given, wanted, granted)));
  const { readStart } = own;
  return {
    forget: own.forget,
    opened: (file) => own.opened(file) ?? far.opened(file),
    stat: (path) => either(() => own.stat(path), () => far.stat(path)),
    lstat: (path) => either(() => own.lstat(path), () => far.lstat(path)),
    readLink: (path) => either(() => own.readLink(path), () => far.readLink(path)),
    realPath: (path) => either(() => own.realPath(path), () => far.realPath(path)),
    readDir: (path) => either(() => own.readDir(path), () => far.readDir(path)),
    access: (path, mode) => either(() => own.access(path, mode), () => far.access(path, mode)),
    // Nothing is done here: what is asked for is judged again.
    asks: own.asks,
    ...(readStart
      ? { readStart: (path, into) => either(() => readStart(path, into), () => far.readStart!(path, into)) }
      : {}),
    open: (path, wanted) =>
      isDevice(path)
        ? own.open(path, wanted)
        : either(() => own.open(path, wanted), () => far.open(path, wanted)),
    mkdir: (path, mode) => either(() => own.mkdir(path, mode), () => far.mkdir(path, mode)),
    unlink: (path) => either(() => own.unlink(path), () => far.unlink(path)),
    rmdir: (path) => either(() => own.rmdir(path), () => far.rmdir(path)),
    rename: (from, to) => either(() => own.rename(from, to), () => far.rename(from, to)),
    link: (from, to) => either(() => own.link(from, to), () => far.link(from, to)),
    // The runtime lets no worker make links.
    symlink: async (target, path) => await far.symlink(target, path),
    chmod: (path, mode) => either(() => own.chmod(path, mode), () => far.chmod(path, mode)),
    chown: (path, uid, gid) => either(() => own.chown(path, uid, gid), () => far.chown(path, uid, gid)),
    utime: (path, atimeMs, mtimeMs) =>
      either(() => own.utime(path, atimeMs, mtimeMs), () => far.utime(path, atimeMs, mtimeMs)),
    truncate: (path, length) => either(() => own.truncate(path, length), () => far.truncate(path, length)),
  };
}

function denied(action: Action, reason: string): HostError {
  return new HostError("EDENIED", "path" in action ? action.path : undefined, `Not allowed: ${reason}`);
}
