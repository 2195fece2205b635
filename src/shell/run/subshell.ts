/** Subshells: `( … )`, command and process substitution, background jobs, coprocesses. */
import { ExpansionError, type Run } from "../expand/config.ts";
import { IndexedArray } from "../expand/variable.ts";
import { HostError, type Later } from "../host.ts";
import { decodeBytes } from "../../lib/text/bytes.ts";
import {
  type CommandSub,
  type Coproc,
  printStatement,
  type ProcessSub,
  type Simple,
  type Statement,
} from "../syntax/mod.ts";
import { claimFork, settled } from "./allowance.ts";
import { Capture, type Description, makePipe, NullDescription } from "./fds.ts";
import { report } from "./functions.ts";
import { type Job, noteBeside } from "./jobs.ts";
import { begin, drive, isRun, Killed, Process, type Step } from "./process.ts";
import { redirect, type Undo, undo } from "./redirect.ts";
import { Flow, type Shell } from "./shell.ts";
import { pendingTraps, runTrap } from "./traps.ts";
import { signalStatus } from "./utility.ts";

/** Runs a subshell's work to its end: errors, signals, its EXIT trap; then closes its descriptors. */
export function* enclosed(child: Shell, body: () => Step<number>): Run<number> {
  try {
    return yield* guarded(child, body);
  } finally {
    child.fds.closeAll();
  }
}

function* guarded(child: Shell, body: () => Step<number>): Run<number> {
  let status: number;
  try {
    try {
      const step = body();
      status = isRun(step) ? yield* step : step;
    } catch (thrown) {
      const error = settled(thrown);
      if (!(error instanceof ExpansionError)) throw error;
      report(child, error);
      status = error.status;
    }
    child.status = status;
    child.flow = Flow.None;
    if (child.process.pending !== undefined) yield* pendingTraps(child);
    if (child.traps.get("EXIT")) {
      const trap = runTrap(child, "EXIT");
      if (isRun(trap)) yield* trap;
      if (child.leaving) status = child.status;
    }
    return status;
  } catch (error) {
    if (error instanceof Killed && error.target === child.process) {
      if (error.signal !== "SIGKILL" && child.traps.get("EXIT")) yield* lastWords(child);
      return signalStatus(error.signal);
    }
    if (error instanceof HostError && error.code === "EPIPE") return 141;
    if (error instanceof ExpansionError) {
      report(child, error);
      return error.status;
    }
    throw error;
  }
}

/** The EXIT trap of a shell that a signal ends. */
function* lastWords(child: Shell): Run<void> {
  const { process } = child;
  child.process = new Process(process.pid, process.parent);
  child.flow = Flow.None;
  try {
    const trap = runTrap(child, "EXIT");
    if (isRun(trap)) yield* trap;
  } catch (error) {
    if (!(error instanceof Killed) && !(error instanceof ExpansionError)) throw error;
  } finally {
    child.process = process;
  }
}

export function subshell(sh: Shell, body: readonly Statement[]): Step<number> {
  claimFork(sh);
  const child = sh.fork();
  sh.session.processes.set(child.process.pid, child.process);
  const step = begin(enclosed(child, () => child.exec.statements(child, body)));
  if (isRun(step)) return finish(sh, child, step);
  sh.session.processes.delete(child.process.pid);
  return sh.status = step;
}

function* finish(sh: Shell, child: Shell, step: Run<number>): Run<number> {
  try {
    return sh.status = yield* step;
  } finally {
    sh.session.processes.delete(child.process.pid);
  }
}

export function commandOutput(
  sh: Shell,
  node: CommandSub,
  parse: () => readonly Statement[] | string,
): Step<string> {
  const body = parse();
  if (typeof body === "string") {
    sh.substitutionStatus = 2;
    return "";
  }
  const file = onlyInput(body);
  if (file !== undefined) return begin(readFile(sh, file));
  claimFork(sh);
  const child = sh.fork();
  if (!sh.options.inherit_errexit && !sh.options.posix) child.setOption("errexit", false);
  const capture = new Capture(sh.session.limits.capture);
  child.fds.set(1, capture);
  child.traceDepth++;
  child.line = node.line;
  const step = begin(enclosed(child, () => child.exec.statements(child, body)));
  return isRun(step) ? outputLater(sh, step, capture) : output(sh, step, capture);
}

function* outputLater(sh: Shell, step: Run<number>, capture: Capture): Run<string> {
  return output(sh, yield* step, capture);
}

function output(sh: Shell, status: number, capture: Capture): string {
  sh.substitutionStatus = status;
  sh.status = status;
  return trimmed(sh, capture.text());
}

/** Without newlines at the end; bash drops NUL bytes with a warning. */
function trimmed(sh: Shell, text: string): string {
  if (text.includes("\0")) {
    sh.warn("warning: command substitution: ignored null byte in input");
    text = text.replaceAll("\0", "");
  }
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 10) end--;
  return end === text.length ? text : text.slice(0, end);
}

