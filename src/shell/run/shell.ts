/**
 * The state of one shell (or subshell), and the ports through which the parts
 * of the interpreter reach each other: whoever needs commands run calls
 * `sh.exec`, which `interpreter.ts` fills. Subshells are made by {@link fork}:
 * cheap, because everything big is shared until written.
 */
import { type ExpandConfig, ExpansionError, type Run } from "../expand/config.ts";
import { IndexedArray, type Value } from "../expand/variable.ts";
import { Expander } from "../expand/word.ts";
import type { Deadlines } from "./deadlines.ts";
import type { CommandGate } from "../gate.ts";
import { HostError, type HostFs, type Later, type ShellHost } from "../host.ts";
import type { Utility } from "../builtin.ts";
import {
  type Assign,
  type Command,
  type CommandSub,
  printCommand,
  type ProcessSub,
  type Statement,
} from "../syntax/mod.ts";
import type { Description, FdTable } from "./fds.ts";
import { JobTable } from "./jobs.ts";
import { defaultOptions, letters, type Options, SET_OPTIONS, SHOPT_OPTIONS } from "./options.ts";
import { Killed, Process, type Step } from "./process.ts";
import type { VarTable } from "./vars.ts";
import { windowsPath } from "../windows_path.ts";

/** How control leaves the normal order. */
export const enum Flow {
  None,
  Break,
  Continue,
  Return,
  Exit,
}

export interface FunctionEntry {
  readonly name: string;
  readonly body: Command;
  /** Value of BASH_SOURCE inside it. */
  readonly source: string;
  readonly line: number;
  readonly exported: boolean;
  readonly traced: boolean;
}

export interface CallFrame {
  /** Function name, or "source" for a sourced file. */
  readonly name: string;
  readonly source: string;
  /** Line of the call. */
  readonly line: number;
  readonly sourced: boolean;
  /** A function that inherits DEBUG and RETURN traps (`declare -t`). */
  readonly traced?: boolean;
  /** Options of `set` to put back at its end (`local -`). */
  options?: Options;
}

/** A builtin of the language: may change the shell's own state. */
export interface LanguageBuiltin {
  readonly name: string;
  /** A special builtin in POSIX's sense. */
  readonly special?: boolean;
  run(sh: Shell, args: readonly string[], call: BuiltinCall): Step<number> | Promise<number>;
}

export interface BuiltinCall {
  /** Arguments that assign arrays (`declare a=(…)`), by their place among the arguments. */
  readonly arrays?: ReadonlyMap<number, Assign>;
  /** As called. */
  readonly name: string;
}

export interface InvokeOptions {
  readonly functions: boolean;
  readonly builtins: boolean;
  /** Look programs up in the default path. */
  readonly defaultPath?: boolean;
  /** Run another word as argv[0]. */
  readonly replace?: boolean;
  /** Another argv[0]. */
  readonly argv0?: string;
  /** The whole message for a command that is not there, by the reason: who asks is a utility. */
  readonly missing?: (why: string) => string;
}

/** What the parts of the interpreter ask of each other. */
export interface Exec {
  statements(sh: Shell, list: readonly Statement[]): Step<number>;
  command(sh: Shell, command: Command): Step<number>;
  commandOutput(sh: Shell, node: CommandSub): Step<string>;
  processPath(sh: Shell, node: ProcessSub): Step<string>;
  /** Runs text as `eval` does. */
  text(sh: Shell, text: string, options: TextOptions): Step<number>;
  /** Runs a command by its argument vector. */
  invoke(sh: Shell, argv: readonly string[], options: InvokeOptions): Step<number>;
  /** A shell of its own that was called as a command (`bash -c …`, a script). */
  nested(sh: Shell, argv: readonly string[], scriptPath: string | undefined): Step<number>;
}

export interface TextOptions {
  /** Name for syntax errors: `eval`, a file, `-c`. */
  readonly label: string;
  readonly line: number;
}

/** What all shells of one run share. */
export interface Session {
  readonly host: ShellHost;
  readonly builtins: ReadonlyMap<string, LanguageBuiltin>;
  readonly utilities: ReadonlyMap<string, Utility>;
  readonly gate: CommandGate | undefined;
  /** Whether programs of the host may run at all. */
  readonly external: boolean;
  readonly limits: Limits;
  nextPid: number;
  readonly processes: Map<number, Process>;
  /** Ends of process substitutions, for `wait`. */
  readonly substitutions: Map<number, Promise<number>>;
  readonly started: number;
  /** Limits that `ulimit` was given, for show. */
  readonly ulimits: Map<string, string>;
  /** Told when traps change, so that the program's own signals can be listened for. */
  readonly watchSignals?: (traps: ReadonlyMap<string, string>, sh: Shell) => void;
  /** When the loop last gave others a turn. */
  breath: number;
  /** What `timeout` waits for, for loops that keep its timer from coming. */
  readonly deadlines: Deadlines;
  /** Counts towards the next look at the clock. */
  ticks: number;
  /** Someone waits for others to have their turn: whoever asks next waits too. */
  parked: boolean;
  /** There was no room for another subshell: the run ends. */
  exhausted: boolean;
}

