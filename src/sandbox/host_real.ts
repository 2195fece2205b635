/**
 * ShellHost over the system: what the main isolate may do, and (its files)
 * what stands behind the path guard in the worker. It judges nothing. Every
 * failure of the system comes out as a HostError with its code.
 *
 * Regular files are read and written synchronously; what may wait (named
 * pipes, terminals, sockets) answers with promises. Programs run in a session
 * and process group of their own, with the environment they are given and
 * nothing else.
 */
import process from "node:process";
import {
  type ByteSink,
  type ByteSource,
  type DirEntry,
  ERROR_TEXT,
  type FileKind,
  type FileStat,
  HostError,
  type HostErrorCode,
  type HostFile,
  type HostFs,
  type HostProcess,
  type HostUser,
  type OpenOptions,
  type ProcessEnd,
  type ShellHost,
  type SpawnRequest,
} from "../shell/host.ts";

const WINDOWS = Deno.build.os === "windows";

/** Errors of Deno's that carry no code of the system. */
const BY_NAME: Readonly<Record<string, HostErrorCode>> = {
  NotFound: "ENOENT",
  PermissionDenied: "EACCES",
  AlreadyExists: "EEXIST",
  NotADirectory: "ENOTDIR",
  IsADirectory: "EISDIR",
  FilesystemLoop: "ELOOP",
  InvalidData: "EINVAL",
  BrokenPipe: "EPIPE",
  Busy: "EBUSY",
  BadResource: "EBADF",
  NotSupported: "ENOTSUP",
};

/** Number of each signal that can end a program. */
const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
};

/** Turns what the system threw into a HostError. */
export function hostError(error: unknown, path?: string): HostError {
  if (error instanceof HostError) return error;
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (name === "NotCapable") {
    return new HostError("EDENIED", path, "Not allowed: the sandbox does not reach there", error);
  }
  if (code !== undefined && Object.hasOwn(ERROR_TEXT, code)) {
    return new HostError(code as HostErrorCode, path, undefined, error);
  }
  const known = BY_NAME[name ?? ""];
  if (known) return new HostError(known, path, undefined, error);
  const number = /os error (\d+)/.exec(message ?? "")?.[1];
  const byNumber = number === undefined ? undefined : BY_NUMBER[number];
  return new HostError(byNumber ?? "EIO", path, byNumber ? undefined : message, error);
}

const BY_NUMBER: Readonly<Record<string, HostErrorCode>> = {
  "1": "EPERM",
  "6": "ENXIO",
  "8": "ENOEXEC",
  "13": "EACCES",
  "18": "EXDEV",
  "20": "ENOTDIR",
  "21": "EISDIR",
  "22": "EINVAL",
  "24": "EMFILE",
  "28": "ENOSPC",
  "30": "EROFS",
  "36": "ENAMETOOLONG",
  "39": "ENOTEMPTY",
  "40": "ELOOP",
  "66": "ENOTEMPTY",
};

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw hostError(error, path);
  }
}

/** With forward slashes, as every path of a host. */
function slashes(path: string): string {
  return WINDOWS ? path.replace(/^\\\\\?\\/, "").replaceAll("\\", "/") : path;
}

function kindOf(info: Deno.FileInfo): FileKind {
  if (info.isSymlink) return "symlink";
  if (info.isDirectory) return "dir";
  if (info.isFile) return "file";
  if (info.isFifo) return "fifo";
  if (info.isSocket) return "socket";
  if (info.isCharDevice) return "char";
  return info.isBlockDevice ? "block" : "file";
}

function toStat(info: Deno.FileInfo): FileStat {
  const kind = kindOf(info);
  const mtime = info.mtime?.getTime() ?? 0;
  return {
    kind,
    size: info.size,
    mode: (info.mode ?? (kind === "dir" ? 0o755 : 0o644)) & 0o7777,
    uid: info.uid ?? 0,
    gid: info.gid ?? 0,
    dev: info.dev,
    ino: info.ino ?? 0,
    nlink: info.nlink ?? 1,
    rdev: info.rdev ?? 0,
    blocks: info.blocks ?? Math.ceil(info.size / 512),
    atimeMs: info.atime?.getTime() ?? mtime,
    mtimeMs: mtime,
    ctimeMs: info.ctime?.getTime() ?? mtime,
  };
}

