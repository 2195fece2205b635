/**
 * Starts programs of the system: each in a session and process group of its
 * own, with the environment it is given and nothing else. Its end is told as
 * soon as the program itself is over, whoever else still holds its pipes.
 *
 * Pipes go through `Deno.Command`; files as descriptors and another `argv[0]`
 * need `node:child_process`, which is loaded when the first of them comes.
 */
import { keepFromPrograms } from "./inherited.ts";
import { baseName } from "../../lib/files/paths.ts";
import { hasEnded } from "./processes.ts";
import { attempt, hostError } from "../host_error.ts";
import {
  type ByteSink,
  type ByteSource,
  HostError,
  type HostFile,
  type HostProcess,
  type OpenOptions,
  type ProcessEnd,
  type SpawnRequest,
} from "../../shell/host.ts";

const WINDOWS = Deno.build.os === "windows";

/** What is known of an open file that is to be handed to a program. */
export interface KnownFile {
  readonly path: string;
  readonly options: OpenOptions;
}

type KnowFile = (file: HostFile) => KnownFile | undefined;

/** Milliseconds for which a look into a starting program is tried again. */
const TAP_MS = 50;

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

/** Starts a program. */
export async function spawnProgram(request: SpawnRequest, known: KnowFile): Promise<HostProcess> {
  keepFromPrograms();
  const files = [request.stdin, request.stdout, request.stderr].some((stdio) => stdio.kind === "file");
  const renamed = baseName(request.argv[0] ?? "") !== baseName(request.program);
  const node = files || renamed ? await loadNode() : undefined;
  if (request.umask === undefined || WINDOWS) return await start(request, known, node);
  // The mask is this process's own: set for the moment of the start, in which nothing else runs.
  const before = Deno.umask(request.umask);
  let started: HostProcess | Promise<HostProcess>;
  try {
    started = start(request, known, node);
  } finally {
    Deno.umask(before);
  }
  return await started;
}

function start(
  request: SpawnRequest,
  known: KnowFile,
  node: NodeModules | undefined,
): HostProcess | Promise<HostProcess> {
  return node ? spawnWithFiles(request, known, node) : spawnWithPipes(request);
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
  const tap = tapOf(child.pid, request);
  const stdin = request.stdin.kind === "pipe" ? sinkOf(child.stdin.getWriter()) : undefined;
  // It needs no input: nobody else would close the pipe.
  if ("stdin" in tap) stdin?.close();
  return {
    pid: child.pid,
    ...(stdin ? { stdin } : {}),
    ...(request.stdout.kind === "pipe" ? { stdout: sourceOf(child.stdout.getReader({ mode: "byob" })) } : {}),
    ...(request.stderr.kind === "pipe" ? { stderr: sourceOf(child.stderr.getReader({ mode: "byob" })) } : {}),
    ended: child.status.then((status) => toEnd(status.code, status.signal)),
    ...tap,
    kill: (signal) => killGroup(child.pid, signal),
  };
}

/**
 * A second reader of a program's input pipe: what the program leaves in it
 * when it ends can still be read. (A pipe is opened again by its name in
 * /proc; elsewhere than on Linux there is no such name.)
 */
function tapOf(pid: number, request: SpawnRequest): Pick<HostProcess, "unread" | "stdin"> {
  if (!request.keepUnread || request.stdin.kind !== "pipe" || Deno.build.os !== "linux") return {};
  let tap: Deno.FsFile | undefined;
  const patience = performance.now() + TAP_MS;
  while (tap === undefined) {
    try {
      tap = Deno.openSync(`/proc/${pid}/fd/0`);
    } catch (error) {
      // It has ended already and needs no input.
      if (error instanceof Deno.errors.NotFound || hasEnded(pid)) return { stdin: undefined };
      // A wrapper may not be looked into while it changes from one user namespace to another.
      if (!(error instanceof Deno.errors.PermissionDenied) || performance.now() > patience) return {};
    }
  }
  const opened = tap;
  let rest: Promise<Uint8Array> | undefined;
  return {
    unread: () => rest ??= readRest(opened),
  };
}

async function readRest(tap: Deno.FsFile): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const buffer = new Uint8Array(65536);
  try {
    for (let n = await tap.read(buffer); n !== null && n > 0; n = await tap.read(buffer)) {
      chunks.push(buffer.slice(0, n));
    }
  } finally {
    tap.close();
  }
  const all = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
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
async function spawnWithFiles(
  request: SpawnRequest,
  known: KnowFile,
  { child, fs }: NodeModules,
): Promise<HostProcess> {
  const numbers = new Map<HostFile, number>();
  const slot = (stdio: SpawnRequest["stdin"]): number | "pipe" | "ignore" => {
    if (stdio.kind !== "file") return stdio.kind === "pipe" ? "pipe" : "ignore";
    const number = numbers.get(stdio.file) ?? reopen(fs, stdio.file, known);
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
          moveBehind(fs, file, number, known);
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
  const tap = tapOf(pid, request);
  if ("stdin" in tap) started.stdin?.destroy();
  return {
    pid,
    ...(request.stdin.kind === "pipe" && started.stdin ? { stdin: nodeSink(started.stdin) } : {}),
    ...(request.stdout.kind === "pipe" && started.stdout ? { stdout: nodeSource(started.stdout) } : {}),
    ...(request.stderr.kind === "pipe" && started.stderr ? { stderr: nodeSource(started.stderr) } : {}),
    ended,
    ...tap,
    kill: (signal) => killGroup(pid, signal),
  };
}

type NodeFs = typeof import("node:fs");

function reopen(fs: NodeFs, file: HostFile, knowFile: KnowFile): number {
  const known = knowFile(file);
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
function moveBehind(fs: NodeFs, file: HostFile, number: number, known: KnowFile): void {
  const options = known(file)?.options;
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
