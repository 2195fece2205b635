/**
 * The shells of a session: the one in which commands run one after the other,
 * as in a terminal, and those that run in the background, by id. The language
 * itself is behind {@link Interpreter}; here is the end of a command, and the
 * bounded memory of what background shells have printed. Time limits are set
 * by whoever runs a script, through its signal.
 */
import { concatBytes } from "../lib/bytes.ts";
import { describe } from "../lib/errors.ts";
import type { Later } from "../shell/host.ts";
import type { ShellMemory } from "../shell/mod.ts";

/** One shell: its folder and variables live on from script to script. */
export interface Interpreter {
  /** Runs a script to its end; never rejects but for mistakes of the program. */
  run(script: string, io: ScriptIo): Promise<ScriptEnd>;
  cwd(): string;
  /** Changes the folder for scripts to come. Throws HostError. */
  chdir(path: string): void;
  jobs(): readonly ShellJob[];
  /** Ends those jobs; resolves when they are gone. */
  endJobs(ids: readonly number[]): Promise<void>;
  /** A new shell with the same folder and exported variables. */
  fork(): Interpreter;
  /** What a new shell needs to go on from here; undefined where it is more than data can say. */
  memory(): ShellMemory | undefined;
  /** Ends its jobs. */
  close(): void;
}

/** Where a script's output goes, and what ends it. */
export interface ScriptIo {
  /** Takes what goes to stdout and stderr, in its order. */
  write(bytes: Uint8Array): Later<void>;
  /** Takes what jobs print when the script itself has ended. */
  late?(bytes: Uint8Array): void;
  readonly signal: AbortSignal;
}

/** `status`: as bash has it, 128 + number after a signal. */
export interface ScriptEnd {
  readonly status: number;
  /** The last refusal of the sandbox that the script met. */
  readonly denied?: string;
}

/** A job in the shell's own list: `id` is the N of `%N`. */
export interface ShellJob {
  readonly id: number;
  readonly command: string;
}

/** A script for the session's shell, in the foreground. */
export interface ShellRun extends ScriptIo {
  readonly script: string;
  /** Only for this script. */
  readonly cwd?: string;
}

/** How the script ended, and what it leaves behind. */
export interface ShellEnd extends ScriptEnd {
  /** Where the shell stands now. */
  readonly cwd: string;
  /** What the script has started and still runs. */
  readonly jobs: readonly ShellJob[];
  /** The background shell that those jobs are from now on. */
  readonly background?: string;
}

/** Where the whole output of a background shell is kept beside. */
export interface OutputCopy {
  /** Takes bytes; the shell waits until it resolves, and may use the buffer again then. */
  write(bytes: Uint8Array): Later<void>;
  end(): void;
}

/** What a background shell has printed since it was last looked at. */
export interface BackgroundNews {
  readonly command: string;
  readonly running: boolean;
  /** Present when it has ended and had one of its own: jobs that a script left behind have none. */
  readonly status?: number;
  readonly bytes: Uint8Array;
  /** Bytes that were printed before and are not kept any more. */
  readonly lost: number;
}

/** One for a session: what a script sets, the next one finds. */
export interface SessionShell {
  run(request: ShellRun): Promise<ShellEnd>;
  /** Starts a script in the background and answers with its id. `copy` takes all that it prints, too. */
  launch(script: string, cwd?: string, copy?: OutputCopy): string;
  /** News of a background shell; undefined where there is none of that id. */
  news(id: string): BackgroundNews | undefined;
  /** Ends it; resolves when it has ended. False where there is none. */
  kill(id: string): Promise<boolean>;
  /** Ids of background shells that still run. */
  running(): readonly string[];
  /** What a new shell needs to go on from here; undefined where it is more than data can say. Only while no command runs. */
  memory(): ShellMemory | undefined;
  close(): void;
}

/** Bytes of a background shell's output that are kept until they are looked at. */
const KEPT = 256 * 1024;