/** What an open file is, for handing it to a program. */
interface Known {
  readonly path: string;
  readonly options: OpenOptions;
}

const opened = new WeakMap<HostFile, Known>();

function toFile(path: string, file: Deno.FsFile, options: OpenOptions): HostFile {
  let known: boolean | undefined;
  const isRegular = () => known ??= attempt(path, () => file.statSync()).isFile;
  const made: HostFile = {
    get terminal() {
      return !isRegular() && file.isTerminal();
    },
    read(into) {
      if (into.length === 0) return 0;
      if (isRegular()) return attempt(path, () => file.readSync(into) ?? 0);
      return file.read(into).then((length) => length ?? 0, (error) => {
        throw hostError(error, path);
      });
    },
    write(bytes) {
      if (isRegular()) {
        for (let at = 0; at < bytes.length;) at += attempt(path, () => file.writeSync(bytes.subarray(at)));
        return;
      }
      return writeAll(path, file, bytes);
    },
    seek(offset, from) {
      if (!isRegular()) throw new HostError("ENOTSUP", path);
      const mode =
        { start: Deno.SeekMode.Start, current: Deno.SeekMode.Current, end: Deno.SeekMode.End }[from];
      return attempt(path, () => file.seekSync(offset, mode));
    },
    truncate: (length) => attempt(path, () => file.truncateSync(length)),
    stat: () => toStat(attempt(path, () => file.statSync())),
    close() {
      try {
        file.close();
      } catch (error) {
        // Closed before: nothing is left to do.
        if (!(error instanceof Deno.errors.BadResource)) throw hostError(error, path);
      }
    },
  };
  opened.set(made, { path, options });
  return made;
}

async function writeAll(path: string, file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  try {
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  } catch (error) {
    throw hostError(error, path);
  }
}

function openOptions(options: OpenOptions): Deno.OpenOptions {
  const writes = options.write || options.append;
  return {
    read: options.read || !writes,
    write: options.write && !options.append,
    append: options.append,
    create: options.create && !options.exclusive,
    createNew: options.create && options.exclusive,
    truncate: options.truncate && !options.append,
    ...(WINDOWS || !options.create ? {} : { mode: options.mode ?? 0o666 }),
  };
}

function openFile(path: string, options: OpenOptions): HostFile | Promise<HostFile> {
  // Opening a named pipe waits for the other end: not while everything stands still.
  if (isFifo(path)) {
    return Deno.open(path, openOptions(options)).then((file) => toFile(path, file, options), (error) => {
      throw hostError(error, path);
    });
  }
  return openPlain(path, options);
}

/** Opens what is known not to be a named pipe. */
export function openPlain(path: string, options: OpenOptions): HostFile {
  const file = attempt(path, () => Deno.openSync(path, openOptions(options)));
  if (options.truncate && options.append) file.truncateSync(0);
  return toFile(path, file, options);
}

function isFifo(path: string): boolean {
  if (WINDOWS) return false;
  try {
    return Deno.statSync(path).isFifo === true;
  } catch {
    // Whatever is wrong, opening it says so.
    return false;
  }
}

/** Whose rights count where the system is not asked itself. */
type Identity = Pick<HostUser, "uid" | "gid" | "groups">;

/** The files of the system, for a user: the worker may not ask who it is. */
export function createRealFs(user: () => Identity): HostFs {
  return {
    ...ANYONE,
    access(path, mode) {
      const info = toStat(attempt(path, () => Deno.statSync(path)));
      if (WINDOWS) return mode !== "x" || info.kind === "dir" || /\.(exe|com|cmd|bat|ps1)$/i.test(path);
      const { uid, gid, groups } = user();
      if (uid === 0) return mode !== "x" || info.kind === "dir" || (info.mode & 0o111) !== 0;
      const bit = { r: 4, w: 2, x: 1 }[mode];
      const shift = info.uid === uid ? 6 : info.gid === gid || groups.includes(info.gid) ? 3 : 0;
      return ((info.mode >> shift) & bit) !== 0;
    },
  };
}

