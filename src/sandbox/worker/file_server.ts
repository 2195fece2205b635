/**
 * The main isolate's side of the worker's files: does what the worker asks for
 * while programs run, behind the same guard, on files that it holds. Each
 * request has one answer, put into shared memory, for which the worker stands
 * still: so nothing here waits but for the disk.
 *
 * Open files are known by number, and closed with the worker.
 */
import { describe } from "../../lib/errors.ts";
import { HostError, type HostFile, type HostFs, type OpenOptions } from "../../shell/host.ts";
import { createGuardedFs, type GuardedFs } from "../host_guarded.ts";
import { unloadPlaceDescriptors } from "../host_libc.ts";
import { createAnyFs, createPinnedFs, createPolicyFs, type PinnedFs } from "../host_pinned.ts";
import { ownIdentity } from "../host_real.ts";
import type { Action, Policy } from "../policy.ts";
import {
  ANSWER,
  type FarFile,
  type FileAnswer,
  type FileRequest,
  type FileValue,
  PART,
} from "./file_wire.ts";

interface FileServerOptions {
  readonly policy: Policy;
  readonly programFolders: readonly string[];
  /** The files of the system, for looking at programs. */
  readonly fs: HostFs;
  /** Shared memory of ANSWER_BYTES. */
  readonly answers: SharedArrayBuffer;
}

/** Does the worker's work on files where programs could swap a path meanwhile. */
export interface FileServer {
  /** Answers a request; `granted`: what was allowed for it. */
  answer(request: FileRequest, granted: readonly Action[]): Promise<void>;
  /** The files of the policy, held. */
  readonly fs: PinnedFs;
  /** Every file, held while it is looked at: for looking only. */
  readonly anywhere: HostFs;
  /** One of the worker's files, opened once more: for a program. */
  again(file: number, options: OpenOptions): HostFile | undefined;
  close(): void;
}

/** Leaves an operation that a verdict "ask" has stopped. */
class NeedsAnswer extends Error {
  constructor(readonly action: Action, readonly reason: string) {
    super(reason);
  }
}

