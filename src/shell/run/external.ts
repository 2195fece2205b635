/** External programs: their descriptors, the pumps between them and the shell's pipes, their end. */
import { type Run, wait } from "../expand/config.ts";
import { HostError, type HostProcess, type SpawnRequest, type SpawnStdio } from "../host.ts";
import { printFunction } from "../syntax/mod.ts";
import { needsScreen } from "./editors.ts";
import { searchPath } from "./lookup.ts";
import { type Description, FileDescription, NullDescription } from "./fds.ts";
import { Killed } from "./process.ts";
import type { Shell } from "./shell.ts";

/** How long the output of a program that has ended is waited for while others hold its pipe. */
const GRACE_MS = 60;

/** Runs a program in the foreground of this (sub)shell; resolves to its status. */
export function* runExternal(sh: Shell, path: string, argv: readonly string[]): Run<number> {
  const host = sh.host;
  if (host.spawn === undefined || !sh.session.external) {
    sh.warn(`${argv[0]}: cannot run: external programs are not available here`);
    return 126;
  }
  const useless = needsScreen([path, ...argv.slice(1)], sh.fd(0));
  if (useless !== undefined) {
    sh.warn(`${argv[0]}: ${useless}`);
    return 1;
  }
  const [args, lent] = yield* lend(sh, argv);
  try {
    return yield* started(sh, path, args);
  } finally {
    yield* giveBack(sh, lent);
  }
}

/** A file that stands for a descriptor which a program can only be given by name (`/dev/fd/63`). */
interface Lent {
  readonly path: string;
  /** Where what the program wrote is to go. */
  readonly to: Description | undefined;
}

/**
 * A program has no descriptors of this shell but the first three: what others
 * hold is put into a file whose name takes the argument's place.
 */
function* lend(sh: Shell, argv: readonly string[]): Run<[string[], Lent[]]> {
  const args: string[] = [];
  const lent: Lent[] = [];
  for (const a of argv) {
    const m = /^\/dev\/fd\/([0-9]+)$/.exec(a);
    const d = m === null || Number(m[1]) < 3 ? undefined : sh.fd(Number(m[1]));
    if (d === undefined) {
      args.push(a);
      continue;
    }
    const name = new Uint8Array(8);
    sh.host.random(name);
    const path = `${sh.host.tempDir}/sh-fd.${
      Array.from(name, (b) => b.toString(16).padStart(2, "0")).join("")
    }`;
    const file = yield* wait(sh.fs.open(path, { write: true, create: true, exclusive: true, mode: 0o600 }));
    lent.push({ path, to: d.readable ? undefined : d });
    if (d.readable) {
      const buffer = new Uint8Array(1 << 16);
      for (;;) {
        const n = yield* wait(d.read(buffer));
        if (n === 0) break;
        yield* wait(file.write(buffer.subarray(0, n)));
      }
    }
    file.close();
    args.push(path);
  }
  return [args, lent];
}

function* giveBack(sh: Shell, lent: readonly Lent[]): Run<void> {
  for (const { path, to } of lent) {
    if (to !== undefined) {
      const file = yield* wait(sh.fs.open(path, { read: true }));
      const buffer = new Uint8Array(1 << 16);
      for (;;) {
        const n = yield* wait(file.read(buffer));
        if (n === 0) break;
        yield* wait(to.write(buffer.subarray(0, n)));
      }
      file.close();
    }
    sh.fs.unlink(path);
  }
}

function* started(sh: Shell, path: string, argv: readonly string[]): Run<number> {
  const host = sh.host;
  const stdin = sh.fd(0);
  const stdout = sh.fd(1);
  const stderr = sh.fd(2);
  const request: SpawnRequest = {
    program: sh.absolute(path),
    argv,
    cwd: sh.cwd,
    env: environment(sh),
    stdin: inputOf(stdin),
    stdout: outputOf(stdout),
    stderr: outputOf(stderr),
    umask: sh.umask,
    keepUnread: true,
  };
  let process: HostProcess;
  try {
    process = yield* wait(host.spawn!(request));
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    sh.warn(`${argv[0]}: ${error.message}`);
    return error.code === "ENOENT" ? 127 : 126;
  }
  const kill = (signal: string) => end(process, signal);
  sh.process.onKill.add(kill);
  sh.externalPid = process.pid;
  const state: FeedState = { ended: false };
  const fed = process.stdin === undefined ? undefined : feed(process, stdin!, state);
  const pumps: Promise<void>[] = [];
  if (process.stdout !== undefined) pumps.push(drain(process, process.stdout, stdout!));
  if (process.stderr !== undefined) pumps.push(drain(process, process.stderr, stderr!));
  try {
    const ended = yield* wait(process.ended);
    stopFeeding(process, stdin, state);
    const fedBy = state.read === undefined ? fed : undefined;
    if (process.unread !== undefined) yield* wait(takeBack(process, stdin, fedBy));
    else if (fedBy !== undefined) yield* wait(settled(sh, takeBack(process, stdin, fedBy)));
    if (pumps.length > 0) yield* wait(settled(sh, Promise.all(pumps)));
    return ended.code;
  } catch (error) {
    stopFeeding(process, stdin, state);
    if (error instanceof Killed) {
      end(process, error.signal);
      // Who ends at once is waited for, so that nothing of it is left when the status is told.
      yield* wait(settled(sh, escalate(sh, process)));
      yield* wait(settled(sh, takeBack(process, stdin, state.read === undefined ? fed : undefined)));
    }
    throw error;
  } finally {
    sh.process.onKill.delete(kill);
    sh.externalPid = undefined;
  }
}