const ANYONE: Omit<HostFs, "access"> = {
  stat: (path) => toStat(attempt(path, () => Deno.statSync(path))),
  lstat: (path) => toStat(attempt(path, () => Deno.lstatSync(path))),
  readLink: (path) => attempt(path, () => Deno.readLinkSync(path)),
  realPath: (path) => slashes(attempt(path, () => Deno.realPathSync(path))),
  readDir: (path) =>
    attempt(path, () =>
      [...Deno.readDirSync(path)].map((entry): DirEntry => ({
        name: entry.name,
        kind: entry.isSymlink ? "symlink" : entry.isDirectory ? "dir" : entry.isFile ? "file" : "unknown",
      }))),
  readStart: (path, into) =>
    attempt(path, () => {
      const file = Deno.openSync(path);
      try {
        return file.readSync(into) ?? 0;
      } finally {
        file.close();
      }
    }),
  open: openFile,
  mkdir: (path, mode) => attempt(path, () => Deno.mkdirSync(path, WINDOWS ? {} : { mode })),
  unlink(path) {
    attempt(path, () => {
      if (Deno.lstatSync(path).isDirectory) throw new HostError("EISDIR", path);
      Deno.removeSync(path);
    });
  },
  rmdir(path) {
    attempt(path, () => {
      if (!Deno.lstatSync(path).isDirectory) throw new HostError("ENOTDIR", path);
      Deno.removeSync(path);
    });
  },
  rename: (from, to) => attempt(from, () => Deno.renameSync(from, to)),
  link: (existing, path) => attempt(path, () => Deno.linkSync(existing, path)),
  symlink: (target, path) =>
    attempt(
      path,
      () => Deno.symlinkSync(target, path, WINDOWS ? { type: linkType(target, path) } : undefined),
    ),
  chmod: (path, mode) => attempt(path, () => WINDOWS ? undefined : Deno.chmodSync(path, mode)),
  chown: (path, uid, gid) =>
    attempt(path, () => Deno.chownSync(path, uid < 0 ? null : uid, gid < 0 ? null : gid)),
  utime: (path, atimeMs, mtimeMs) =>
    attempt(path, () => Deno.utimeSync(path, new Date(atimeMs), new Date(mtimeMs))),
  truncate: (path, length) => attempt(path, () => Deno.truncateSync(path, length)),
};

function linkType(target: string, path: string): "dir" | "file" {
  const at = /^([A-Za-z]:)?[\\/]/.test(target) ? target : `${path.slice(0, path.lastIndexOf("/"))}/${target}`;
  try {
    return Deno.statSync(at).isDirectory ? "dir" : "file";
  } catch {
    // It leads nowhere yet.
    return "file";
  }
}

let self: Identity | undefined;

/** The user of this process. */
export function ownIdentity(): Identity {
  return self ??= {
    uid: Deno.uid() ?? 0,
    gid: Deno.gid() ?? 0,
    groups: WINDOWS ? [] : process.getgroups?.() ?? [],
  };
}

/** The files of the system, for the user of this process. */
export const realFs: HostFs = createRealFs(ownIdentity);

/** Starts a program. */
async function spawnProgram(request: SpawnRequest): Promise<HostProcess> {
  const files = [request.stdin, request.stdout, request.stderr].some((stdio) => stdio.kind === "file");
  const renamed = baseName(request.argv[0] ?? "") !== baseName(request.program);
  const node = files || renamed ? await loadNode() : undefined;
  if (request.umask === undefined || WINDOWS) return await start(request, node);
  // The mask is this process's own: set for the moment of the start, in which nothing else runs.
  const before = Deno.umask(request.umask);
  let started: HostProcess | Promise<HostProcess>;
  try {
    started = start(request, node);
  } finally {
    Deno.umask(before);
  }
  return await started;
}

function start(request: SpawnRequest, node: NodeModules | undefined): HostProcess | Promise<HostProcess> {
  return node ? spawnWithFiles(request, node) : spawnWithPipes(request);
}

type NodeModules = Awaited<ReturnType<typeof loadNode>>;

async function loadNode() {
  const [child, fs] = await Promise.all([import("node:child_process"), import("node:fs")]);
  return { child, fs };
}