export interface Limits {
  /** Nested function calls. */
  readonly calls: number;
  /** Bytes of one command substitution. */
  readonly capture: number;
  /** Subshells that live at once. */
  readonly processes: number;
}

export const DEFAULT_LIMITS: Limits = { calls: 3000, capture: 512 << 20, processes: 2000 };

export class Shell implements ExpandConfig {
  readonly session: Session;
  readonly exec: Exec;
  process: Process;
  readonly vars: VarTable;
  readonly expander: Expander;
  fds: FdTable;
  params: readonly string[] = [];
  /** `set` gave new ones: a sourced file's arguments then stay. */
  paramsReplaced = false;
  /** `$0` */
  name0 = "bash";
  cwd = "/";
  umask = 0o022;
  dirStack: readonly string[] = [];
  functions: ReadonlyMap<string, FunctionEntry> = new Map();
  aliases: ReadonlyMap<string, string> = new Map();
  hashed: Map<string, { path: string; hits: number }> = new Map();
  disabled: ReadonlySet<string> = new Set();
  readonlyFunctions: ReadonlySet<string> = new Set();
  /** An error of an expansion ended the shell. */
  fatal = false;
  options: Options = defaultOptions();
  traps: ReadonlyMap<string, string> = new Map();
  /** Traps shown by `trap` in a subshell that did not set its own yet. */
  inheritedTraps: ReadonlyMap<string, string> = new Map();
  jobs: JobTable = new JobTable();
  /** `$?` */
  status = 0;
  pipeStatus: readonly number[] = [0];
  lastBackground: number | undefined;
  lastArgument = "";
  line = 1;
  flow: Flow = Flow.None;
  flowCount = 0;
  loopDepth = 0;
  /** While positive, a failing command does not end the shell. */
  noErrexit = 0;
  calls: CallFrame[] = [];
  subshell = 0;
  /** BASH_SUBSHELL: as `subshell`, but a simple command of a pipeline does not count. */
  level = 0;
  /** How the shell was started: letters of `$-` besides the options'. */
  startLetters = "";
  interactive = false;
  /** What BASH_COMMAND shows: the command that runs (or ran when a trap began), or a text for it. */
  command: Command | string = "";
  /** Names this shell in messages, where it is not `$0`. */
  source: string | undefined;
  /** Traps whose actions run now: they do not trigger themselves. */
  runningTraps: ReadonlySet<string> = new Set();
  /** `$?` from before the trap that runs: what `exit` and `return` without a number use. */
  statusBeforeTrap: number | undefined;
  /** `$?` from before the last `return`: what a RETURN trap sees. */
  statusBeforeReturn = 0;
  /** Number of the external program that runs for this shell. */
  externalPid: number | undefined;
  getoptsAt = { index: 1, offset: 0 };
  secondsBase: number;
  random: number;
  /** Descriptors that process substitutions of the running command hold. */
  processFds: number[] = [];
  /** Nesting of command substitutions and `eval`: how often the first character of PS4 is repeated. */
  traceDepth = 0;
  evalDepth = 0;
  /** Status of the last command substitution of the running command. */
  substitutionStatus: number | undefined;
  /** Function depth at which ERR, DEBUG and RETURN traps were set. */
  trapDepth: Readonly<Record<string, number>> = {};
  ignoredForGood: ReadonlySet<string> = new Set();
  coprocs: readonly { name: string; pid: number }[] = [];
  /** The script given with -c, for BASH_EXECUTION_STRING. */
  executionString: string | undefined;

