import type { Run } from "../expand/config.ts";
import type { Job } from "../run/jobs.ts";
import { SignalArrived } from "../run/process.ts";
import type { LanguageBuiltin, Shell } from "../run/shell.ts";
import { pendingTraps } from "../run/traps.ts";
import { badOption, isName } from "./shared/errors.ts";
import { parseOptions } from "./shared/options.ts";
import { signalNumber } from "./shared/signals.ts";

/** `wait [-fn] [-p var] [id …]` */
export const wait: LanguageBuiltin = { name: "wait", run: (sh, args) => run(sh, args) };

function* run(sh: Shell, args: readonly string[]): Run<number> {
  const o = parseOptions(args, "fnp:");
  if (o.bad !== undefined) return badOption(sh, "wait", o.bad, "wait [-fn] [-p var] [id ...]");
  const variable = o.values.get("p");
  if (variable !== undefined && !isName(variable)) {
    sh.warn(`wait: \`${variable}': not a valid identifier`);
    return 1;
  }
  if (variable !== undefined) sh.vars.unset(variable);
  const found = (job: Job, status: number) => {
    if (variable !== undefined) sh.vars.assign(variable, String(job.pid));
    job.status ??= status;
    sh.jobs.remove(job);
    tellSignal(sh, job);
    return status;
  };
  try {
    if (o.flags.has("n")) {
      const ids = o.rest.length === 0 ? undefined : o.rest;
      const jobs = sh.jobs.all.filter((j) =>
        !j.foreign &&
        (ids === undefined ||
          ids.some((id) => id.startsWith("%") ? sh.jobs.find(id) === j : Number(id) === j.pid))
      );
      if (jobs.length === 0) return 127;
      const done = jobs.find((j) => j.status !== undefined);
      if (done !== undefined) return found(done, done.status!);
      const first = (yield* interruptibly(
        sh,
        Promise.race(jobs.map((j) => j.done.then((status) => ({ j, status })))),
      )) as { j: Job; status: number };
      return found(first.j, first.status);
    }
    if (o.rest.length === 0) {
      for (const job of [...sh.jobs.all]) {
        if (job.foreign) continue;
        const status = job.status ?? (yield* interruptibly(sh, job.done)) as number;
        job.status ??= status;
        sh.jobs.remove(job);
        tellSignal(sh, job);
      }
      const last = sh.lastBackground === undefined
        ? undefined
        : sh.session.substitutions.get(sh.lastBackground);
      if (last !== undefined) yield* interruptibly(sh, last);
      return 0;
    }
    let status = 0;
    for (const id of o.rest) {
      const job = id.startsWith("%")
        ? sh.jobs.find(id)
        : /^[0-9]+$/.test(id)
        ? sh.jobs.byPid(Number(id))
        : undefined;
      if (job !== undefined && !job.foreign) {
        status = found(job, job.status ?? (yield* interruptibly(sh, job.done)) as number);
        continue;
      }
      if (id.startsWith("%")) {
        sh.warn(`wait: ${id}: no such job`);
        status = 127;
      } else if (!/^[0-9]+$/.test(id)) {
        sh.warn(`wait: \`${id}': not a pid or valid job spec`);
        status = 1;
      } else {
        const ended = sh.jobs.endedStatus(Number(id));
        const substitution = sh.session.substitutions.get(Number(id));
        if (ended !== undefined) status = ended;
        else if (substitution !== undefined) status = (yield* interruptibly(sh, substitution)) as number;
        else {
          sh.warn(`wait: pid ${id} is not a child of this shell`);
          status = 127;
        }
      }
    }
    return status;
  } catch (error) {
    if (!(error instanceof SignalArrived)) throw error;
    sh.status = 128 + signalNumber(error.signal.slice(3));
    yield* pendingTraps(sh);
    return 128 + signalNumber(error.signal.slice(3));
  }
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  HUP: "Hangup",
  QUIT: "Quit",
  KILL: "Killed",
  SEGV: "Segmentation fault",
  ABRT: "Aborted",
  ALRM: "Alarm clock",
  USR1: "User defined signal 1",
  USR2: "User defined signal 2",
};

/** A job that a signal ended is told of, as bash does: not of SIGTERM, which `kill` sends. */
function tellSignal(sh: Shell, job: Job): void {
  const text = DESCRIPTIONS[job.process.killed?.replace("SIG", "") ?? ""];
  if (text !== undefined) sh.warn(`${String(job.pid).padStart(5)} ${text.padEnd(23)} ${job.text}`);
}

function* interruptibly(sh: Shell, promise: Promise<unknown>): Run<unknown> {
  sh.process.interruptible = true;
  try {
    return yield promise;
  } finally {
    sh.process.interruptible = false;
  }
}