function spawnWithPipes(request: SpawnRequest): HostProcess {
  const kind = (stdio: SpawnRequest["stdin"]) => stdio.kind === "pipe" ? "piped" as const : "null" as const;
  const child = attempt(request.program, () =>
    new Deno.Command(request.program, {
      args: request.argv.slice(1),
      cwd: request.cwd,
      env: request.env,
      clearEnv: true,
      stdin: kind(request.stdin),
      stdout: kind(request.stdout),
      stderr: kind(request.stderr),
      detached: true,
    }).spawn());
  return {
    pid: child.pid,
    ...(request.stdin.kind === "pipe" ? { stdin: sinkOf(child.stdin.getWriter()) } : {}),
    ...(request.stdout.kind === "pipe" ? { stdout: sourceOf(child.stdout.getReader({ mode: "byob" })) } : {}),
    ...(request.stderr.kind === "pipe" ? { stderr: sourceOf(child.stderr.getReader({ mode: "byob" })) } : {}),
    ended: child.status.then((status) => toEnd(status.code, status.signal)),
    kill: (signal) => killGroup(child.pid, signal),
  };
}

function sinkOf(writer: WritableStreamDefaultWriter<Uint8Array>): ByteSink {
  let closed = false;
  return {
    async write(bytes) {
      try {
        await writer.write(bytes);
      } catch (error) {
        throw new HostError("EPIPE", undefined, undefined, error);
      }
    },
    close() {
      if (closed) return;
      closed = true;
      // A reader that is gone already has nothing to be told.
      writer.close().catch(() => {});
    },
  };
}

function sourceOf(reader: ReadableStreamBYOBReader): ByteSource {
  let closed = false;
  let buffer = new Uint8Array(65536);
  return {
    async read(into) {
      if (closed || into.length === 0) return 0;
      const { value, done } = await reader.read(buffer.subarray(0, Math.min(into.length, buffer.length)));
      if (value) {
        into.set(value);
        buffer = new Uint8Array(value.buffer);
      }
      return done || !value ? 0 : value.length;
    },
    close() {
      if (closed) return;
      closed = true;
      // What fails here failed because the pipe is closed.
      reader.cancel().catch(() => {});
    },
  };
}

function toEnd(code: number, signal: string | null): ProcessEnd {
  return signal === null ? { code } : { code: 128 + (SIGNALS[signal] ?? 0), signal };
}

function killGroup(pid: number, signal: string): void {
  attempt(String(pid), () => Deno.kill(WINDOWS ? pid : -pid, signal as Deno.Signal));
}

/**
 * Files as descriptors: only `node:child_process` takes them, as descriptors
 * of `node:fs`. They are opened again by their paths. One that is written at
 * its end is opened for appending, so that all who write share its end; one
 * that is read is read up to where the reader stands, and what the program
 * has left over tells where the reader goes on.
 */
async function spawnWithFiles(request: SpawnRequest, { child, fs }: NodeModules): Promise<HostProcess> {
  const numbers = new Map<HostFile, number>();
  const slot = (stdio: SpawnRequest["stdin"]): number | "pipe" | "ignore" => {
    if (stdio.kind !== "file") return stdio.kind === "pipe" ? "pipe" : "ignore";
    const number = numbers.get(stdio.file) ?? reopen(fs, stdio.file);
    numbers.set(stdio.file, number);
    return number;
  };
  const closeAll = () => {
    for (const number of numbers.values()) fs.closeSync(number);
  };
  let started;
  try {
    started = child.spawn(request.program, request.argv.slice(1), {
      argv0: request.argv[0],
      cwd: request.cwd,
      env: request.env,
      detached: true,
      stdio: [slot(request.stdin), slot(request.stdout), slot(request.stderr)],
    });
  } catch (error) {
    closeAll();
    throw hostError(error, request.program);
  }
  const failed = new Promise<never>((_, reject) => started.once("error", reject));
  const ended = new Promise<ProcessEnd>((resolve) =>
    started.once("exit", (code: number | null, signal: string | null) => {
      for (const [file, number] of numbers) {
        try {
          moveBehind(fs, file, number);
        } catch (error) {
          // Its owner has closed it meanwhile: nobody reads on from there.
          if (!(error instanceof HostError)) throw error;
        }
      }
      closeAll();
      resolve(toEnd(code ?? 0, signal));
    })
  );
  // A program that cannot be started says so in an event.
  failed.catch(() => {});
  if (started.pid === undefined) {
    closeAll();
    throw hostError(await failed.catch((error) => error), request.program);
  }
  const pid = started.pid;
  return {
    pid,
    ...(request.stdin.kind === "pipe" && started.stdin ? { stdin: nodeSink(started.stdin) } : {}),
    ...(request.stdout.kind === "pipe" && started.stdout ? { stdout: nodeSource(started.stdout) } : {}),
    ...(request.stderr.kind === "pipe" && started.stderr ? { stderr: nodeSource(started.stderr) } : {}),
    ended,
    kill: (signal) => killGroup(pid, signal),
  };
}