  constructor(session: Session, exec: Exec, process: Process, vars: VarTable, fds: FdTable) {
    this.session = session;
    this.exec = exec;
    this.process = process;
    this.vars = vars;
    this.fds = fds;
    this.secondsBase = session.host.now();
    this.random = (session.host.now() * 1000 + process.pid) & 0x7fffffff;
    this.expander = new Expander(this, vars);
    vars.dynamic = {
      read: (name) => readDynamic(this, name),
      write: (name, value) => writeDynamic(this, name, value),
      writeElement: (name, key, value) => writeDynamicElement(this, name, key, value),
    };
    vars.warn = (text) => this.warn(text);
    vars.onChange = (name) => {
      if (name === "PATH") this.hashed = new Map();
      else if (name === "OPTIND") {
        this.getoptsAt = { index: Number(this.vars.text("OPTIND") ?? 1) || 1, offset: 0 };
      } else if (name === "POSIXLY_CORRECT") this.setOption("posix", vars.text(name) !== undefined);
    };
    process.trapped = (signal) => this.traps.has(signal.slice(3));
  }

  /** A signal that was ignored when this shell began stays ignored: no trap changes it. */
  startIgnoring(signal: string): void {
    this.traps = new Map([...this.traps, [signal, ""]]);
    this.ignoredForGood = new Set([...this.ignoredForGood, signal]);
  }

  /** A subshell: everything as here, its own from now on. */
  fork(process: Process = new Process(this.session.nextPid++, this.process)): Shell {
    const child = new Shell(this.session, this.exec, process, this.vars.fork(), this.fds.fork());
    child.params = this.params;
    child.name0 = this.name0;
    child.cwd = this.cwd;
    child.umask = this.umask;
    child.dirStack = this.dirStack;
    child.functions = this.functions;
    child.aliases = this.aliases;
    child.hashed = this.hashed.size === 0 ? this.hashed : new Map(this.hashed);
    child.disabled = this.disabled;
    child.readonlyFunctions = this.readonlyFunctions;
    child.options = this.options;
    child.status = this.status;
    child.pipeStatus = this.pipeStatus;
    child.lastBackground = this.lastBackground;
    child.lastArgument = this.lastArgument;
    child.line = this.line;
    child.noErrexit = this.noErrexit;
    child.calls = this.calls.slice();
    child.subshell = this.subshell + 1;
    child.level = this.level + 1;
    child.startLetters = this.startLetters;
    child.source = this.source;
    child.command = this.command;
    child.getoptsAt = { ...this.getoptsAt };
    child.secondsBase = this.secondsBase;
    child.loopDepth = 0;
    child.random = (this.random * 16807 + process.pid) & 0x7fffffff;
    child.executionString = this.executionString;
    child.shellPid = this.shellPid;
    const promptFor = this.promptFor;
    if (promptFor !== undefined) promptFor(child);
    child.nesting = this.nesting;
    child.parentPid = this.parentPid;
    child.interactive = this.interactive;
    child.runningTraps = this.runningTraps;
    child.statusBeforeTrap = this.statusBeforeTrap;
    child.traceDepth = this.traceDepth;
    child.trapDepth = this.trapDepth;
    child.jobs = this.jobs.inherited();
    child.ignoredForGood = this.ignoredForGood;
    // Ignored signals stay ignored; traps are shown until the subshell sets its own.
    if (this.traps.size > 0) {
      const keep = new Map<string, string>();
      for (const [name, action] of this.traps) {
        if (
          action === "" || (name === "ERR" && this.options.errtrace) ||
          ((name === "DEBUG" || name === "RETURN") && this.options.functrace)
        ) {
          keep.set(name, action);
        }
      }
      child.traps = keep;
      child.inheritedTraps = this.traps;
    } else child.inheritedTraps = this.inheritedTraps;
    return child;
  }

  get host(): ShellHost {
    return this.session.host;
  }

  // What the expander asks for

  get fs(): HostFs {
    return this.session.host.fs;
  }
  get windows(): boolean {
    return this.session.host.platform === "windows";
  }
  get ifs(): string | undefined {
    return this.vars.text("IFS");
  }

  option(name: string): boolean {
    return this.options[name];
  }

  setOption(name: string, on: boolean): void {
    if (this.options[name] === on) return;
    this.options = { ...this.options, [name]: on };
    this.vars.touchExports();
    if (name === "nounset") this.vars.nounset = on;
    else if (name === "allexport") this.vars.allexport = on;
  }

  special(name: string): string | undefined {
    switch (name) {
      case "?":
        return String(this.status);
      case "#":
        return String(this.params.length);
      case "0":
        return this.name0;
      case "$":
        return String(this.shellPid);
      case "!":
        return this.lastBackground === undefined ? undefined : String(this.lastBackground);
      case "-":
        return letters(this.options) + this.startLetters;
    }
    return undefined;
  }

  /** Functions marked by `export -f`. */
  exportedFunctions(): FunctionEntry[] {
    return [...this.functions.values()].filter((f) => f.exported);
  }

