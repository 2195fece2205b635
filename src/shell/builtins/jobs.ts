/** `jobs`, `disown`, `fg`, `bg`, `suspend`. */
import type { Job } from "../run/jobs.ts";
import type { LanguageBuiltin, Shell } from "../run/shell.ts";
import { badOption } from "./shared/errors.ts";
import { parseOptions } from "./shared/options.ts";
import { printed } from "./shared/print.ts";

function state(job: Job): string {
  if (job.status === undefined) return "Running";
  if (job.status === 0) return "Done";
  return job.process.killed !== undefined ? "Terminated" : `Exit ${job.status}`;
}

function line(sh: Shell, job: Job, long: boolean): string {
  const mark = job === sh.jobs.current ? "+" : job === sh.jobs.previous ? "-" : " ";
  const pid = long ? `${String(job.pid).padStart(5)} ` : "";
  return `[${job.id}]${mark} ${long ? "" : " "}${pid}${state(job).padEnd(23)} ${job.text}${
    job.status === undefined ? " &" : ""
  }\n`;
}

export const jobs: LanguageBuiltin = {
  name: "jobs",
  run(sh, args) {
    const o = parseOptions(args, "lnprsx");
    if (o.bad !== undefined) {
      return badOption(sh, "jobs", o.bad, "jobs [-lnprs] [jobspec ...] or jobs -x command [args]");
    }
    let list = sh.jobs.all;
    if (o.rest.length > 0) {
      const chosen: Job[] = [];
      for (const spec of o.rest) {
        const whole = spec.startsWith("%") ? spec : "%" + spec;
        const many = sh.jobs.ambiguous(whole);
        if (many) sh.warn(`jobs: ${whole.slice(1).replace(/^\?/, "")}: ambiguous job spec`);
        const job = many ? undefined : sh.jobs.find(whole);
        if (job === undefined) {
          sh.warn(`jobs: ${spec}: no such job`);
          return 1;
        }
        chosen.push(job);
      }
      list = chosen;
    }
    if (o.flags.has("r")) list = list.filter((j) => j.status === undefined);
    if (o.flags.has("s")) list = [];
    const text = list.map((j) => o.flags.has("p") ? `${j.pid}\n` : line(sh, j, o.flags.has("l"))).join("");
    for (const job of list) {
      if (job.status !== undefined && !o.flags.has("p")) {
        job.notified = true;
        sh.jobs.remove(job);
      }
    }
    return printed(sh, text);
  },
};

export const disown: LanguageBuiltin = {
  name: "disown",
  run(sh, args) {
    const o = parseOptions(args, "har");
    if (o.bad !== undefined) {
      return badOption(sh, "disown", o.bad, "disown [-h] [-ar] [jobspec ... | pid ...]");
    }
    const all = o.flags.has("a") || o.flags.has("r");
    const specs = all ? [] : o.rest.length === 0 ? ["%%"] : o.rest;
    const chosen: Job[] = all ? [...sh.jobs.all] : [];
    for (const spec of specs) {
      const job = spec.startsWith("%") ? sh.jobs.find(spec) : sh.jobs.byPid(Number(spec));
      if (job === undefined) {
        sh.warn(`disown: ${spec === "%%" ? "current" : spec}: no such job`);
        return 1;
      }
      chosen.push(job);
    }
    for (const job of chosen) {
      job.disowned = true;
      if (!o.flags.has("h")) sh.jobs.remove(job);
    }
    return 0;
  },
};

function noControl(sh: Shell, name: string, args: readonly string[]): number | Promise<number> {
  if (!sh.options.monitor) {
    sh.warn(`${name}: no job control`);
    return 1;
  }
  const job = sh.jobs.find(args[0] ?? "%%");
  if (job === undefined) {
    sh.warn(`${name}: ${args[0] ?? "current"}: no such job`);
    return 1;
  }
  if (name === "bg") {
    sh.warn(`bg: job ${job.id} already in background`);
    return 0;
  }
  return Promise.resolve(printed(sh, job.text + "\n")).then(() => job.done).then((status) => {
    sh.jobs.remove(job);
    return status;
  });
}

export const fg: LanguageBuiltin = { name: "fg", run: (sh, args) => noControl(sh, "fg", args) };
export const bg: LanguageBuiltin = { name: "bg", run: (sh, args) => noControl(sh, "bg", args) };
export const suspend: LanguageBuiltin = {
  name: "suspend",
  run(sh) {
    sh.warn("suspend: cannot suspend: no job control");
    return 1;
  },
};