/** `$(< file)`: the redirection. */
function onlyInput(body: readonly Statement[]): Simple | undefined {
  if (body.length !== 1) return undefined;
  const s = body[0];
  if (s.background || s.rest.length > 0 || s.first.commands.length !== 1 || s.first.negated) return undefined;
  const c = s.first.commands[0];
  return c.kind === "simple" && c.words.length === 0 && c.assigns.length === 0 && c.redirects.length === 1 &&
      c.redirects[0].op === "<" && (c.redirects[0].fd ?? 0) === 0 && c.redirects[0].variable === undefined
    ? c
    : undefined;
}

function* readFile(sh: Shell, c: Simple): Run<string> {
  const changes: Undo = [];
  sh.line = c.line;
  if (!(yield* redirect(sh, c.redirects, changes))) {
    sh.substitutionStatus = 1;
    sh.status = 1;
    return "";
  }
  try {
    const input = sh.fd(0)!;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const chunk = new Uint8Array(1 << 16);
      const read = input.read(chunk);
      const n = read instanceof Promise ? (yield read) as number : read;
      if (n === 0) break;
      chunks.push(chunk.subarray(0, n));
      size += n;
      if (size > sh.session.limits.capture) {
        throw new ExpansionError("command substitution: file is too large");
      }
    }
    const whole = new Uint8Array(size);
    let at = 0;
    for (const c of chunks) {
      whole.set(c, at);
      at += c.length;
    }
    sh.substitutionStatus = 0;
    sh.status = 0;
    return trimmed(sh, decodeBytes(whole));
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    sh.warn(`${error.path ?? c.redirects[0].target.text}: ${error.message}`);
    sh.substitutionStatus = 1;
    return "";
  } finally {
    undo(sh, changes);
  }
}

/** Starts work beside the shell; resolves to its status. */
export function start(child: Shell, body: () => Step<number>): Later<number> {
  child.session.processes.set(child.process.pid, child.process);
  const result = drive(enclosed(child, body), child.process);
  if (!(result instanceof Promise)) {
    child.session.processes.delete(child.process.pid);
    return result;
  }
  return result.then((status) => {
    child.session.processes.delete(child.process.pid);
    return status;
  }, (error) => {
    child.session.processes.delete(child.process.pid);
    if (error instanceof Killed) return signalStatus(error.signal);
    throw error;
  });
}

export function processPath(sh: Shell, node: ProcessSub): string {
  claimFork(sh);
  const [reader, writer] = makePipe();
  sh.vars.freeze();
  const child = sh.fork(new Process(sh.session.nextPid++, undefined));
  let fd = 63;
  while (sh.fds.get(fd) !== undefined) fd--;
  let mine: Description;
  if (node.direction === "<") {
    child.fds.set(1, writer);
    mine = reader;
  } else {
    child.fds.set(0, reader);
    mine = writer;
  }
  sh.fds.set(fd, mine);
  sh.processFds.push(fd);
  child.line = node.line;
  const result = start(child, () => child.exec.statements(child, node.body));
  if (result instanceof Promise) {
    noteBeside(sh.session, {
      pid: child.process.pid,
      text: `${node.direction}(${node.body.map(printStatement).join("; ")})`,
      process: child.process,
      done: result,
    });
  }
  sh.lastBackground = child.process.pid;
  sh.session.substitutions.set(
    child.process.pid,
    result instanceof Promise ? result : Promise.resolve(result),
  );
  return `/dev/fd/${fd}`;
}

/** `command &` */
export function background(sh: Shell, text: string, body: (child: Shell) => Step<number>): Job {
  claimFork(sh);
  sh.vars.freeze();
  const child = sh.fork(new Process(sh.session.nextPid++, undefined));
  child.process.shellProcess = sh.process;
  if (!sh.options.monitor) {
    child.fds.set(0, new NullDescription());
    child.process.ignoresInterrupt = true;
  }
  child.noErrexit = 0;
  const result = start(child, () => body(child));
  const pid = child.externalPid ?? child.process.pid;
  sh.session.processes.set(pid, child.process);
  const done = Promise.resolve(result);
  done.then(() => sh.session.processes.delete(pid), () => sh.session.processes.delete(pid));
  sh.jobs.prune();
  if (result instanceof Promise) noteBeside(sh.session, { pid, text, process: child.process, done });
  const job = sh.jobs.add(pid, text, child.process, done);
  if (!(result instanceof Promise)) job.status = result;
  job.external = child.externalPid;
  sh.lastBackground = pid;
  return job;
}

export function coproc(sh: Shell, c: Coproc, text: string): number {
  const [inReader, inWriter] = makePipe();
  const [outReader, outWriter] = makePipe();
  const job = background(sh, text, (child) => {
    child.fds.set(0, inReader);
    child.fds.set(1, outWriter);
    return child.exec.command(child, c.body);
  });
  const readFd = sh.fds.free(60);
  sh.fds.set(readFd, outReader);
  const writeFd = sh.fds.free(readFd + 1);
  sh.fds.set(writeFd, inWriter);
  sh.vars.setValue(c.name, new IndexedArray([String(readFd), String(writeFd)]));
  sh.vars.assign(`${c.name}_PID`, String(job.pid));
  const forget = () => {
    sh.vars.unset(c.name);
    sh.vars.unset(`${c.name}_PID`);
  };
  job.done.then(forget, forget);
  return sh.status = 0;
}