  /** Shells inside shells. */
  nesting = 0;
  parentPid = 0;

  /** `$$`: the number of the shell that subshells descend from. */
  shellPid = 0;

  home(user: string): string | undefined {
    if (user === "") return this.vars.text("HOME") ?? (this.host.user.name === "root" ? "/root" : undefined);
    if (user === "+") return this.vars.text("PWD");
    if (user === "-") return this.vars.text("OLDPWD");
    if (/^[+-]?[0-9]+$/.test(user)) {
      const all = [this.cwd, ...this.dirStack];
      const n = Number(user.replace(/^[+-]/, ""));
      return user.startsWith("-") ? all[all.length - 1 - n] : all[n];
    }
    if (user === "root") return "/root";
    if (user === this.host.user.name) return this.vars.text("HOME");
    return passwdHome(this, user);
  }

  commandOutput(node: CommandSub): string | Run<string> {
    return this.exec.commandOutput(this, node);
  }
  processPath(node: ProcessSub): string | Run<string> {
    return this.exec.processPath(this, node);
  }

  poll(): void {
    const p = this.process;
    this.session.deadlines.look();
    if (p.killed !== undefined) throw new Killed(p, p.killed);
    if (this.session.host.cancelled()) throw new Killed(rootOf(p), "SIGINT");
  }

  prompt(text: string): string {
    return this.promptText?.(text) ?? text;
  }
  promptText: ((text: string) => string) | undefined;
  /** Gives a shell the functions that parse text for it. */
  promptFor: ((sh: Shell) => void) | undefined;

  // Messages

  /** `bash: line 3: ` */
  prefix(): string {
    return `${this.messageName}: line ${this.line}: `;
  }

  get messageName(): string {
    const top = this.calls[this.calls.length - 1];
    if (top !== undefined && top.source !== "") return top.source;
    return this.source ?? this.name0;
  }

  /** Writes a message with the shell's prefix to standard error. */
  warn(text: string): void {
    this.writeError(this.prefix() + text + "\n");
  }

  writeError(text: string): void {
    const out = this.fds.get(2);
    if (out === undefined) return;
    try {
      const later = out.writeText(text);
      // A message that cannot be written has nowhere else to go.
      if (later instanceof Promise) later.catch(() => {});
    } catch {
      // As above.
    }
  }

  /** Writes to standard output for a builtin. */
  print(text: string): Later<void> {
    const out = this.fds.get(1);
    if (out === undefined) throw new HostError("EBADF");
    return out.writeText(text);
  }