type NodeFs = typeof import("node:fs");

function reopen(fs: NodeFs, file: HostFile): number {
  const known = opened.get(file);
  if (!known) throw new HostError("EBADF");
  const { read, write, append } = known.options;
  if (append || (write && file.seek(0, "current") >= file.stat().size)) {
    return attempt(known.path, () => fs.openSync(known.path, read ? "a+" : "a"));
  }
  const number = attempt(known.path, () => fs.openSync(known.path, write ? "r+" : "r"));
  const stop = file.seek(0, "current");
  const buffer = new Uint8Array(65536);
  for (let at = 0; at < stop;) {
    const length = fs.readSync(number, buffer, 0, Math.min(buffer.length, stop - at), null);
    if (length === 0) break;
    at += length;
  }
  return number;
}

/** Moves a file's position to where the program has left it. */
function moveBehind(fs: NodeFs, file: HostFile, number: number): void {
  const options = opened.get(file)?.options;
  if (!options) return;
  if (options.write || options.append) {
    file.seek(0, "end");
    return;
  }
  const buffer = new Uint8Array(65536);
  let rest = 0;
  for (;;) {
    const length = fs.readSync(number, buffer, 0, buffer.length, null);
    if (length === 0) break;
    rest += length;
  }
  file.seek(-rest, "end");
}

function nodeSink(stream: import("node:stream").Writable): ByteSink {
  let broken = false;
  stream.on("error", () => broken = true);
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        if (broken || stream.destroyed) return reject(new HostError("EPIPE"));
        stream.write(bytes, (error) =>
          error ? reject(new HostError("EPIPE", undefined, undefined, error)) : resolve());
      }),
    close: () => void stream.end(),
  };
}

function nodeSource(stream: import("node:stream").Readable): ByteSource {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let rest: Uint8Array = new Uint8Array(0);
  return {
    async read(into) {
      if (rest.length === 0) {
        const next = await chunks.next().catch(() => ({ done: true as const, value: undefined }));
        if (next.done) return 0;
        rest = next.value;
      }
      const length = Math.min(rest.length, into.length);
      into.set(rest.subarray(0, length));
      rest = rest.subarray(length);
      return length;
    },
    close: () => void stream.destroy(),
  };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A host with everything that this process may do. */
export function createRealHost(): ShellHost {
  const os = Deno.build.os;
  const own = ownIdentity();
  const name = Deno.env.get("USER") ?? Deno.env.get("LOGNAME") ?? Deno.env.get("USERNAME");
  return {
    platform: os === "windows" || os === "darwin" ? os : "linux",
    fs: realFs,
    spawn: spawnProgram,
    now: () => performance.timeOrigin + performance.now(),
    cpuTimes() {
      const { user, system } = process.cpuUsage();
      return [user / 1000, system / 1000];
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const done = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal?.addEventListener("abort", done);
      }),
    random: (into) => void crypto.getRandomValues(into as Uint8Array<ArrayBuffer>),
    user: {
      ...own,
      name: name ?? (own.uid === 0 ? "root" : String(own.uid)),
    },
    hostname: Deno.hostname(),
    system: {
      sysname: os === "darwin" ? "Darwin" : os === "windows" ? "Windows_NT" : "Linux",
      release: Deno.osRelease(),
      version: kernelVersion(),
      machine: os === "darwin" && Deno.build.arch === "aarch64" ? "arm64" : Deno.build.arch,
    },
    processors: navigator.hardwareConcurrency,
    pid: Deno.pid,
    ppid: Deno.ppid,
    tempDir: slashes(Deno.env.get("TMPDIR") ?? Deno.env.get("TEMP") ?? "/tmp").replace(/(?<=.)\/+$/, ""),
    cancelled: () => false,
    kill: (pid, signal) => attempt(String(pid), () => Deno.kill(pid, signal as Deno.Signal)),
  };
}

function kernelVersion(): string {
  try {
    return Deno.readTextFileSync("/proc/sys/kernel/version").trim();
  } catch {
    // Only Linux has it.
    return "#1";
  }
}
