/**
 * Shells called as commands: `bash -c …`, `sh script`, a script with a
 * shell's `#!` line. They run in this process as shells of their own: only
 * exported variables, descriptors and the folder come from the caller.
 */
import type { Run } from "../expand/config.ts";
import { wait } from "../expand/config.ts";
import { HostError } from "../host.ts";
import { decodeBytes } from "../../lib/text/bytes.ts";
import type { Description } from "./fds.ts";
import { firstLine } from "./first_line.ts";
import { parseInvocation } from "./invocation.ts";
import { open } from "./redirect.ts";
import { begin, drive, Killed, Process, type Step } from "./process.ts";
import { Shell } from "./shell.ts";
import { prepare } from "./startup.ts";
import { enclosed } from "./subshell.ts";
import { script } from "./text.ts";
import { stdinScript } from "./stdin.ts";
import { VarTable } from "./vars.ts";
import { signalStatus } from "./utility.ts";

const MAX_NESTED = 60;

export function nested(sh: Shell, argv: readonly string[], scriptPath: string | undefined): Step<number> {
  return begin(run(sh, argv, scriptPath));
}

function* run(sh: Shell, argv: readonly string[], scriptPath: string | undefined): Run<number> {
  if (sh.nesting >= MAX_NESTED) {
    sh.warn(`${argv[0]}: too many nested shells`);
    return 126;
  }
  // A subshell that only starts a shell is that shell, as after a fork and an exec.
  const process = new Process(sh.subshell > 0 ? sh.process.pid : sh.session.nextPid++, sh.process);
  const before = sh.session.processes.get(process.pid);
  const child = new Shell(sh.session, sh.exec, process, new VarTable(), sh.fds.fork());
  child.nesting = sh.nesting + 1;
  child.cwd = sh.cwd;
  child.umask = sh.umask;
  child.shellPid = process.pid;
  child.parentPid = sh.shellPid;
  for (const [signal, action] of sh.traps) if (action === "") child.startIgnoring(signal);
  if (sh.process.ignoresInterrupt && sh.process.single) {
    child.startIgnoring("INT");
    child.startIgnoring("QUIT");
  }
  prepare(child, sh.vars.exports(), sh.exportedFunctions());
  sh.session.processes.set(process.pid, process);
  if (sh.subshell > 0) sh.process.delegate = process;
  try {
    if (sh.nesting % 5 === 4) {
      return (yield Promise.resolve().then(() =>
        drive(enclosed(child, () => begin(main(child, argv, scriptPath))), process)
      )) as number;
    }
    return yield* enclosed(child, () => begin(main(child, argv, scriptPath)));
  } catch (error) {
    if (error instanceof Killed && error.target === process) return signalStatus(error.signal);
    throw error;
  } finally {
    sh.process.delegate = undefined;
    if (before === undefined) sh.session.processes.delete(process.pid);
    else sh.session.processes.set(process.pid, before);
  }
}

/** What a shell does with its arguments, up to its exit status. */
export function* main(sh: Shell, argv: readonly string[], scriptPath: string | undefined): Run<number> {
  if (scriptPath !== undefined) return yield* scriptFile(sh, argv[0], argv.slice(1), scriptPath, true);
  const call = parseInvocation(sh, argv);
  if (typeof call === "number") return call;
  for (const name of call.printed) yield* wait(sh.print(name));
  if (call.version) return 0;
  const interactive = sh.interactive ? "i" : "";
  sh.startLetters = interactive + (call.command !== undefined ? "c" : call.file === undefined ? "s" : "");
  if (yield* startupFile(sh)) return sh.status;
  if (call.command !== undefined) {
    sh.name0 = call.args[0] ?? argv[0];
    sh.params = call.args.slice(1);
    sh.executionString = call.command;
    const status = yield* script(sh, call.command, "-c");
    return sh.fatal && !sh.options.errexit ? 127 : status;
  }
  if (call.file === undefined) {
    sh.name0 = argv[0];
    sh.params = call.args;
    sh.source = undefined;
    return yield* stdinScript(sh);
  }
  return yield* scriptFile(sh, call.file, call.args, call.file);
}

/** The file that BASH_ENV names is read first. Answers whether it ended the shell. */
function* startupFile(sh: Shell): Run<boolean> {
  const path = sh.vars.text("BASH_ENV");
  if (path === undefined || path === "" || sh.options.posix || sh.interactive) return false;
  try {
    yield* script(sh, yield* readScript(sh, sh.prompt(path)), "");
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    sh.writeError(`${sh.name0}: ${path}: ${error.message}\n`);
  }
  return sh.leaving;
}

/** `direct`: run by its own name, so that options in its `#!` line count. */
function* scriptFile(
  sh: Shell,
  name: string,
  args: readonly string[],
  path: string,
  direct = false,
): Run<number> {
  sh.name0 = path;
  sh.params = args;
  let text: string;
  try {
    text = yield* readScript(sh, path);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    sh.writeError(`bash: ${name}: ${error.message}\n`);
    return error.code === "ENOENT" ? 127 : 126;
  }
  if (text.slice(0, 200).includes("\0")) {
    sh.writeError(`${path}: ${path}: cannot execute binary file\n`);
    return 126;
  }
  if (direct) {
    if (yield* startupFile(sh)) return sh.status;
    const [shell, ...options] = firstLine(text) ?? [""];
    if (options.length > 0 && options.every((word) => /^\S+$/.test(word)) && /^[-+]/.test(options[0])) {
      const call = parseInvocation(sh, [shell, ...options, path]);
      if (typeof call === "number") return call;
    }
  }
  sh.source = path;
  return yield* script(sh, text, "");
}

/** The whole text of a script file; a name without a slash is looked for in the folder first, then in PATH. */
export function* readScript(sh: Shell, path: string): Run<string> {
  let description: Description;
  try {
    description = yield* open(sh, path, { read: true });
  } catch (error) {
    if (!(error instanceof HostError) || path.includes("/")) throw error;
    const dir = (sh.vars.text("PATH") ?? "").split(":").find((d) => {
      try {
        return sh.fs.stat(sh.absolute(`${d}/${path}`)).kind === "file";
      } catch {
        return false;
      }
    });
    if (dir === undefined) throw error;
    description = yield* open(sh, `${dir}/${path}`, { read: true });
  }
  try {
    return yield* readAll(description);
  } finally {
    description.release();
  }
}

/** Everything up to the end of an input, as text. */
export function* readAll(input: Description): Run<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const chunk = new Uint8Array(1 << 16);
    const n = yield* wait(input.read(chunk));
    if (n === 0) break;
    chunks.push(chunk.subarray(0, n));
    size += n;
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const c of chunks) {
    whole.set(c, at);
    at += c.length;
  }
  return decodeBytes(whole);
}
