/** Jobs: what runs in the background, what `wait` can still ask about. */
import type { Process } from "./process.ts";

export interface Job {
  readonly id: number;
  /** Number that `$!` gave. */
  readonly pid: number;
  readonly text: string;
  /** Resolves to the status when it has ended. */
  readonly done: Promise<number>;
  /** Set once it has ended. */
  status: number | undefined;
  readonly process: Process;
  /** Process number on the host, where it is an external program. */
  external: number | undefined;
  disowned: boolean;
  /** A subshell's copy of its parent's list: shown, not waited for. */
  readonly foreign: boolean;
  notified: boolean;
}

export class JobTable {
  #jobs: Job[] = [];
  /** Statuses of ended jobs that left the list. */
  #ended = new Map<number, number>();

  add(pid: number, text: string, process: Process, done: Promise<number>): Job {
    const id = this.#jobs.reduce((n, j) => Math.max(n, j.id), 0) + 1;
    const job: Job = {
      id,
      pid,
      text,
      done,
      status: undefined,
      process,
      external: undefined,
      disowned: false,
      foreign: false,
      notified: false,
    };
    this.#jobs.push(job);
    done.then((status) => job.status = status, () => job.status = 1);
    return job;
  }

  /** All that are listed, oldest first. */
  get all(): readonly Job[] {
    return this.#jobs;
  }

  /** Those of this shell that still run. */
  get running(): Job[] {
    return this.#jobs.filter((j) => j.status === undefined && !j.foreign);
  }

  byPid(pid: number): Job | undefined {
    return this.#jobs.find((j) => j.pid === pid);
  }

  endedStatus(pid: number): number | undefined {
    return this.#ended.get(pid);
  }

  /** Takes a job off the list; its status stays known. */
  remove(job: Job): void {
    this.#jobs = this.#jobs.filter((j) => j !== job);
    if (job.status !== undefined) this.#ended.set(job.pid, job.status);
  }

  /** Forgets those that ended before a new one starts, as bash does without job control. */
  prune(): void {
    for (const job of this.#jobs) if (job.status !== undefined && job.notified) this.remove(job);
  }

  get current(): Job | undefined {
    return this.#jobs[this.#jobs.length - 1];
  }
  get previous(): Job | undefined {
    return this.#jobs[this.#jobs.length - 2] ?? this.current;
  }

  /** Finds by `%N`, `%+`, `%-`, `%text`, `%?text`. */
  find(spec: string): Job | undefined {
    const s = spec.slice(1);
    if (s === "" || s === "+" || s === "%") return this.current;
    if (s === "-") return this.previous;
    if (/^[0-9]+$/.test(s)) return this.#jobs.find((j) => j.id === Number(s));
    return this.#named(s)[0];
  }

  /** Whether `%text` or `%?text` stands for more than one. */
  ambiguous(spec: string): boolean {
    const s = spec.slice(1);
    return s !== "" && !/^(?:[-+%]|[0-9]+)$/.test(s) && this.#named(s).length > 1;
  }

  #named(s: string): Job[] {
    return this.#jobs.filter((j) => s.startsWith("?") ? j.text.includes(s.slice(1)) : j.text.startsWith(s));
  }

  inherited(): JobTable {
    const copy = new JobTable();
    copy.#jobs = this.#jobs.map((j) => ({ ...j, foreign: true }));
    return copy;
  }
}

/** What a script started beside itself: jobs of this shell and of its subshells, process substitutions. */
export interface Beside {
  readonly pid: number;
  readonly text: string;
  readonly process: Process;
  readonly done: Promise<number>;
}

const started = new WeakMap<object, Set<Beside>>();

/** Keeps what was started in a session until it ends, whether or not some list of jobs knows it. */
export function noteBeside(session: object, one: Beside): void {
  const all = started.get(session) ?? new Set();
  started.set(session, all.add(one));
  const forget = () => void all.delete(one);
  one.done.then(forget, forget);
}

/** Everything that still runs beside the shells of a session, oldest first. */
export function runsBeside(session: object): readonly Beside[] {
  return [...started.get(session) ?? []];
}