/** The other end is far_fs.ts; both share the memory for answers. */
export function createFileServer(options: FileServerOptions): FileServer {
  const cells = new Int32Array(options.answers, 0, ANSWER.cells);
  const room = new Uint8Array(options.answers, ANSWER.cells * 4, PART);
  const encoder = new TextEncoder();
  const files = new Map<number, HostFile>();
  const pinned = createPolicyFs(options.policy);
  /** For single files that a person has said yes to. */
  const outside = createAnyFs();
  let next = 1;
  let grants: readonly Action[] = [];
  /** What of the last answer did not fit. */
  let rest = new Uint8Array(0);

  const guarded: GuardedFs = createGuardedFs({
    fs: pinned,
    programs: options.fs,
    policy: options.policy,
    windows: false,
    programFolders: options.programFolders,
    pins: () => true,
    opensStill: true,
    programsRun: () => true,
    generation: () => 0,
    permit: (_action, reason) => Promise.resolve(reason),
    permitStill(action, reason) {
      if (grants.some((grant) => isSame(grant, action))) return undefined;
      throw new NeedsAnswer(action, reason);
    },
    symlink: (target, path) => Promise.resolve(pinned.symlink(target, path)),
    openOutside: (path, wanted) => outside.open(path, wanted),
  });

  function fileOf(number: number): HostFile {
    const file = files.get(number);
    if (!file) throw new HostError("EBADF");
    return file;
  }

  function open(path: string, wanted: OpenOptions): FarFile {
    const file = guarded.open(path, wanted);
    // With `opensStill` nothing is waited for.
    if (file instanceof Promise) throw new HostError("EINVAL", path);
    const number = next++;
    files.set(number, file);
    return { file: number, path: guarded.opened(file)?.path ?? path };
  }

  function readStart(path: string, length: number): Uint8Array | undefined {
    let file: HostFile;
    try {
      file = guarded.open(path, { read: true }) as HostFile;
    } catch (error) {
      // The long way says what is wrong, or asks.
      if (error instanceof HostError || error instanceof NeedsAnswer) return undefined;
      throw error;
    }
    try {
      if (file.stat().kind !== "file") return undefined;
      const bytes = new Uint8Array(length);
      let at = 0;
      while (at < length) {
        const got = file.read(bytes.subarray(at)) as number;
        if (got === 0) break;
        at += got;
      }
      return bytes.subarray(0, at);
    } finally {
      file.close();
    }
  }

  async function act(request: FileRequest): Promise<{ value?: FileValue | void; bytes?: Uint8Array }> {
    switch (request.op) {
      case "stat":
      case "lstat":
      case "readLink":
      case "realPath":
      case "readDir":
      case "unlink":
      case "rmdir":
        return { value: guarded[request.op](request.path) };
      case "access":
        return { value: guarded.access(request.path, request.mode) };
      case "mkdir":
      case "chmod":
        return { value: guarded[request.op](request.path, request.mode) };
      case "rename":
      case "link":
        return { value: await guarded[request.op](request.from, request.to) };
      case "symlink":
        return { value: await guarded.symlink(request.target, request.path) };
      case "chown":
        return { value: guarded.chown(request.path, request.uid, request.gid) };
      case "utime":
        return { value: guarded.utime(request.path, request.atimeMs, request.mtimeMs) };
      case "truncate":
        return { value: guarded.truncate(request.path, request.length) };
      case "open":
        return { value: open(request.path, request.options) };
      case "read_start": {
        const bytes = readStart(request.path, request.length);
        return bytes ? { value: true, bytes } : { value: false };
      }
      case "read": {
        const bytes = new Uint8Array(request.length);
        return { bytes: bytes.subarray(0, await fileOf(request.file).read(bytes)) };
      }
      case "write":
        return { value: await fileOf(request.file).write(request.bytes) };
      case "seek":
        return { value: fileOf(request.file).seek(request.offset, request.from) };
      case "cut":
        return { value: fileOf(request.file).truncate(request.length) };
      case "stat_file":
        return { value: fileOf(request.file).stat() };
      case "close":
        fileOf(request.file).close();
        files.delete(request.file);
        return {};
      case "rest":
        return {};
    }
  }

  function put(answer: FileAnswer, bytes: Uint8Array): void {
    const text = encoder.encode(JSON.stringify(answer));
    cells[ANSWER.text] = text.length;
    cells[ANSWER.bytes] = bytes.length;
    const all = new Uint8Array(text.length + bytes.length);
    all.set(text);
    all.set(bytes, text.length);
    putPart(all);
  }

  function putPart(all: Uint8Array): void {
    const part = all.subarray(0, PART);
    room.set(part);
    rest = all.slice(PART);
    cells[ANSWER.part] = part.length;
    Atomics.store(cells, ANSWER.state, 1);
    Atomics.notify(cells, ANSWER.state);
  }

  return {
    fs: pinned,
    anywhere: createPinnedFs({ read: true, write: [], user: ownIdentity }),
    async answer(request, granted) {
      if (request.op === "rest") return putPart(rest);
      grants = granted;
      try {
        const { value, bytes } = await act(request);
        put({ value: value ?? undefined }, bytes ?? new Uint8Array(0));
      } catch (error) {
        put(failure(error), new Uint8Array(0));
      }
    },
    again(number, wanted) {
      const file = files.get(number);
      return file && pinned.openAgain(file, wanted);
    },
    close() {
      for (const file of files.values()) file.close();
      files.clear();
      unloadPlaceDescriptors();
    },
  };
}

function failure(error: unknown): FileAnswer {
  if (error instanceof NeedsAnswer) return { ask: { action: error.action, reason: error.reason } };
  if (error instanceof HostError) {
    return { error: { code: error.code, message: error.message, path: error.path } };
  }
  return { error: { code: "EIO", message: describe(error) } };
}

function isSame(one: Action, other: Action): boolean {
  return "path" in one && "path" in other && one.kind === other.kind && one.path === other.path &&
    (one.tree ?? false) === (other.tree ?? false) && (one.opens ?? false) === (other.opens ?? false);
}