interface Background {
  readonly command: string;
  /** Whether it still runs. */
  alive(): boolean;
  /** Ends it; resolves when it has ended. */
  end(): Promise<void>;
  status?: number;
  chunks: Uint8Array[];
  size: number;
  lost: number;
}

/** The interpreter belongs to it from then on. */
export function createSessionShell(interpreter: Interpreter): SessionShell {
  const background = new Map<string, Background>();
  let next = 1;

  function launch(script: string, cwd?: string, copy?: OutputCopy): string {
    const id = `sh${next++}`;
    const shell = interpreter.fork();
    if (cwd !== undefined) shell.chdir(cwd);
    const abort = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    const entry: Background = {
      command: script,
      alive: () => entry.status === undefined,
      end() {
        abort.abort("SIGTERM");
        shell.close();
        return promise;
      },
      chunks: [],
      size: 0,
      lost: 0,
    };
    background.set(id, entry);
    const write = (bytes: Uint8Array) => {
      keep(entry, bytes);
      return copy?.write(bytes);
    };
    shell.run(script, { write, late: (bytes) => keep(entry, bytes), signal: abort.signal }).then(
      (end) => entry.status = end.status,
      (error) => {
        keep(entry, new TextEncoder().encode(`${describe(error)}\n`));
        entry.status = 1;
      },
    ).finally(() => {
      copy?.end();
      resolve();
    });
    return id;
  }

  /** Jobs that a script has left behind are a background shell of their own. */
  function leftBehind(entry: Background, jobs: readonly ShellJob[]): string {
    const ids = jobs.map((job) => job.id);
    const id = `sh${next++}`;
    background.set(id, {
      ...entry,
      command: jobs.map((job) => job.command).join("; "),
      alive: () => interpreter.jobs().some((job) => ids.includes(job.id)),
      end: () => interpreter.endJobs(ids),
    });
    return id;
  }

  return {
    async run({ script, cwd, write, signal }) {
      const before = interpreter.cwd();
      const known = new Set(interpreter.jobs().map((job) => job.id));
      if (cwd !== undefined) interpreter.chdir(cwd);
      const late: Background = {
        command: script,
        alive: () => false,
        end: () => Promise.resolve(),
        chunks: [],
        size: 0,
        lost: 0,
      };
      let kept = late;
      const end = await interpreter.run(script, { write, signal, late: (bytes) => keep(kept, bytes) });
      // A folder that was given for one command is not where the next one starts.
      if (cwd !== undefined && interpreter.cwd() === cwd) interpreter.chdir(before);
      const jobs = interpreter.jobs().filter((job) => !known.has(job.id));
      if (jobs.length === 0) return { ...end, cwd: interpreter.cwd(), jobs };
      const id = leftBehind(late, jobs);
      kept = background.get(id)!;
      return { ...end, cwd: interpreter.cwd(), jobs, background: id };
    },
    launch,
    news(id) {
      const entry = background.get(id);
      if (!entry) return undefined;
      const bytes = concatBytes(entry.chunks, entry.size);
      const lost = entry.lost;
      entry.chunks = [];
      entry.size = 0;
      entry.lost = 0;
      const running = entry.alive();
      return running || entry.status === undefined
        ? { command: entry.command, running, bytes, lost }
        : { command: entry.command, running, status: entry.status, bytes, lost };
    },
    async kill(id) {
      const entry = background.get(id);
      if (!entry) return false;
      await entry.end();
      return true;
    },
    running: () => [...background].filter(([, entry]) => entry.alive()).map(([id]) => id),
    // Also one that has ended is asked for yet.
    memory: () => background.size > 0 ? undefined : interpreter.memory(),
    close() {
      for (const entry of background.values()) void entry.end();
      interpreter.close();
    },
  };
}

function keep(entry: Background, bytes: Uint8Array): void {
  entry.chunks.push(bytes.slice());
  entry.size += bytes.length;
  while (entry.size > KEPT && entry.chunks.length > 1) {
    const dropped = entry.chunks.shift()!;
    entry.size -= dropped.length;
    entry.lost += dropped.length;
  }
}