/** The exported variables; on Windows with a PATH that programs of the system understand. */
function environment(sh: Shell): Record<string, string> {
  const env = Object.fromEntries(sh.vars.exports());
  // A bash that a program starts finds the functions there.
  for (const fn of sh.exportedFunctions()) {
    env[`BASH_FUNC_${fn.name}%%`] = printFunction(fn.name, fn.body).replace(/^.* \(\) \n/, "() ").trimEnd();
  }
  if (sh.windows && env.PATH !== undefined) {
    env.PATH = searchPath(sh, env.PATH).map((folder) => folder.replaceAll("/", "\\")).join(";");
  }
  return env;
}

/** Signals the group; one that has ended already is no failure. */
function end(process: HostProcess, signal: string): void {
  try {
    process.kill(signal);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  }
}

/** Who does not end when asked is made to. */
async function escalate(sh: Shell, process: HostProcess): Promise<void> {
  const gone = await Promise.race([process.ended.then(() => true), sh.host.sleep(1500).then(() => false)]);
  if (!gone) end(process, "SIGKILL");
}

async function settled(sh: Shell, pumps: Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  const grace = sh.host.sleep(GRACE_MS, stop.signal);
  await Promise.race([pumps, grace]);
  stop.abort();
}

/** A file of the disk, which a program can be given; what waits (a named pipe) goes through the pumps. */
function isPlain(d: FileDescription): boolean {
  try {
    return d.file.stat().kind !== "fifo";
  } catch {
    return true;
  }
}

function inputOf(d: Description | undefined): SpawnStdio {
  if (d === undefined || d instanceof NullDescription) return { kind: "null" };
  if (d instanceof FileDescription && d.readable && isPlain(d) && d.rewind()) {
    return { kind: "file", file: d.file };
  }
  return { kind: "pipe" };
}

function outputOf(d: Description | undefined): SpawnStdio {
  if (d === undefined || d instanceof NullDescription) return { kind: "null" };
  if (d instanceof FileDescription && d.writable && isPlain(d)) return { kind: "file", file: d.file };
  return { kind: "pipe" };
}

interface FeedState {
  ended: boolean;
  /** The read that feeding waits for, and where it goes. */
  read?: Promise<number>;
  buffer?: Uint8Array;
}

async function feed(process: HostProcess, from: Description, state: FeedState): Promise<void> {
  const buffer = new Uint8Array(1 << 16);
  state.buffer = buffer;
  from.retain();
  try {
    for (;;) {
      const step = from.read(buffer);
      let n: number;
      if (step instanceof Promise) {
        state.read = step;
        n = await step;
        state.read = undefined;
      } else n = step;
      if (n === 0 || state.ended) break;
      try {
        await process.stdin!.write(buffer.subarray(0, n));
      } catch {
        // It reads no more: the next in line gets what was meant for it.
        from.unread(buffer.subarray(0, n));
        break;
      }
      if (state.ended) break;
    }
  } catch {
    // The program closed its input or ended: nothing more to feed.
  } finally {
    try {
      process.stdin!.close();
    } catch {
      // Closed already.
    }
    from.release();
  }
}

/** What the program left of its input goes back to where it came from. */
async function takeBack(
  process: HostProcess,
  from: Description | undefined,
  fed: Promise<void> | undefined,
): Promise<void> {
  if (process.stdin === undefined || from === undefined) return;
  // The last write ends while the rest is read; then the pipe is closed, and its end is found.
  // Without a way to read the rest: a write that failed has put its bytes back once feeding is over.
  const rest = await process.unread?.();
  await fed;
  if (rest !== undefined) from.unread(rest);
}

/** The program has ended: what is read for it from now on belongs to whoever reads next. */
function stopFeeding(process: HostProcess, from: Description | undefined, state: FeedState): void {
  state.ended = true;
  if (state.read === undefined) return;
  from?.abandon(state.read, state.buffer!);
  process.stdin?.close();
}

async function drain(
  process: HostProcess,
  from: NonNullable<HostProcess["stdout"]>,
  to: Description,
): Promise<void> {
  const buffer = new Uint8Array(1 << 16);
  to.retain();
  try {
    for (;;) {
      const n = await from.read(buffer);
      if (n === 0) break;
      await to.write(buffer.subarray(0, n));
    }
  } catch (error) {
    // Nobody reads its output any more: the program learns it the usual way.
    if (error instanceof HostError && error.code === "EPIPE") {
      from.close();
      end(process, "SIGPIPE");
    }
  } finally {
    to.release();
  }
}