  /** Absolute form of a path. */
  absolute(path: string): string {
    if (this.windows) {
      path = windowsPath(path);
      if (/^[A-Za-z]:\//.test(path)) return path;
    }
    if (path.startsWith("/")) return path;
    return this.cwd.endsWith("/") ? this.cwd + path : `${this.cwd}/${path}`;
  }

  setFunction(name: string, entry: FunctionEntry | undefined): void {
    const next = new Map(this.functions);
    if (entry === undefined) next.delete(name);
    else next.set(name, entry);
    this.functions = next;
  }

  /** Function bodies see the caller's frames. */
  inFunction(): boolean {
    return this.calls.some((c) => !c.sourced);
  }

  /** Whether control is on its way out of the normal order. */
  get leaving(): boolean {
    return this.flow !== Flow.None;
  }

  fd(n: number): Description | undefined {
    return this.fds.get(n);
  }
}

export function rootOf(process: Process): Process {
  let p = process;
  while (p.parent !== undefined) p = p.parent;
  return p;
}

function passwdHome(sh: Shell, user: string): string | undefined {
  if (sh.windows) return undefined;
  try {
    const file = sh.fs.open("/etc/passwd", { read: true });
    if (file instanceof Promise) return undefined;
    const buffer = new Uint8Array(1 << 16);
    const n = file.read(buffer);
    file.close();
    if (n instanceof Promise) return undefined;
    const text = new TextDecoder().decode(buffer.subarray(0, n));
    for (const line of text.split("\n")) {
      const f = line.split(":");
      if (f[0] === user) return f[5];
    }
  } catch {
    // No list of users: no such home.
  }
  return undefined;
}

/** The names whose values are worked out. */
export const DYNAMIC_NAMES = [
  "RANDOM",
  "SRANDOM",
  "SECONDS",
  "LINENO",
  "BASHPID",
  "BASH_SUBSHELL",
  "BASH_COMMAND",
  "EPOCHSECONDS",
  "EPOCHREALTIME",
  "FUNCNAME",
  "BASH_SOURCE",
  "BASH_LINENO",
  "PIPESTATUS",
  "DIRSTACK",
  "GROUPS",
  "BASH_ALIASES",
  "BASH_CMDS",
  "BASH_ARGV0",
  "BASH_EXECUTION_STRING",
  "_",
];

function readDynamic(sh: Shell, name: string): Value | undefined {
  switch (name) {
    case "RANDOM": {
      // bash's generator, so that a seed gives the same numbers here.
      const seed = sh.random === 0 ? 123459876 : sh.random;
      const next = 16807 * (seed % 127773) - 2836 * Math.trunc(seed / 127773);
      sh.random = next < 0 ? next + 0x7fffffff : next;
      return String(((sh.random >>> 16) ^ (sh.random & 0xffff)) & 0x7fff);
    }
    case "SRANDOM": {
      const four = new Uint8Array(4);
      sh.host.random(four);
      return String(new DataView(four.buffer).getUint32(0));
    }
    case "SECONDS":
      return String(Math.floor((sh.host.now() - sh.secondsBase) / 1000));
    case "LINENO":
      return String(sh.line);
    case "BASHPID":
      return String(sh.process.pid);
    case "BASH_SUBSHELL":
      return String(sh.level);
    case "BASH_COMMAND":
      return typeof sh.command === "string" ? sh.command : printCommand(sh.command).split("\n")[0];
    case "EPOCHSECONDS":
      return String(Math.floor(sh.host.now() / 1000));
    case "EPOCHREALTIME":
      return (sh.host.now() / 1000).toFixed(6);
    case "FUNCNAME": {
      if (!sh.inFunction()) return undefined;
      const names = sh.calls.map((c) => c.name).reverse();
      if (sh.source !== undefined) names.push("main");
      return new IndexedArray(names);
    }
    case "BASH_SOURCE": {
      const names = sh.calls.map((c) => c.source).reverse();
      if (sh.source !== undefined) names.push(sh.source);
      return names.length === 0 ? undefined : new IndexedArray(names);
    }
    case "BASH_LINENO": {
      const lines = sh.calls.map((c) => String(c.line)).reverse();
      if (sh.source !== undefined) lines.push("0");
      return lines.length === 0 ? undefined : new IndexedArray(lines);
    }
    case "PIPESTATUS":
      return new IndexedArray(sh.pipeStatus.map(String));
    case "DIRSTACK":
      return new IndexedArray([sh.cwd, ...sh.dirStack]);
    case "GROUPS":
      return new IndexedArray(sh.host.user.groups.map(String));
    case "BASH_ALIASES":
      return new Map(sh.aliases);
    case "BASH_CMDS":
      return new Map([...sh.hashed].map(([k, v]) => [k, v.path]));
    case "SHELLOPTS":
      return SET_OPTIONS.map(([n]) => n).filter((n) => sh.options[n]).join(":");
    case "BASHOPTS":
      return SHOPT_OPTIONS.map(([n]) => n).filter((n) => sh.options[n]).join(":");
    case "BASH_ARGV0":
      return sh.name0;
    case "BASH_EXECUTION_STRING":
      return sh.executionString;
    case "_":
      return sh.lastArgument;
  }
  return undefined;
}

function writeDynamic(sh: Shell, name: string, value: string): boolean {
  switch (name) {
    case "RANDOM":
      sh.random = (Number(value) || 0) >>> 0;
      return true;
    case "SECONDS":
      sh.secondsBase = sh.host.now() - Number(value) * 1000;
      return true;
    case "BASH_ARGV0":
      sh.name0 = value;
      return true;
    case "_":
    case "LINENO":
    case "BASHPID":
    case "FUNCNAME":
    case "BASH_SOURCE":
    case "BASH_LINENO":
    case "GROUPS":
    case "BASH_SUBSHELL":
    case "BASH_COMMAND":
    case "PIPESTATUS":
    case "DIRSTACK":
    case "SRANDOM":
    case "EPOCHSECONDS":
    case "EPOCHREALTIME":
      return true;
  }
  return false;
}

function writeDynamicElement(sh: Shell, name: string, key: string, value: string): boolean {
  if (name === "BASH_ALIASES") sh.aliases = new Map([...sh.aliases, [key, value]]);
  else if (name === "DIRSTACK") {
    const at = Number(key) - 1;
    if (at >= 0 && at < sh.dirStack.length) sh.dirStack = sh.dirStack.with(at, value);
  } else return false;
  return true;
}

export { ExpansionError };
